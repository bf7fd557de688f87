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

/** The name that a user, a key or a workspace has now. */
const targetName = `case split_part(e.action, '.', 1)
  when 'key' then (select k.name from api_key k where k.workspace_id = e.workspace_id and k.key_id = ${idIn("e.target")})
  when 'workspace' then (select w.name from workspace w where w.workspace_id = e.workspace_id and w.deleted_at is null)
  else (select u.name from app_user u where u.user_id = ${idIn("e.target")}) end as "targetName"`

interface Name {
  readonly id: string
  readonly name: string
}

/** The names of things of one workspace, whose tables are fenced to it. */
const namesOf = (sql: PgClient.PgClient, workspace: WorkspaceId, ids: ReadonlyArray<string>) => {
  const [own, wanted] = [sql`workspace_id = ${workspace}`, sql`${texts(ids)}::uuid[]`]
  return sql<Name>`
    select blast_id as id, name from blast where ${own} and blast_id = any(${wanted})
    union all select email_id, name from email where ${own} and email_id = any(${wanted})
    union all select flow_id, name from flow where ${own} and flow_id = any(${wanted})
    union all select tent_id, name from tent where ${own} and tent_id = any(${wanted})`
}

const isOwn = /^(?:blast|email|flow|tent)\./
const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

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
    /** Reads each workspace of the entries: at most one for each entry of a page. */
    const named = Effect.fnUntraced(function* (entries: ReadonlyArray<NamedAuditEntry>) {
      const things = entries.filter(({ action, target }) => isOwn.test(action) && isId.test(target))
      const names = new Map<string, string>()
      for (const workspace of new Set(things.map(({ workspaceId }) => workspaceId))) {
        if (workspace === null) continue
        const its = things.filter(({ workspaceId }) => workspaceId === workspace).map(({ target }) => target)
        for (const { id, name } of yield* within(workspace, namesOf(sql, workspace, its))) names.set(id, name)
      }
      return entries.map((entry) => ({ ...entry, targetName: names.get(entry.target) ?? entry.targetName }))
    })
    return AuditLog.of({
      append: (events) => Effect.andThen(Transaction, orDefect(appendAudit(sql, ids, events))),
      list: (query) =>
        orDefect(
          newestRows<RowOf<NamedAuditEntry>>(sql, query, {
            columns: sql.literal(`${columns}, ${targetName}`),
            from: "audit_entry e",
            where: conditionsOf(sql, query),
            at: "e.at",
            id: "e.entry_id",
          }),
        ).pipe(
          Effect.flatMap((rows) => named(rows.map(fromRow<NamedAuditEntry>))),
          Effect.map((entries) => sliced(entries, query.limit, ({ at, id }) => ({ at: at.epochMilliseconds, id }))),
        ),
    })
  }),
)
