// The store of operator queries in memory.
import {
  AdministrationStore,
  type SliceQuery,
  type Suppression,
} from "@tentpole/core/operations/administration/AdministrationStore"
import { type PageDomain, PageDomainTaken } from "@tentpole/core/workspaces/PageDomain"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { type DateTime, Effect, Layer } from "effect"
import { blasts, suppressions, type SuppressionRow } from "../sending/DeliveryTables.ts"
import { MemoryDatabase } from "../kernel/MemoryDatabase.ts"
import { newest } from "../kernel/Slices.ts"
import { suppress } from "../sending/Suppressions.ts"
import { apiKeys, pageHosts, sendingDomains, workspaces } from "../workspaces/WorkspaceStore.ts"

const byAge = (item: { readonly id: string; readonly createdAt: DateTime.Utc }) => ({
  at: item.createdAt.epochMilliseconds,
  id: item.id,
})

const toSuppression = ({ createdAt, emailNormalized, reason }: SuppressionRow): Suppression => ({
  email: emailNormalized,
  reason,
  createdAt,
})

const found = <Row>(row: Row | undefined, resource: string): Effect.Effect<Row, NotFound> =>
  row === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(row)

export const layer = Layer.effect(
  AdministrationStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase

    const hostsOf = (workspace: WorkspaceId) =>
      Effect.map(db.all(pageHosts, null), (rows) => rows.filter((row) => row.workspaceId === workspace))

    const keysOf = (workspace: WorkspaceId) =>
      Effect.map(db.all(apiKeys, null), (rows) => rows.filter((row) => row.workspaceId === workspace))

    const addPageDomain = Effect.fnUntraced(function* (workspaceId: WorkspaceId, domain: PageDomain) {
      yield* Transaction
      if ((yield* db.find(pageHosts, null, domain.domain)) !== undefined) {
        return yield* new PageDomainTaken({ domain: domain.domain })
      }
      yield* db.put(pageHosts, null, domain.domain, { workspaceId, domain })
    })

    const retire = Effect.fnUntraced(function* (workspace: WorkspaceId) {
      yield* Transaction
      yield* Effect.flatMap(db.find(workspaces, null, workspace), (row) => found(row, "workspace"))
      yield* db.remove(workspaces, null, workspace)
      for (const { id } of yield* keysOf(workspace)) yield* db.remove(apiKeys, null, id)
      for (const { domain } of yield* hostsOf(workspace)) yield* db.remove(pageHosts, null, domain.domain)
      for (const blast of yield* db.all(blasts, workspace)) {
        if (blast.status === "sending") yield* db.put(blasts, workspace, blast.id, { ...blast, paused: true })
      }
    })

    return AdministrationStore.of({
      workspaces: (query) => Effect.map(db.all(workspaces, null), (rows) => newest(rows, query, byAge)),
      keys: (workspace, query) => Effect.map(keysOf(workspace), (rows) => newest(rows, query, byAge)),
      domains: (workspace, query) =>
        Effect.map(db.all(sendingDomains, workspace), (rows) => newest(rows, query, byAge)),

      pageDomains: (workspace, query: SliceQuery) =>
        Effect.map(hostsOf(workspace), (rows) =>
          newest(
            rows.map(({ domain }) => domain),
            query,
            byAge,
          ),
        ),
      addPageDomain,
      removePageDomain: Effect.fnUntraced(function* (workspace, id) {
        yield* Transaction
        const row = (yield* hostsOf(workspace)).find(({ domain }) => domain.id === id)
        const { domain } = yield* found(row, "page domain")
        yield* db.remove(pageHosts, null, domain.domain)
        return domain
      }),

      suppressions: (workspace, query) =>
        Effect.map(db.all(suppressions, workspace), (rows) =>
          newest(rows.map(toSuppression), query, ({ createdAt, email }) => ({
            at: createdAt.epochMilliseconds,
            id: email,
          })),
        ),
      suppress: Effect.fnUntraced(function* (workspace, it) {
        yield* Transaction
        yield* suppress(db, workspace, it.email, it.reason, it.createdAt)
        const row = yield* db.find(suppressions, workspace, it.email)
        return row === undefined ? it : toSuppression(row)
      }),
      unsuppress: Effect.fnUntraced(function* (workspace, email) {
        yield* Transaction
        const row = yield* Effect.flatMap(db.find(suppressions, workspace, email), (each) => found(each, "suppression"))
        yield* db.remove(suppressions, workspace, email)
        return toSuppression(row)
      }),

      retire,
      erase: (workspace) => db.forget(workspace),
    })
  }),
)
