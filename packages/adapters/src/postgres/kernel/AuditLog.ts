// `AuditLog` on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import { type AuditAction, type AuditEvent, AuditLog, type AuditQuery } from "@tentpole/core/kernel/changes/AuditLog"
import { AuditEntryId, Ids, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { texts } from "./Arrays.ts"
import { orDefect } from "./Postgres.ts"
import { sliced } from "./Slices.ts"

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

interface EntryRow {
  readonly entry_id: string
  readonly at: Date
  readonly actor: string
  readonly workspace_id: string
  readonly action: AuditAction
  readonly target: string
  readonly details: Readonly<Record<string, unknown>>
}

const entries = (sql: PgClient.PgClient, { after, limit, workspaceId }: AuditQuery) => {
  const conditions = [sql`true`]
  if (workspaceId !== null) conditions.push(sql`workspace_id = ${workspaceId}`)
  if (after !== null) {
    const at = DateTime.formatIso(DateTime.makeUnsafe(after.at))
    conditions.push(sql`(at < ${at} or (at = ${at} and entry_id > ${after.id}))`)
  }
  return sql<EntryRow>`
    select entry_id, at, actor, workspace_id, action, target, details from audit_entry
    where ${sql.and(conditions)} order by at desc, entry_id limit ${limit + 1}`
}

export const layer = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const ids = yield* Ids
    return AuditLog.of({
      append: (events) => Effect.andThen(Transaction, orDefect(appendAudit(sql, ids, events))),
      list: (query) =>
        orDefect(entries(sql, query)).pipe(
          Effect.map((rows) =>
            sliced(
              rows.map((row) => ({
                id: AuditEntryId.make(row.entry_id),
                at: DateTime.makeUnsafe(row.at),
                actor: row.actor,
                workspaceId: WorkspaceId.make(row.workspace_id),
                action: row.action,
                target: row.target,
                details: row.details,
              })),
              query.limit,
              ({ at, id }) => ({ at: at.epochMilliseconds, id }),
            ),
          ),
        ),
    })
  }),
)
