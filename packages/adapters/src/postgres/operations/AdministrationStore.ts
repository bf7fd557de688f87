// `AdministrationStore` on PostgreSQL: queries and commands of operators.
import { PgClient } from "@effect/sql-pg"
import { AdministrationStore } from "@tentpole/core/operations/administration/AdministrationStore"
import type { ApiKey } from "@tentpole/core/workspaces/ApiKey"
import { type PageDomain, PageDomainTaken } from "@tentpole/core/workspaces/PageDomain"
import type { SendingDomain } from "@tentpole/core/workspaces/SendingDomain"
import type { PageDomainId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction, Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { type DateTime, Effect, Layer } from "effect"
import { erase } from "./Erasure.ts"
import { fromRow, iso, requireRow, type RowOf } from "../kernel/Instants.ts"
import { catchUnique, fencedWrites, orDefect, Reads } from "../kernel/Postgres.ts"
import { newestRows, slicedByAge } from "../kernel/Slices.ts"
import { notifySites } from "../tents/PageInvalidation.ts"
import {
  domainColumns,
  keyColumns,
  toWorkspace,
  workspaceColumns,
  type WorkspaceRow,
} from "../workspaces/WorkspaceStore.ts"

const pageDomainColumns = `page_domain_id as id, host as domain, created_at as "createdAt"`

const addPageDomain = (sql: PgClient.PgClient, workspace: WorkspaceId, { createdAt, domain, id }: PageDomain) =>
  Effect.gen(function* () {
    yield* Transaction
    const [taken] = yield* sql<{ id: PageDomainId }>`select page_domain_id as id from page_host where host = ${domain}`
    if (taken !== undefined) return yield* new PageDomainTaken({ domain, existingId: taken.id })
    yield* sql`
      insert into page_host (host, workspace_id, page_domain_id, created_at)
      values (${domain}, ${workspace}, ${id}, ${iso(createdAt)})`
    yield* notifySites(sql)
  }).pipe(catchUnique(new PageDomainTaken({ domain, existingId: null })), orDefect)

/** Marks a workspace as deleted. Its new slug frees the previous one and is no host of published pages. */
const retireWorkspace = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, at: DateTime.Utc) {
  yield* sql`
    update workspace set deleted_at = ${iso(at)}, slug = 'deleted-' || workspace_id
    where workspace_id = ${workspace} and deleted_at is null returning 1`.pipe(Effect.flatMap(requireRow("workspace")))
  yield* sql`delete from api_key where workspace_id = ${workspace}`
  yield* sql`delete from member where workspace_id = ${workspace}`
  yield* sql`delete from sign_in_link where workspace_id = ${workspace}`
  yield* sql`delete from page_host where workspace_id = ${workspace}`
  yield* notifySites(sql)
  yield* sql`delete from due_work where workspace_id = ${workspace}`
  // No intents are granted for a paused blast.
  yield* sql`update blast set paused = true where workspace_id = ${workspace} and status = 'sending' and not paused`
})

export const layer = Layer.effect(
  AdministrationStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { transact } = yield* Transactor
    const { within } = yield* Reads
    const write = fencedWrites(sql)

    return AdministrationStore.of({
      workspaces: (query) =>
        orDefect(
          newestRows<WorkspaceRow>(sql, query, {
            columns: workspaceColumns,
            from: "workspace w",
            where: sql`w.deleted_at is null`,
            at: "w.created_at",
            id: "w.workspace_id",
          }),
        ).pipe(Effect.map((rows) => slicedByAge(rows.map(toWorkspace), query.limit))),
      keys: (workspace, query) =>
        orDefect(
          newestRows<RowOf<ApiKey>>(sql, query, {
            columns: keyColumns(),
            from: "api_key k",
            where: sql`k.workspace_id = ${workspace}`,
            at: "k.created_at",
            id: "k.key_id",
          }),
        ).pipe(Effect.map((rows) => slicedByAge(rows.map(fromRow<ApiKey>), query.limit))),
      domains: (workspace, query) =>
        within(
          workspace,
          newestRows<RowOf<SendingDomain>>(sql, query, {
            columns: domainColumns,
            from: "sending_domain",
            where: sql`workspace_id = ${workspace}`,
            at: "created_at",
            id: "domain_id",
          }),
        ).pipe(Effect.map((rows) => slicedByAge(rows.map(fromRow<SendingDomain>), query.limit))),

      pageDomains: (workspace, query) =>
        orDefect(
          newestRows<RowOf<PageDomain>>(sql, query, {
            columns: pageDomainColumns,
            from: "page_host",
            where: sql`workspace_id = ${workspace}`,
            at: "created_at",
            id: "page_domain_id",
          }),
        ).pipe(Effect.map((rows) => slicedByAge(rows.map(fromRow<PageDomain>), query.limit))),
      addPageDomain: (workspace, domain) => addPageDomain(sql, workspace, domain),
      removePageDomain: (workspace, id) =>
        Effect.andThen(
          Transaction,
          orDefect(sql<RowOf<PageDomain>>`
            delete from page_host where workspace_id = ${workspace} and page_domain_id = ${id}
            returning ${sql.literal(pageDomainColumns)}`),
        ).pipe(
          Effect.tap(orDefect(notifySites(sql))),
          Effect.flatMap(requireRow("page domain")),
          Effect.map(fromRow<PageDomain>),
        ),

      retire: (workspace, at) => write(workspace, retireWorkspace(sql, workspace, at)),
      erase: (workspace) => erase(sql, transact, workspace),
    })
  }),
)
