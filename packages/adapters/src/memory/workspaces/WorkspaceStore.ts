// The workspace store in memory.
import { Ids, ListId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { type ApiKey, isLive } from "@tentpole/core/workspaces/ApiKey"
import type { SendingDomain } from "@tentpole/core/workspaces/SendingDomain"
import { systemLists } from "@tentpole/core/workspaces/SystemLists"
import {
  InsufficientCredits,
  SlugTaken,
  type Workspace,
  type WorkspaceChange,
} from "@tentpole/core/workspaces/Workspace"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { DateTime, Effect, Layer } from "effect"
import { MemoryDatabase, type Rows, table } from "../kernel/MemoryDatabase.ts"

export const workspaces = table<Workspace>("workspace")
const apiKeys = table<ApiKey>("api_key")
export const sendingDomains = table<SendingDomain>("sending_domain")

/** A system list, which the workspace store creates in the table of lists. */
export interface SystemListRow {
  readonly id: ListId
  readonly systemList: (typeof systemLists)[number]["systemList"]
  readonly name: string
  readonly slug: string
  readonly createdAt: DateTime.Utc
}
export const systemListRows = table<SystemListRow>("system_list")

const byAge = <Row extends { readonly id: string; readonly createdAt: DateTime.Utc }>(rows: ReadonlyArray<Row>) =>
  [...rows].sort(
    (left, right) =>
      left.createdAt.epochMilliseconds - right.createdAt.epochMilliseconds || (left.id < right.id ? -1 : 1),
  )

const found = <Row>(row: Row | undefined, resource: string): Effect.Effect<Row, NotFound> =>
  row === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(row)

/** Takes credits in the caller's transaction. A negative count returns them. */
export const takeCredits = (db: Rows, workspace: WorkspaceId, count: number) =>
  Effect.gen(function* () {
    const row = yield* db.find(workspaces, null, workspace)
    if (row === undefined || row.credits < count) {
      return yield* new InsufficientCredits({ needed: count, left: row?.credits ?? 0 })
    }
    yield* db.put(workspaces, null, workspace, { ...row, credits: row.credits - count })
  })

const applyWorkspace = (db: Rows, ids: Ids["Service"], change: WorkspaceChange) =>
  Effect.gen(function* () {
    yield* Transaction
    const { after } = change
    const taken = (yield* db.all(workspaces, null)).some((each) => each.slug === after.slug && each.id !== after.id)
    if (taken) return yield* new SlugTaken({ slug: after.slug })
    yield* db.put(workspaces, null, after.id, after)
    if (change.before !== null) return
    for (const list of systemLists) {
      const id = ListId.make(yield* ids.next)
      yield* db.put(systemListRows, after.id, id, {
        id,
        systemList: list.systemList,
        name: list.name,
        slug: list.slug,
        createdAt: after.createdAt,
      })
    }
  })

export const layer = Layer.effect(
  WorkspaceStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const ids = yield* Ids
    const get = (id: WorkspaceId) => Effect.flatMap(db.find(workspaces, null, id), (row) => found(row, "workspace"))
    const ofSlug = (slug: string) =>
      Effect.flatMap(db.all(workspaces, null), (rows) =>
        found(
          rows.find((row) => row.slug === slug),
          "workspace",
        ),
      )
    const keyed = Effect.fnUntraced(function* (id: WorkspaceId, key: string, change: (row: ApiKey) => ApiKey) {
      yield* Transaction
      const row = yield* Effect.flatMap(db.find(apiKeys, null, key), (each) => found(each, "API key"))
      if (row.workspaceId !== id) return yield* new NotFound({ resource: "API key" })
      yield* db.put(apiKeys, null, key, change(row))
    })

    return WorkspaceStore.of({
      get,
      findBySlug: ofSlug,
      list: Effect.map(db.all(workspaces, null), (rows) => byAge(rows).slice(0, 1000)),
      lock: (id) => Effect.andThen(Transaction, get(id)),
      apply: (change) => applyWorkspace(db, ids, change),
      findKey: (hash, at) =>
        Effect.gen(function* () {
          const same = (row: ApiKey) =>
            isLive(row, at.epochMilliseconds) &&
            row.hash.length === hash.length &&
            row.hash.every((byte, at) => byte === hash[at])
          const key = yield* Effect.flatMap(db.all(apiKeys, null), (rows) => found(rows.find(same), "API key"))
          return { key, workspace: yield* get(key.workspaceId) }
        }),
      addKey: (key) => Effect.andThen(Transaction, db.put(apiKeys, null, key.id, key)),
      revokeKey: (id, key, at) => keyed(id, key, (row) => ({ ...row, revokedAt: row.revokedAt ?? at })),
      touchKey: (id, key, at) =>
        keyed(id, key, (row) => ({
          ...row,
          lastUsedAt: row.lastUsedAt === null ? at : DateTime.max(row.lastUsedAt, at),
        })).pipe(Effect.catchTag("NotFound", () => Effect.void)),

      domains: (id) => Effect.map(db.all(sendingDomains, id), byAge),
      putDomain: (id, domain) => Effect.andThen(Transaction, db.put(sendingDomains, id, domain.id, domain)),
      removeDomain: (id, domain) =>
        Effect.gen(function* () {
          yield* Transaction
          yield* Effect.flatMap(db.find(sendingDomains, id, domain), (row) => found(row, "sending domain"))
          yield* db.remove(sendingDomains, id, domain)
        }),
    })
  }),
)
