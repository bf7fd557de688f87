// The workspace store in memory.
import { countsOfCredits, type CreditsTaken } from "@tentpole/core/figures/DayFigures"
import { Ids, ListId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { type ApiKey, isLive } from "@tentpole/core/workspaces/ApiKey"
import type { SendingDomain } from "@tentpole/core/workspaces/SendingDomain"
import { systemLists } from "@tentpole/core/workspaces/SystemLists"
import {
  InsufficientCredits,
  plans,
  SlugTaken,
  type Workspace,
  type WorkspaceChange,
} from "@tentpole/core/workspaces/Workspace"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { DateTime, Effect, Equal, Layer } from "effect"
import { addDayCounts } from "../figures/DayFigures.ts"
import { found, MemoryDatabase, type Rows, type Table, table } from "../kernel/MemoryDatabase.ts"
import { byAge } from "../kernel/Slices.ts"

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

/** Takes credits in the caller's transaction, and counts them. */
export const takeCredits = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, taken: CreditsTaken) {
  const { credits } = taken
  if (credits === 0) return
  const row = yield* db.find(workspaces, null, workspace)
  if (row === undefined || row.credits < credits) {
    return yield* new InsufficientCredits({ needed: credits, left: row?.credits ?? 0 })
  }
  yield* db.put(workspaces, null, workspace, { ...row, credits: row.credits - credits })
  yield* addDayCounts(db, workspace, countsOfCredits(taken, yield* DateTime.now))
})

const applyWorkspace = Effect.fnUntraced(function* (db: Rows, ids: Ids["Service"], change: WorkspaceChange) {
  yield* Transaction
  const { after } = change
  const taken = (yield* db.all(workspaces, null)).find((each) => each.slug === after.slug && each.id !== after.id)
  if (taken !== undefined) return yield* new SlugTaken({ slug: after.slug, existingId: taken.id })
  yield* db.put(workspaces, null, after.id, after)
  if (change.before !== null) return
  for (const list of systemLists) {
    const id = ListId.make(yield* ids.next)
    const { systemList, name, slug } = list
    yield* db.put(systemListRows, after.id, id, { id, systemList, name, slug, createdAt: after.createdAt })
  }
})

export const layer = Layer.effect(
  WorkspaceStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const ids = yield* Ids
    const get = (id: WorkspaceId) => db.get(workspaces, null, id, "workspace")
    const firstWith = <Row>(from: Table<Row>, holds: (row: Row) => boolean, resource: string) =>
      Effect.flatMap(db.all(from, null), (rows) => found(rows.find(holds), resource))
    const updateKey = Effect.fnUntraced(function* (id: WorkspaceId, key: string, change: (row: ApiKey) => ApiKey) {
      yield* Transaction
      const row = yield* firstWith(apiKeys, (each) => each.id === key && each.workspaceId === id, "API key")
      yield* db.put(apiKeys, null, key, change(row))
    })

    return WorkspaceStore.of({
      get,
      findBySlug: (slug) => firstWith(workspaces, (row) => row.slug === slug, "workspace"),
      findFirst: Effect.map(db.all(workspaces, null), (rows) => rows.toSorted(byAge)[0] ?? null),
      // Page domains are of operators, whose stores are on PostgreSQL only.
      overviewFacts: (id) => Effect.map(get(id), ({ plan }) => ({ plan: plans[plan], pageDomain: null })),
      lock: (id) => Effect.andThen(Transaction, get(id)),
      apply: (change) => applyWorkspace(db, ids, change),
      findKey: Effect.fnUntraced(function* (hash, at) {
        const isSame = (row: ApiKey) => isLive(row, at.epochMilliseconds) && Equal.equals(row.hash, hash)
        const key = yield* firstWith(apiKeys, isSame, "API key")
        return { key, workspace: yield* get(key.workspaceId) }
      }),
      addKey: (key) => Effect.andThen(Transaction, db.put(apiKeys, null, key.id, key)),
      revokeKey: (id, key, at) => updateKey(id, key, (row) => ({ ...row, revokedAt: row.revokedAt ?? at })),
      touchKey: (id, key, at) =>
        updateKey(id, key, (row) => ({
          ...row,
          lastUsedAt: row.lastUsedAt === null ? at : DateTime.max(row.lastUsedAt, at),
        })).pipe(Effect.catchTag("NotFound", () => Effect.void)),

      domains: (id) => Effect.map(db.all(sendingDomains, id), (rows) => rows.toSorted(byAge)),
      putDomain: (id, domain) => Effect.andThen(Transaction, db.put(sendingDomains, id, domain.id, domain)),
      removeDomain: Effect.fnUntraced(function* (id, domain) {
        yield* Transaction
        yield* db.get(sendingDomains, id, domain, "sending domain")
        yield* db.remove(sendingDomains, id, domain)
      }),
    })
  }),
)
