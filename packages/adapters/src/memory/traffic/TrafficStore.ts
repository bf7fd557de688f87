// The traffic store in memory. As in PostgreSQL, it has daily sums, visitors and single page views.
import type { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { byCodePoint } from "@tentpole/core/kernel/Text"
import {
  type Counted,
  type Day,
  type Days,
  dayOf,
  type Dimension,
  groups_max,
  other,
  recent_max,
  values_max,
} from "@tentpole/core/traffic/Analytics"
import { type PageView, TrafficStore, type ViewBatch } from "@tentpole/core/traffic/TrafficStore"
import type { DaySum } from "@tentpole/core/traffic/ViewBatch"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer } from "effect"
import { MemoryDatabase, type Rows, table } from "../kernel/MemoryDatabase.ts"
import { tents } from "../tents/TentStore.ts"
import {
  batches,
  keyOfSum,
  keyOfVisitor,
  type Place,
  singles,
  sums,
  type SumRow,
  type VisitorRow,
  visitors,
} from "./TrafficTables.ts"

const salts = table<{ readonly day: Day; readonly salt: Uint8Array }>("visitor_salt")

const addTo = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, row: SumRow) {
  const key = keyOfSum(row)
  const before = yield* db.find(sums, workspace, key)
  yield* db.put(sums, workspace, key, { ...row, views: row.views + (before?.views ?? 0) })
})

/** Counts one visit for a visitor's first page view of a day. */
const countVisit = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, row: VisitorRow) {
  const key = keyOfVisitor(row)
  if ((yield* db.find(visitors, workspace, key)) !== undefined) return
  yield* db.put(visitors, workspace, key, row)
  const { tentId, day } = row
  yield* addTo(db, workspace, { tentId, day, dimension: "visits", value: "", views: 1 })
})

const addSums = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  added: ReadonlyArray<DaySum>,
  of: "tent" | "workspace",
) {
  // A value that two tents share is one value of the workspace.
  const merged = new Map<string, SumRow>()
  for (const sum of added) {
    const row = { ...sum, tentId: of === "tent" ? sum.tentId : null }
    const key = keyOfSum(row)
    merged.set(key, { ...row, views: row.views + (merged.get(key)?.views ?? 0) })
  }
  for (const row of [...merged.values()].sort(mostFirst)) {
    yield* addTo(db, workspace, (yield* hasRoom(db, workspace, row)) ? row : { ...row, value: other })
  }
})

const hasRoom = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, row: SumRow) {
  if (row.dimension === "all" || (yield* db.find(sums, workspace, keyOfSum(row))) !== undefined) return true
  const its = (yield* db.all(sums, workspace)).filter(
    ({ tentId, day, dimension, value }) =>
      tentId === row.tentId && day === row.day && dimension === row.dimension && value !== other,
  )
  return its.length < values_max
})

const mostFirst = (left: SumRow, right: SumRow): number =>
  right.views - left.views || byCodePoint(left.value, right.value)

const record = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, batch: ViewBatch) {
  yield* Transaction
  if ((yield* db.find(batches, workspace, batch.id)) !== undefined) return
  yield* db.put(batches, workspace, batch.id, true)
  for (const view of batch.newest) yield* db.put(singles, workspace, view.id, view)
  for (const visitor of batch.visitors) {
    yield* countVisit(db, workspace, visitor)
    yield* countVisit(db, workspace, { ...visitor, tentId: null })
  }
  yield* addSums(db, workspace, batch.sums, "tent")
  yield* addSums(db, workspace, batch.sums, "workspace")
})

/** Sums page views by key. */
const totals = (rows: ReadonlyArray<SumRow>, by: (row: SumRow) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(by(row), (counts.get(by(row)) ?? 0) + row.views)
  return counts
}

const total = (rows: ReadonlyArray<SumRow>): number => rows.reduce((sum, { views }) => sum + views, 0)

const newestFirst = (left: PageView, right: PageView): number =>
  right.at.epochMilliseconds - left.at.epochMilliseconds || byCodePoint(right.id, left.id)

export const layer = Layer.effect(
  TrafficStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase

    const within =
      ({ first, last }: Days) =>
      ({ day }: Pick<Place, "day">): boolean =>
        day >= first && day <= last

    const counts = Effect.fnUntraced(function* (workspace: WorkspaceId, tent: TentId | null, days: Days) {
      const its = (yield* db.all(sums, workspace)).filter((row) => row.tentId === tent && within(days)(row))
      const of = (dimension: SumRow["dimension"]) => its.filter((row) => row.dimension === dimension)
      const counted = (dimension: Dimension): ReadonlyArray<Counted> =>
        Array.from(
          totals(of(dimension), ({ value }) => value),
          ([value, views]) => ({ value, views }),
        )
          .sort((left, right) => right.views - left.views || byCodePoint(left.value, right.value))
          .slice(0, groups_max)
      const views = (yield* db.all(singles, workspace)).filter(
        ({ tentId, at }) => (tent === null || tentId === tent) && within(days)({ day: dayOf(at) }),
      )
      return {
        visits: total(of("visits")),
        days: Array.from(
          totals(of("all"), ({ day }) => day),
          ([day, count]) => ({ day, views: count }),
        ).sort((left, right) => byCodePoint(left.day, right.day)),
        groups: {
          country: counted("country"),
          device: counted("device"),
          browser: counted("browser"),
          os: counted("os"),
          referrer: counted("referrer"),
        },
        recent: views
          .sort(newestFirst)
          .slice(0, recent_max)
          .map(({ at, country, device, browser, os, referrer }) => ({ at, country, device, browser, os, referrer })),
      }
    })

    return TrafficStore.of({
      record: (workspace, batch) => record(db, workspace, batch),
      counts,
      topTents: (workspace, days) =>
        Effect.gen(function* () {
          const all = (yield* db.all(sums, workspace)).filter(within(days))
          const rows = yield* db.all(tents, workspace)
          return rows
            .map(({ tent }) => {
              const of = (dimension: SumRow["dimension"]) =>
                total(all.filter((row) => row.tentId === tent.id && row.dimension === dimension))
              return { tentId: tent.id, name: tent.name, views: of("all"), visits: of("visits") }
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
