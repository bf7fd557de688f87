// `AuditLog` on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import {
  type AuditEvent,
  type AuditFilter,
  AuditLog,
  type NamedAuditEntry,
} from "@tentpole/core/kernel/changes/AuditLog"
import { Ids } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { texts } from "./Arrays.ts"
import { fromRow, iso, type RowOf } from "./Instants.ts"
import { orDefect } from "./Postgres.ts"
import { sliced } from "@tentpole/core/kernel/Page"
import { newestRows } from "./Slices.ts"

/** Inserts audit entries in the caller's transaction. Stores call it with the entries of their changes. */
export const appendAudit = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  ids: Ids["Service"],
  events: ReadonlyArray<AuditEvent>,
) {
  if (events.length === 0) return
  const actor = yield* Actor
  const at = DateTime.formatIso(yield* DateTime.now)
  yield* sql`
    insert into audit_entry (entry_id, at, actor, workspace_id, action, target, details)
    select e.entry_id, ${at}, ${actor}, e.workspace_id, e.action, e.target, e.details
    from unnest(${texts(yield* ids.many(events.length))}::uuid[], ${texts(events.map((each) => each.workspaceId))}::uuid[],
      ${texts(events.map(({ action }) => action))}::text[], ${texts(events.map(({ target }) => target))}::text[],
      ${texts(events.map(({ details }) => JSON.stringify(details)))}::jsonb[])
      as e (entry_id, workspace_id, action, target, details)`
})

/** The id of the user that a text names: of an actor, or of a target. */
const userIn = (text: string, before: string): string =>
  `case when ${text} ~ '^${before}[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then substring(${text}, ${before.length + 1})::uuid end`

const columns = `e.entry_id as id, e.at, e.actor, e.workspace_id as "workspaceId", e.action, e.target, e.details,
  case when e.actor like 'key:%' then (
    select k.name from api_key k where k.workspace_id = e.workspace_id and k.prefix = substring(e.actor, 5) limit 1)
    else (select u.name from app_user u where u.user_id = ${userIn("e.actor", "user:")}) end as "actorName",
  (select u.name from app_user u where u.user_id = ${userIn("e.target", "")}) as "targetName"`

const conditionsOf = (sql: PgClient.PgClient, { action, actor, from, to, workspaceId }: AuditFilter) =>
  sql.and([
    ...(workspaceId === undefined ? [] : [sql`e.workspace_id = ${workspaceId}`]),
    ...(actor === undefined ? [] : [sql`e.actor = ${actor}`]),
    ...(action === undefined ? [] : [sql`e.action = ${action}`]),
    ...(from === undefined ? [] : [sql`e.at >= ${iso(from)}`]),
    ...(to === undefined ? [] : [sql`e.at < ${iso(to)}`]),
  ])

export const layer = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const ids = yield* Ids
    return AuditLog.of({
      append: (events) => Effect.andThen(Transaction, orDefect(appendAudit(sql, ids, events))),
      list: (query) =>
        orDefect(
          newestRows<RowOf<NamedAuditEntry>>(sql, query, {
            columns,
            from: "audit_entry e",
            where: conditionsOf(sql, query),
            at: "e.at",
            id: "e.entry_id",
          }),
        ).pipe(
          Effect.map((rows) =>
            sliced(rows.map(fromRow<NamedAuditEntry>), query.limit, ({ at, id }) => ({ at: at.epochMilliseconds, id })),
          ),
        ),
    })
  }),
)
