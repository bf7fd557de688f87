// `Outbox` on PostgreSQL. A transaction collects its events; the transactor writes them just before the commit.
import { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type DomainEvent, Outbox, type RecordedEvent } from "@tentpole/core/kernel/changes/Outbox"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Context, DateTime, Effect, Layer } from "effect"
import type { SqlError, Statement } from "effect/sql"
import { homeOf } from "../citus/Home.ts"
import { fromRow, type RowOf } from "./Instants.ts"
import { Conflicted, fencedWrites, Reads, transactionTime } from "./Postgres.ts"

interface Subscription {
  readonly consumer: string
  /** Runs with the position of the last event, in the subscribing transaction. */
  readonly started: (position: string) => Effect.Effect<unknown, SqlError.SqlError>
}

/** What a transaction writes to the outbox of a workspace. */
interface Pending {
  readonly events: Array<EventJson>
  readonly subscriptions: Array<Subscription>
  /** Whether a statement returned no events because there was no consumer. */
  hasUnreadEvents: boolean
}

/** What the open transaction writes to the outbox just before its commit. */
export class PendingOutbox {
  readonly #pending = new Map<WorkspaceId, Pending>()

  of(workspace: WorkspaceId): Pending {
    const pending = this.#pending.get(workspace) ?? { events: [], subscriptions: [], hasUnreadEvents: false }
    this.#pending.set(workspace, pending)
    return pending
  }

  /** Takes over what a savepoint has collected. */
  add(inner: PendingOutbox): void {
    for (const [workspace, { events, hasUnreadEvents, subscriptions }] of inner.#pending) {
      const pending = this.of(workspace)
      for (const event of events) pending.events.push(event)
      pending.subscriptions.push(...subscriptions)
      pending.hasUnreadEvents ||= hasUnreadEvents
    }
  }

  /**
   * The last statements of a transaction: no transaction waits for another lock after those of the outbox. Workspaces are
   * locked in the order of their ids.
   */
  write(sql: PgClient.PgClient): Effect.Effect<void, never, Transaction> {
    return Effect.suspend(() => {
      const inOrder = [...this.#pending].sort(([left], [right]) => (left < right ? -1 : 1))
      return Effect.forEach(
        inOrder,
        ([workspace, pending]) => fencedWrites(sql)(workspace, writePending(sql, workspace, pending)),
        { discard: true },
      )
    })
  }
}

export const OpenOutbox = Context.Reference<PendingOutbox | undefined>("tentpole/postgres/OpenOutbox", {
  defaultValue: () => undefined,
})

const pendingOf = (workspace: WorkspaceId) =>
  Effect.flatMap(OpenOutbox, (open) =>
    open === undefined ? Effect.die("events are written by the transactor") : Effect.succeed(open.of(workspace)),
  )

const writePending = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  { events, hasUnreadEvents, subscriptions }: Pending,
) {
  for (const { consumer, started } of subscriptions) {
    const [row] = yield* sql<{
      readonly last: string
    }>`select outbox_subscribe(${workspace}, ${consumer})::text as last`
    yield* started(row?.last ?? "0")
  }
  if (events.length === 0 && !hasUnreadEvents) return
  // Events of a workspace without consumer are not sent to the database.
  const [row] = yield* sql<{ readonly found: boolean }>`select outbox_has_consumer(${workspace}) as found`
  if (row?.found !== true) return
  // The consumer was added after the statement. The next attempt finds it.
  if (hasUnreadEvents) return yield* Effect.die(new Conflicted("a consumer was added"))
  yield* append(sql, workspace, events, yield* transactionTime(sql))
})

const append = (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  events: ReadonlyArray<EventJson>,
  now: Statement.Fragment,
) => sql`
  with moved as (
    update outbox_stream set position = position + ${events.length}::int where workspace_id = ${workspace}
    returning position - ${events.length}::int as before
  ), written as (
    insert into outbox_event (workspace_id, position, type, contact_id, at, data)
    select home.workspace_id, moved.before + added.nth, added.event ->> 0, (added.event ->> 1)::uuid,
      (added.event ->> 2)::timestamptz, added.event -> 3
    from ${homeOf(sql, workspace)} cross join moved
      cross join jsonb_array_elements(${JSON.stringify(events)}::jsonb) with ordinality as added (event, nth)
    returning 1
  )
  -- flows and webhooks read events
  insert into due_hint (kind, workspace_id, due_at)
  select w.kind, w.workspace_id, ${now} from due_work w
  where w.workspace_id = ${workspace} and w.kind in ('flow_events', 'webhooks')`

/** An event as JSON: type, contact, instant, data. */
export type EventJson = readonly [string, DomainEvent["contactId"], string, DomainEvent["data"]]

/** Adds events to the open transaction. Stores call it with the events of their changes. */
export const appendEvents = (workspace: WorkspaceId, events: ReadonlyArray<DomainEvent>) =>
  appendJson(
    workspace,
    events.map(({ at, contactId, data, type }) => [type, contactId, DateTime.formatIso(at), data]),
  )

const appendJson = (workspace: WorkspaceId, events: ReadonlyArray<EventJson>) =>
  events.length === 0
    ? Effect.void
    : Effect.map(pendingOf(workspace), (pending) => {
        for (const event of events) pending.events.push(event)
      })

/** `events`, an array of `EventJson`, if the workspace has a consumer, else null. */
export const eventsIfRead = (sql: PgClient.PgClient, workspace: WorkspaceId, events: Statement.Fragment) => sql`
  case when exists (select 1 from outbox_consumer where workspace_id = ${workspace}) then ${events} end`

/** `appendEvents` for the result of `eventsIfRead`. If a consumer is added before the commit, the transaction is repeated. */
export const appendEventsIfRead = (workspace: WorkspaceId, events: ReadonlyArray<EventJson> | null) =>
  events === null
    ? Effect.map(pendingOf(workspace), (pending) => {
        pending.hasUnreadEvents = true
      })
    : appendJson(workspace, events)

/** Adds a consumer just before the commit of the open transaction. Does nothing for one that exists, except to run `started`. */
export const subscribe = (
  workspace: WorkspaceId,
  consumer: string,
  started: Subscription["started"] = () => Effect.void,
) => Effect.map(pendingOf(workspace), ({ subscriptions }) => void subscriptions.push({ consumer, started }))

/**
 * Removes a consumer in the open transaction. Without one, events are no longer written; a transaction that is about to commit may
 * still write some.
 */
export const unsubscribe = (sql: PgClient.PgClient, workspace: WorkspaceId, consumer: string) =>
  Effect.asVoid(sql`delete from outbox_consumer where workspace_id = ${workspace} and consumer = ${consumer}`)

export const layer = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { within } = yield* Reads
    const write = fencedWrites(sql)
    return Outbox.of({
      subscribe: (workspace, consumer) => Effect.andThen(Transaction, subscribe(workspace, consumer)),
      append: (workspace, events) => Effect.andThen(Transaction, appendEvents(workspace, events)),
      read: (workspace, consumer, limit) =>
        within(
          workspace,
          sql<RowOf<RecordedEvent>>`
            select e.position::text as position, e.type, e.contact_id as "contactId", e.at, e.data
            from outbox_event e
            where e.workspace_id = ${workspace} and e.position > (
              select c.position from outbox_consumer c where c.workspace_id = ${workspace} and c.consumer = ${consumer})
            order by e.position
            limit ${limit}`,
        ).pipe(Effect.map((rows) => rows.map(fromRow<RecordedEvent>))),
      advance: (workspace, consumer, position) =>
        write(
          workspace,
          sql`
            update outbox_consumer set position = ${position}::bigint
            where workspace_id = ${workspace} and consumer = ${consumer} and position < ${position}::bigint`,
        ),
    })
  }),
)
