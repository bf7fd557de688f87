// `AuditLog` on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import {
  type AuditEvent,
  type AuditFilter,
  AuditLog,
  type NamedAuditEntry,
} from "@tentpole/core/kernel/changes/AuditLog"
import { Ids, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { texts } from "./Arrays.ts"
import { fromRow, iso, type RowOf } from "./Instants.ts"
import { orDefect, Reads } from "./Postgres.ts"
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

/** The id that a text has after `before`: of an actor, or of a target. */
const idIn = (text: string, before = ""): string =>
  `case when ${text} ~ '^${before}[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then substring(${text}, ${before.length + 1})::uuid end`

const columns = `e.entry_id as id, e.at, e.actor, e.workspace_id as "workspaceId", e.action, e.target, e.details,
  case when e.actor like 'key:%' then (
    select k.name from api_key k where k.workspace_id = e.workspace_id and k.prefix = substring(e.actor, 5) limit 1)
    else (select u.name from app_user u where u.user_id = ${idIn("e.actor", "user:")}) end as "actorName"`

/** Names of things of a workspace, by the first part of an action. Each table is fenced to the workspace. */
const ownNames = (sql: PgClient.PgClient, workspace: WorkspaceId, id: Statement.Fragment) => sql`
  when 'blast' then (select b.name from blast b where b.workspace_id = ${workspace} and b.blast_id = ${id})
  when 'email' then (select m.name from email m where m.workspace_id = ${workspace} and m.email_id = ${id})
  when 'flow' then (select f.name from flow f where f.workspace_id = ${workspace} and f.flow_id = ${id})
  when 'tent' then (select t.name from tent t where t.workspace_id = ${workspace} and t.tent_id = ${id})`

/** The name that the target of an entry has now. */
const targetName = (sql: PgClient.PgClient, workspace: WorkspaceId | undefined) => {
  const id = sql.literal(`(${idIn("e.target")})`)
  return sql`case split_part(e.action, '.', 1)
    when 'key' then (select k.name from api_key k where k.workspace_id = e.workspace_id and k.key_id = ${id})
    when 'workspace' then (select w.name from workspace w where w.workspace_id = e.workspace_id and w.deleted_at is null)
    ${workspace === undefined ? sql.literal("") : ownNames(sql, workspace, id)}
    else (select u.name from app_user u where u.user_id = ${id}) end as "targetName"`
}

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
    const { within } = yield* Reads
    return AuditLog.of({
      append: (events) => Effect.andThen(Transaction, orDefect(appendAudit(sql, ids, events))),
      list: (query) => {
        const rows = newestRows<RowOf<NamedAuditEntry>>(sql, query, {
          columns: sql`${sql.literal(columns)}, ${targetName(sql, query.workspaceId)}`,
          from: "audit_entry e",
          where: conditionsOf(sql, query),
          at: "e.at",
          id: "e.entry_id",
        })
        return (query.workspaceId === undefined ? orDefect(rows) : within(query.workspaceId, rows)).pipe(
          Effect.map((found) =>
            sliced(found.map(fromRow<NamedAuditEntry>), query.limit, ({ at, id }) => ({
              at: at.epochMilliseconds,
              id,
            })),
          ),
        )
      },
    })
  }),
)
