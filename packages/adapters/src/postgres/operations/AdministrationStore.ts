// `AdministrationStore` on PostgreSQL: queries and commands of operators.
import { PgClient } from "@effect/sql-pg"
import {
  AdministrationStore,
  type SliceQuery,
  type Suppression,
} from "@tentpole/core/operations/administration/AdministrationStore"
import { type PageDomain, PageDomainTaken } from "@tentpole/core/workspaces/PageDomain"
import type { SuppressionReason } from "@tentpole/core/sending/Suppression"
import { PageDomainId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction, Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { erase } from "./Erasure.ts"
import { fenced, orDefect } from "../kernel/Postgres.ts"
import { sliced } from "../kernel/Slices.ts"
import { suppress } from "../sending/Suppressions.ts"
import {
  domainColumns,
  type DomainRow,
  keyColumns,
  type KeyRow,
  requireRow,
  toDomain,
  toKey,
  toWorkspace,
  workspaceColumns,
  type WorkspaceRow,
} from "../workspaces/WorkspaceStore.ts"

/** The condition for the rows after a cursor, newest first. */
const afterCursor = (sql: PgClient.PgClient, { after }: SliceQuery, at: string, id: string) => {
  if (after === null) return sql`true`
  const instant = DateTime.formatIso(DateTime.makeUnsafe(after.at))
  return sql`(${sql.literal(at)} < ${instant} or (${sql.literal(at)} = ${instant} and ${sql.literal(id)} > ${after.id}))`
}

const byAge = (item: { readonly id: string; readonly createdAt: DateTime.Utc }) => ({
  at: item.createdAt.epochMilliseconds,
  id: item.id,
})

interface HostRow {
  readonly page_domain_id: string
  readonly host: string
  readonly created_at: Date
}

const toPageDomain = (row: HostRow): PageDomain => ({
  id: PageDomainId.make(row.page_domain_id),
  domain: row.host,
  createdAt: DateTime.makeUnsafe(row.created_at),
})

interface SuppressionRow {
  readonly email_normalized: string
  readonly reason: SuppressionReason
  readonly created_at: Date
}

const toSuppression = (row: SuppressionRow): Suppression => ({
  email: row.email_normalized,
  reason: row.reason,
  createdAt: DateTime.makeUnsafe(row.created_at),
})

const addPageDomain = (sql: PgClient.PgClient, workspace: WorkspaceId, { createdAt, domain, id }: PageDomain) =>
  Effect.andThen(
    Transaction,
    sql`
      insert into page_host (host, workspace_id, page_domain_id, created_at)
      values (${domain}, ${workspace}, ${id}, ${DateTime.formatIso(createdAt)})`,
  ).pipe(
    Effect.asVoid,
    Effect.catchReason(
      "SqlError",
      "UniqueViolation",
      () => Effect.fail(new PageDomainTaken({ domain })),
      (_, error) => Effect.fail(error),
    ),
    orDefect,
  )

const suppressAddress = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, it: Suppression) {
  yield* suppress(sql, workspace, [{ emailNormalized: it.email, reason: it.reason, at: it.createdAt }])
  const rows = yield* sql<SuppressionRow>`
    select email_normalized, reason, created_at from suppression
    where workspace_id = ${workspace} and email_normalized = ${it.email}`
  return rows.map(toSuppression)[0] ?? it
})

/** Marks a workspace as deleted. Its new slug frees the previous one and is no host of published pages. */
const retireWorkspace = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, at: DateTime.Utc) {
  const rows = yield* sql`
    update workspace set deleted_at = ${DateTime.formatIso(at)}, slug = 'deleted-' || workspace_id
    where workspace_id = ${workspace} and deleted_at is null returning 1`
  yield* requireRow(rows, "workspace")
  yield* sql`delete from api_key where workspace_id = ${workspace}`
  yield* sql`delete from page_host where workspace_id = ${workspace}`
  yield* sql`delete from due_work where workspace_id = ${workspace}`
  // No intents are granted for a paused blast.
  yield* sql`update blast set paused = true where workspace_id = ${workspace} and status = 'sending' and not paused`
})

export const layer = Layer.effect(
  AdministrationStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { transact } = yield* Transactor
    const within = fenced(sql)

    return AdministrationStore.of({
      workspaces: (query) =>
        orDefect(sql<WorkspaceRow>`
          select ${sql.literal(workspaceColumns)} from workspace w
          where w.deleted_at is null and ${afterCursor(sql, query, "w.created_at", "w.workspace_id")}
          order by w.created_at desc, w.workspace_id limit ${query.limit + 1}`).pipe(
          Effect.map((rows) => sliced(rows.map(toWorkspace), query.limit, byAge)),
        ),
      keys: (workspace, query) =>
        orDefect(sql<KeyRow>`
          select ${sql.literal(keyColumns)} from api_key k
          where k.workspace_id = ${workspace} and ${afterCursor(sql, query, "k.created_at", "k.key_id")}
          order by k.created_at desc, k.key_id limit ${query.limit + 1}`).pipe(
          Effect.map((rows) => sliced(rows.map(toKey), query.limit, byAge)),
        ),
      domains: (workspace, query) =>
        within(
          workspace,
          sql<DomainRow>`
            select ${sql.literal(domainColumns)} from sending_domain
            where workspace_id = ${workspace} and ${afterCursor(sql, query, "created_at", "domain_id")}
            order by created_at desc, domain_id limit ${query.limit + 1}`,
        ).pipe(Effect.map((rows) => sliced(rows.map(toDomain), query.limit, byAge))),

      pageDomains: (workspace, query) =>
        orDefect(sql<HostRow>`
          select page_domain_id, host, created_at from page_host
          where workspace_id = ${workspace} and ${afterCursor(sql, query, "created_at", "page_domain_id")}
          order by created_at desc, page_domain_id limit ${query.limit + 1}`).pipe(
          Effect.map((rows) => sliced(rows.map(toPageDomain), query.limit, byAge)),
        ),
      addPageDomain: (workspace, domain) => addPageDomain(sql, workspace, domain),
      removePageDomain: (workspace, id) =>
        Effect.andThen(
          Transaction,
          orDefect(sql<HostRow>`
            delete from page_host where workspace_id = ${workspace} and page_domain_id = ${id}
            returning page_domain_id, host, created_at`),
        ).pipe(
          Effect.flatMap((rows) => requireRow(rows, "page domain")),
          Effect.map(toPageDomain),
        ),

      suppressions: (workspace, query) =>
        within(
          workspace,
          sql<SuppressionRow>`
            select email_normalized, reason, created_at from suppression
            where workspace_id = ${workspace} and ${afterCursor(sql, query, "created_at", 'email_normalized collate "C"')}
            order by created_at desc, email_normalized collate "C" limit ${query.limit + 1}`,
        ).pipe(
          Effect.map((rows) =>
            sliced(rows.map(toSuppression), query.limit, ({ createdAt, email }) => ({
              at: createdAt.epochMilliseconds,
              id: email,
            })),
          ),
        ),
      suppress: (workspace, it) => Effect.andThen(Transaction, within(workspace, suppressAddress(sql, workspace, it))),
      unsuppress: (workspace, email) =>
        Effect.andThen(
          Transaction,
          within(
            workspace,
            sql<SuppressionRow>`
              delete from suppression where workspace_id = ${workspace} and email_normalized = ${email}
              returning email_normalized, reason, created_at`,
          ),
        ).pipe(
          Effect.flatMap((rows) => requireRow(rows, "suppression")),
          Effect.map(toSuppression),
        ),

      retire: (workspace, at) => Effect.andThen(Transaction, within(workspace, retireWorkspace(sql, workspace, at))),
      erase: (workspace) => erase(sql, transact, workspace),
    })
  }),
)
