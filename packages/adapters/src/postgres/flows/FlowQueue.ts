// `FlowQueue` on PostgreSQL: a `due_work` row for each workspace and kind of work. A turn that finds nothing delays the next
// one, up to a minute. A transaction that creates work gives a hint, which never waits for a lock (`hint_due`).
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

const takeTurns = (sql: Sql, limit: number, turn_ms: number) =>
  Effect.map(
    sql<Turn & { readonly wasDueAt: Date }>`
      with turn as materialized (
        select kind, workspace_id, due_at from due_work
        where kind = any(${texts(flowWork)}::text[]) and due_at <= clock_timestamp()
        order by due_at
        limit ${limit}
        for update skip locked)
      update due_work d set due_at = clock_timestamp() + make_interval(secs => ${turn_ms / 1000}), looks = looks + 1
      from turn where d.kind = turn.kind and d.workspace_id = turn.workspace_id
      returning d.kind, d.workspace_id as workspace, turn.due_at as "wasDueAt"`,
    (rows) =>
      [...rows]
        .sort((left, right) => left.wasDueAt.getTime() - right.wasDueAt.getTime())
        .map(({ kind, workspace }): Turn => ({ kind, workspace })),
  )

/** The delay after the first turn that finds nothing, and the longest delay. */
const delay_first_s = 0.25
const delay_max_s = 60

/**
 * Skips the row while a hint is being written to it: the turn ends soon anyway. A hint since the turn began has reset `looks`
 * to 0, and the next turn follows at once.
 */
const reschedule = Effect.fnUntraced(function* (sql: Sql, { kind, workspace }: Turn, more: boolean) {
  const next = more ? sql`clock_timestamp()` : yield* nextOf(sql, kind, workspace)
  yield* sql`
    update due_work w
    set due_at = case when w.looks = 0 then clock_timestamp() else least(${next},
      clock_timestamp() + make_interval(secs => least(${delay_max_s}::float8, ${delay_first_s}::float8 * 2 ^ least(w.looks - 1, 16)))) end
    from (select kind, workspace_id from due_work
      where kind = ${kind} and workspace_id = ${workspace} for update skip locked) as locked
    where w.kind = locked.kind and w.workspace_id = locked.workspace_id`
})

/** The time of the next work that no event announces, as SQL; null: none. */
const nextOf = Effect.fnUntraced(function* (sql: Sql, kind: FlowWork, workspace: WorkspaceId) {
  switch (kind) {
    case "flows": {
      const [row] = yield* sql<{ readonly next: string | null }>`
        with recursive ${earliestDue(sql, workspace)}
        select min(e.due_at)::text as next
        from earliest e join flow f on f.workspace_id = ${workspace} and f.flow_id = e.flow_id and f.status <> 'paused'`
      return sql`${row?.next ?? null}::timestamptz`
    }
    case "flow_events":
      return sql`null::timestamptz`
    case "flow_dates":
      return sql`date_bin('30 minutes', clock_timestamp(), 'epoch') + interval '30 minutes'`
  }
})

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
  const flows = yield* reader.read(
    sql,
    workspace,
    sql`where f.workspace_id = ${workspace} and f.status = 'active' and f.structure @> '{"triggers": [{"type": "date_based"}]}'
      order by f.flow_id`,
  )
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
      takeTurns: ({ limit, turn_ms }) => Effect.andThen(Transaction, orDefect(takeTurns(sql, limit, turn_ms))),
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
