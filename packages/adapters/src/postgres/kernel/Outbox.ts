// `Outbox` on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type DomainEvent, Outbox, type RecordedEvent } from "@tentpole/core/kernel/changes/Outbox"
import { DateTime, Effect, Layer } from "effect"
import { texts } from "./Arrays.ts"
import { fromRow, type RowOf } from "./Instants.ts"
import { fenced, fencedWrites } from "./Postgres.ts"

/** Appends events in one statement, in the caller's fence. Stores call it with the events of their changes. */
export const appendEvents = (sql: PgClient.PgClient, workspace: WorkspaceId, events: ReadonlyArray<DomainEvent>) =>
  events.length === 0
    ? Effect.void
    : Effect.asVoid(sql`
        insert into outbox_event (workspace_id, type, contact_id, at, data)
        select ${workspace}, * from unnest(${texts(events.map((event) => event.type))}::text[],
          ${texts(events.map((event) => event.contactId))}::uuid[], ${texts(events.map((event) => DateTime.formatIso(event.at)))}::timestamptz[],
          ${texts(events.map((event) => JSON.stringify(event.data)))}::jsonb[])`)

export const layer = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)
    const write = fencedWrites(sql)
    return Outbox.of({
      append: (workspace, events) => write(workspace, appendEvents(sql, workspace, events)),
      read: (workspace, consumer, limit) =>
        within(
          workspace,
          sql<RowOf<RecordedEvent>>`
            select e.transaction_id || '.' || e.position as position, e.type, e.contact_id as "contactId", e.at, e.data
            from outbox_event e
            left join outbox_consumer c on c.workspace_id = e.workspace_id and c.consumer = ${consumer}
            where e.workspace_id = ${workspace}
              and e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
              and (c.consumer is null or (e.transaction_id, e.position) > (c.transaction_id, c.position))
            order by e.transaction_id, e.position
            limit ${limit}`,
        ).pipe(Effect.map((rows) => rows.map(fromRow<RecordedEvent>))),
      advance: (workspace, consumer, position) => {
        const [transaction_id = "0", at = "0"] = position.split(".")
        return write(
          workspace,
          sql`
            insert into outbox_consumer as c (workspace_id, consumer, transaction_id, position)
            values (${workspace}, ${consumer}, ${transaction_id}::text::xid8, ${at}::text::bigint)
            on conflict (workspace_id, consumer) do update
              set transaction_id = excluded.transaction_id, position = excluded.position
              where (c.transaction_id, c.position) < (excluded.transaction_id, excluded.position)`,
        )
      },
      delete: (workspace, days) =>
        write(
          workspace,
          sql`delete from outbox_event where workspace_id = ${workspace}
            and recorded_at < now() - make_interval(days => ${days}) returning 1`,
        ).pipe(Effect.map((rows) => rows.length)),
    })
  }),
)
