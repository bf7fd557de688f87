// `AuditLog` on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import { type AuditEntry, type AuditEvent, AuditLog } from "@tentpole/core/kernel/changes/AuditLog"
import { Ids } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { texts } from "./Arrays.ts"
import { fromRow, type RowOf } from "./Instants.ts"
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

const columns = `entry_id as id, at, actor, workspace_id as "workspaceId", action, target, details`

export const layer = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const ids = yield* Ids
    return AuditLog.of({
      append: (events) => Effect.andThen(Transaction, orDefect(appendAudit(sql, ids, events))),
      list: (query) =>
        orDefect(
          newestRows<RowOf<AuditEntry>>(sql, query, {
            columns,
            from: "audit_entry",
            where: query.workspaceId === null ? sql`true` : sql`workspace_id = ${query.workspaceId}`,
            at: "at",
            id: "entry_id",
          }),
        ).pipe(
          Effect.map((rows) =>
            sliced(rows.map(fromRow<AuditEntry>), query.limit, ({ at, id }) => ({ at: at.epochMilliseconds, id })),
          ),
        ),
    })
  }),
)
