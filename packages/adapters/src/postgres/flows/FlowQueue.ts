// `FlowQueue` on PostgreSQL: a `due_work` row for each workspace and kind of work has the time of the next turn. A transaction that
// creates work inserts a hint (`hint_due`), which a worker moves to that row after the commit: no work is overlooked, and no
// transaction waits. Rows of workspaces with nothing due are not read.
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
import { Outbox } from "@tentpole/core/kernel/changes/Outbox"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { datedContacts } from "./DatedContacts.ts"
import { earliestDue } from "./MembershipLocks.ts"
import { FlowReader } from "./MembershipRows.ts"
import { fencedWrites, orDefect, Reads } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

/** Hints that one call moves to `due_work`. */
const hints_max = 10_000

/**
 * Moves hints to `due_work`, so that their workspaces have turns. A hint whose workspace another transaction has locked waits for
 * the next call.
 */
const readHints = (sql: Sql) => sql`
  with hint as materialized (
    select position, kind, workspace_id from due_hint
    order by position
    limit ${hints_max}
    for update skip locked),
  work as materialized (
    select kind, workspace_id from due_work
    where (kind, workspace_id) in (select kind, workspace_id from hint)
    for no key update skip locked),
  read as (
    delete from due_hint h using hint
    where h.position = hint.position and ((hint.kind, hint.workspace_id) in (select kind, workspace_id from work)
      or not exists (select from due_work w where w.kind = hint.kind and w.workspace_id = hint.workspace_id))
    returning h.kind, h.workspace_id, h.due_at)
  update due_work w set due_at = least(w.due_at, earliest.due_at), token = w.token + 1
  from (select kind, workspace_id, min(due_at) as due_at from read group by kind, workspace_id) as earliest
  where w.kind = earliest.kind and w.workspace_id = earliest.workspace_id`

/** The subselect lets the index find what is due: as a volatile function, the clock would be compared with every row. */
const takeDue = (sql: Sql, limit: number, turn_ms: number) =>
  Effect.map(
    sql<Turn & { readonly wasDueAt: Date }>`
      with turn as materialized (
        select kind, workspace_id, due_at from due_work
        where kind = any(${texts(flowWork)}::text[]) and due_at <= (select clock_timestamp())
        order by due_at
        limit ${limit}
        for update skip locked)
      update due_work d set due_at = clock_timestamp() + make_interval(secs => ${turn_ms / 1000}), token = d.token + 1
      from turn where d.kind = turn.kind and d.workspace_id = turn.workspace_id
      returning d.kind, d.workspace_id as workspace, d.token::text as token, turn.due_at as "wasDueAt"`,
    (rows) =>
      [...rows]
        .sort((left, right) => left.wasDueAt.getTime() - right.wasDueAt.getTime())
        .map(({ kind, token, workspace }): Turn => ({ kind, token, workspace })),
  )

/** The delay after a turn that could not do work that is due, because another transaction has locked it. */
const locked_delay_s = 0.25

/**
 * Skips the row while another transaction has locked it, and changes nothing after a hint or another turn: it is then due when the
 * time of the turn is over, or earlier.
 */
const reschedule = Effect.fnUntraced(function* (sql: Sql, { kind, token, workspace }: Turn, more: boolean) {
  const next = more
    ? sql`clock_timestamp()`
    : sql`greatest(coalesce((${nextOf(sql, kind, workspace)}), 'infinity'),
        clock_timestamp() + make_interval(secs => ${locked_delay_s}))`
  yield* sql`
    update due_work w set due_at = ${next}
    from (select kind, workspace_id from due_work
      where kind = ${kind} and workspace_id = ${workspace} and token = ${token}::bigint for update skip locked) as locked
    where w.kind = locked.kind and w.workspace_id = locked.workspace_id`
})

/** The time of the next work, or of work that is left over, as SQL; null: none. */
const nextOf = (sql: Sql, kind: FlowWork, workspace: WorkspaceId) => {
  switch (kind) {
    case "flows":
      return sql`
        with recursive ${earliestDue(sql, workspace)}
        select min(e.due_at)
        from earliest e join flow f on f.workspace_id = ${workspace} and f.flow_id = e.flow_id and f.status <> 'paused'`
    case "flow_events":
      return sql`
        select clock_timestamp() from outbox_consumer c
        where c.workspace_id = ${workspace} and c.consumer = ${flow_consumer} and exists (
          select from outbox_event e where e.workspace_id = ${workspace} and e.position > c.position)`
    case "flow_dates":
      return sql`
        select date_bin('30 minutes', c.dates_until, 'epoch') + interval '30 minutes' from flow_clock c
        where c.workspace_id = ${workspace} and exists (select from flow f where ${hasActiveDates(sql, workspace)})`
  }
}

const hasActiveDates = (sql: Sql, workspace: WorkspaceId) =>
  sql`f.workspace_id = ${workspace} and f.status = 'active' and f.structure @> '{"triggers": [{"type": "date_based"}]}'`

const newEvents = (sql: Sql, outbox: Outbox["Service"], reader: FlowReader, workspace: WorkspaceId, limit: number) =>
  Effect.gen(function* () {
    const locked = yield* sql`
      select 1 from outbox_consumer
      where workspace_id = ${workspace} and consumer = ${flow_consumer} for update skip locked`
    if (locked.length === 0) return null
    const events = yield* outbox.read(workspace, flow_consumer, limit)
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
      takeTurns: ({ limit, turn_ms }) =>
        Effect.andThen(Transaction, orDefect(Effect.andThen(readHints(sql), takeDue(sql, limit, turn_ms)))),
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
