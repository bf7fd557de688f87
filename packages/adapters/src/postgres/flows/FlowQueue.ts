// `FlowQueue` on PostgreSQL: a `due_work` row for each workspace and kind of work has the time of the next turn.
import { PgClient } from "@effect/sql-pg"
import {
  type DatedContact,
  flow_consumer,
  FlowQueue,
  flowWork,
  type FlowWork,
  type EventBatch,
  type PendingDates,
  type Turn,
} from "@tentpole/core/flows/engine/FlowQueue"
import type { ContactId, FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Outbox, type RecordedEvent } from "@tentpole/core/kernel/changes/Outbox"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { mergedContacts } from "../contacts/ContactMerge.ts"
import { texts } from "../kernel/Arrays.ts"
import { endTurn, takeTurns } from "../kernel/DueWork.ts"
import { datedContacts } from "./DatedContacts.ts"
import { earliestDue } from "./MembershipLocks.ts"
import { FlowReader } from "./MembershipRows.ts"
import { fencedWrites, orDefect, Reads, transactionTime } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

/** The delay after a turn that could not do work that is due, because another transaction has locked it. */
const locked_delay_s = 0.25

const reschedule = (sql: Sql, turn: Turn, more: boolean) =>
  Effect.flatMap(transactionTime(sql), (now) =>
    endTurn(
      sql,
      turn,
      more
        ? now
        : sql`greatest(coalesce((${nextOf(sql, turn.kind, turn.workspace, now)}), 'infinity'),
            ${now} + make_interval(secs => ${locked_delay_s}))`,
    ),
  )

/** The time of the next work, or of work that is left over, as SQL; null: none. */
const nextOf = (sql: Sql, kind: FlowWork, workspace: WorkspaceId, now: Statement.Fragment) => {
  switch (kind) {
    case "flows":
      return sql`
        with recursive ${earliestDue(sql, workspace)}
        select min(e.due_at)
        from earliest e join flow f on f.workspace_id = ${workspace} and f.flow_id = e.flow_id and f.status <> 'paused'`
    case "flow_events":
      return sql`
        select ${now} from outbox_consumer c
        where c.workspace_id = ${workspace} and c.consumer = ${flow_consumer} and exists (
          select 1 from outbox_event e where e.workspace_id = ${workspace} and e.position > c.position)`
    case "flow_dates":
      return sql`
        select date_bin('30 minutes', c.dates_until, 'epoch') + interval '30 minutes' from flow_clock c
        where c.workspace_id = ${workspace} and exists (select from flow f where ${hasActiveDates(sql, workspace)})`
  }
}

const hasActiveDates = (sql: Sql, workspace: WorkspaceId) =>
  sql`f.workspace_id = ${workspace} and f.status = 'active' and f.structure @> '{"triggers": [{"type": "date_based"}]}'`

/** What happened to a merged contact counts for the one that it was merged into. */
const ofCurrentContacts = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  events: ReadonlyArray<RecordedEvent>,
) {
  const ids = new Set(events.flatMap(({ contactId }) => (contactId === null ? [] : [contactId])))
  if (ids.size === 0) return events
  const merged = yield* mergedContacts(sql, workspace, [...ids])
  if (merged.size === 0) return events
  return events.map((event) => {
    const current = event.contactId === null ? undefined : merged.get(event.contactId)
    return current === undefined ? event : { ...event, contactId: current }
  })
})

const newEvents = (sql: Sql, outbox: Outbox["Service"], reader: FlowReader, workspace: WorkspaceId, limit: number) =>
  Effect.gen(function* () {
    const locked = yield* sql`
      select 1 from outbox_consumer
      where workspace_id = ${workspace} and consumer = ${flow_consumer} for update skip locked`
    if (locked.length === 0) return null
    const read = yield* outbox.read(workspace, flow_consumer, limit)
    const events = yield* ofCurrentContacts(sql, workspace, read)
    const flows = yield* reader.read(
      sql,
      workspace,
      sql`where f.workspace_id = ${workspace} and f.status in ('active', 'paused') order by f.flow_id`,
    )
    const activations = yield* sql<{ readonly id: FlowId; readonly after: string }>`
      select flow_id as id, activated_after::text as after from flow
      where workspace_id = ${workspace} and status = 'active'`
    const since = new Map(activations.map(({ id, after }) => [id, BigInt(after)]))
    const result: EventBatch = {
      events,
      flows: [...flows.values()],
      isSince: ({ position }, flow) => {
        const activated = since.get(flow)
        return activated !== undefined && BigInt(position) > activated
      },
    }
    return result
  })

const passedDates = Effect.fnUntraced(function* (sql: Sql, reader: FlowReader, workspace: WorkspaceId) {
  const [clock] = yield* sql<{ readonly now: Date; readonly after: Date | null }>`
    select date_trunc('milliseconds', clock_timestamp()) as now,
      (select dates_until from flow_clock where workspace_id = ${workspace}) as after`
  const until = DateTime.makeUnsafe(clock?.now ?? 0)
  const flows = yield* reader.read(sql, workspace, sql`where ${hasActiveDates(sql, workspace)} order by f.flow_id`)
  const pending: PendingDates = {
    after: clock?.after == null ? until : DateTime.makeUnsafe(clock.after),
    until,
    flows: [...flows.values()],
  }
  return pending
})

const fire = (
  sql: Sql,
  workspace: WorkspaceId,
  { contacts, day, flow }: { readonly flow: FlowId; readonly day: string; readonly contacts: ReadonlyArray<ContactId> },
) =>
  contacts.length === 0
    ? Effect.succeed(new Set<ContactId>())
    : Effect.map(
        sql<{ readonly id: ContactId }>`
          insert into flow_date_fired (workspace_id, flow_id, contact_id, day)
          select ${workspace}, ${flow}, contact_id, ${day}::text::date from unnest(${texts(contacts)}::uuid[]) as g (contact_id)
          order by contact_id
          on conflict do nothing
          returning contact_id as id`,
        (rows) => new Set(rows.map(({ id }) => id)),
      )

export const layer = Layer.effect(
  FlowQueue,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const outbox = yield* Outbox
    const { within } = yield* Reads
    const write = fencedWrites(sql)
    const reader = new FlowReader()
    return FlowQueue.of({
      takeTurns: (options) => Effect.andThen(Transaction, orDefect(takeTurns(sql, flowWork, options))),
      endTurn: (turn, more) => write(turn.workspace, reschedule(sql, turn, more)),
      newEvents: (workspace, limit) => write(workspace, newEvents(sql, outbox, reader, workspace, limit)),
      pendingDates: (workspace) => within(workspace, passedDates(sql, reader, workspace)),
      listDatedContacts: (workspace, query): Effect.Effect<ReadonlyArray<DatedContact>> =>
        within(workspace, datedContacts(sql, workspace, query)),
      recordFired: (workspace, fired) => write(workspace, fire(sql, workspace, fired)),
      completeDates: (workspace, until) =>
        Effect.asVoid(
          write(
            workspace,
            sql`
              insert into flow_clock as c (workspace_id, dates_until) values (${workspace}, ${DateTime.formatIso(until)})
              on conflict (workspace_id) do update set dates_until = greatest(c.dates_until, excluded.dates_until)`,
          ),
        ),
    })
  }),
)
