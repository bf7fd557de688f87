// Page views in memory: every view is kept, and counted when asked.
import type { TentId, WorkspaceId } from "@tentpole/core/Ids"
import { byCodePoint } from "@tentpole/core/Text"
import {
  type Counted,
  type Day,
  type Days,
  dayOf,
  type Dimension,
  groups_max,
  recent_max,
} from "@tentpole/core/traffic/Analytics"
import { type PageView, TrafficStore } from "@tentpole/core/traffic/TrafficStore"
import { Transaction } from "@tentpole/core/Transactor"
import { Effect, Layer } from "effect"
import { MemoryDatabase, table } from "./MemoryDatabase.ts"
import { tents, views } from "./TentStore.ts"

const salts = table<{ readonly day: Day; readonly salt: Uint8Array }>("visitor_salt")

const tally = (keys: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

const counted = (all: ReadonlyArray<PageView>, dimension: Dimension): ReadonlyArray<Counted> =>
  Array.from(tally(all.map((view) => view[dimension])), ([value, count]) => ({ value, views: count }))
    .sort((left, right) => right.views - left.views || byCodePoint(left.value, right.value))
    .slice(0, groups_max)

const visitsOf = (all: ReadonlyArray<PageView>): number =>
  new Set(all.map((view) => `${dayOf(view.at)}/${view.visitor.join(".")}`)).size

const newestFirst = (left: PageView, right: PageView): number =>
  right.at.epochMilliseconds - left.at.epochMilliseconds || byCodePoint(right.id, left.id)

export const layer = Layer.effect(
  TrafficStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const within = (workspace: WorkspaceId, tent: TentId | null, { first, last }: Days) =>
      Effect.map(db.all(views, workspace), (all) =>
        all.filter((view) => {
          const day: Day = dayOf(view.at)
          return (tent === null || view.tentId === tent) && day >= first && day <= last
        }),
      )

    return TrafficStore.of({
      record: (workspace, added) =>
        Effect.andThen(
          Transaction,
          Effect.forEach(added, (view) => db.put(views, workspace, view.id, view), { discard: true }),
        ),
      counts: (workspace, tent, days) =>
        Effect.map(within(workspace, tent, days), (all) => ({
          visits: visitsOf(all),
          days: Array.from(tally(all.map((view) => dayOf(view.at))), ([day, count]) => ({ day, views: count })).sort(
            (left, right) => byCodePoint(left.day, right.day),
          ),
          groups: {
            country: counted(all, "country"),
            device: counted(all, "device"),
            browser: counted(all, "browser"),
            os: counted(all, "os"),
            referrer: counted(all, "referrer"),
          },
          recent: [...all]
            .sort(newestFirst)
            .slice(0, recent_max)
            .map(({ at, country, device, browser, os, referrer }) => ({ at, country, device, browser, os, referrer })),
        })),
      topTents: (workspace, days) =>
        Effect.gen(function* () {
          const all = yield* within(workspace, null, days)
          const rows = yield* db.all(tents, workspace)
          return rows
            .map(({ tent }) => {
              const its = all.filter((view) => view.tentId === tent.id)
              return { tentId: tent.id, name: tent.name, views: its.length, visits: visitsOf(its) }
            })
            .filter((top) => top.views > 0)
            .sort((left, right) => right.views - left.views || byCodePoint(left.tentId, right.tentId))
            .slice(0, groups_max)
        }),
      salt: (day, offered) =>
        Effect.gen(function* () {
          yield* Transaction
          const row = (yield* db.find(salts, null, day)) ?? { day, salt: offered }
          yield* db.put(salts, null, day, row)
          return row.salt
        }),
      forgetSalts: (before) =>
        Effect.gen(function* () {
          yield* Transaction
          const old = (yield* db.all(salts, null)).filter(({ day }) => day < before)
          for (const { day } of old) yield* db.remove(salts, null, day)
        }),
    })
  }),
)
