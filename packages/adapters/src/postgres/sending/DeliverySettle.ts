// Settlement on PostgreSQL: one statement writes the outcomes of many deliveries, the events, and what a hard bounce changes. It
// changes only rows whose fencing token still matches: rows of the queue, or unconfirmed deliveries, whose outcome is late.
// Outcomes that were written before are recognised, so a settlement may be repeated after a commit whose answer was lost.
import type { PgClient } from "@effect/sql-pg"
import type { Settlement } from "@tentpole/core/sending/Settlement"
import { DeliveryId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import { booleans, ints, texts } from "../kernel/Arrays.ts"
import { deliveryMetadata } from "../contacts/Timeline.ts"
import { makeMembersDue, type WrittenDelivery } from "../flows/FlowMessages.ts"
import { homeOf } from "../citus/Home.ts"
import { appendEventsIfRead, type EventJson, eventsIfRead } from "../kernel/Outbox.ts"
import { hintMessages } from "../messages/MessageArrivals.ts"
import { deletePassingContent } from "../messages/PassingContent.ts"
import { transactionTime } from "../kernel/Postgres.ts"
import { changeBetween, countChange, type CountedChange, countedColumns } from "./DeliveryCounters.ts"
import { suppressWornOut } from "./Suppressions.ts"

type Sql = PgClient.PgClient

interface IdRow {
  readonly delivery_id: string
}

/** A settlement whose row of the queue was written, but not its delivery. */
interface Taken {
  readonly id: string
  readonly handedOverAt: string | null
}

interface Written {
  /** Null: none. */
  readonly ids: ReadonlyArray<string> | null
  /** Null: none. */
  readonly left: ReadonlyArray<Taken> | null
  /** The single messages among them that have ended; null: none. */
  readonly singles: ReadonlyArray<string> | null
  /** The messages of flows among them; null: none. */
  readonly ofFlows: ReadonlyArray<WrittenDelivery> | null
  readonly events: ReadonlyArray<EventJson> | null
}

export const settle = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  settlements: ReadonlyArray<Settlement>,
) {
  if (settlements.length === 0) return []
  // In the order of their ids, as every transaction locks.
  const ordered = settlements.toSorted((left, right) => (left.id < right.id ? -1 : 1))
  const now = yield* transactionTime(sql)
  const { left, moved } = yield* write(sql, workspace, queuedSource(sql, workspace, ordered, now), ordered)
  const rare = ordered.filter(({ id }) => !moved.has(id))
  if (rare.length > 0) {
    const source = lockedSource(sql, workspace, rare, left)
    for (const id of (yield* write(sql, workspace, source, rare)).moved) moved.add(id)
  }
  const pauses_s = settlements.flatMap(({ ending, id, pause_s }) =>
    ending.state === "queued" && moved.has(id) ? [pause_s] : [],
  )
  // Single messages are tried again sooner than a workspace is looked at by itself.
  if (pauses_s.length > 0) yield* hintMessages(sql, workspace, Math.min(...pauses_s))
  const soft = settlements.filter(({ bounce, id }) => bounce === "soft" && moved.has(id))
  if (soft.length > 0) yield* suppressWornOut(sql, workspace, soft)
  const rest = settlements.filter((each) => !moved.has(each.id))
  if (rest.length === 0) return []
  const before = new Set((yield* writtenBefore(sql, workspace, rest)).map((row) => row.delivery_id))
  return rest.filter((each) => !before.has(each.id)).map((each) => DeliveryId.make(each.id))
})

const settlementRows = (sql: Sql, settlements: ReadonlyArray<Settlement>): Statement.Fragment => sql`
  unnest(${texts(settlements.map((each) => each.id))}::uuid[],
    ${texts(settlements.map((each) => String(each.token)))}::bigint[],
    ${texts(settlements.map((each) => each.ending.state))}::text[],
    ${texts(settlements.map((each) => reasonOf(each)))}::text[],
    ${texts(settlements.map((each) => each.reply))}::text[],
    ${texts(settlements.map((each) => DateTime.formatIso(each.at)))}::timestamptz[],
    ${booleans(settlements.map((each) => each.delivered))}::boolean[],
    ${texts(settlements.map((each) => each.bounce))}::text[],
    ${ints(settlements.map((each) => each.pause_s))}::int[])
    as g (id, token, state, reason, reply, at, delivered, bounce, pause_s)`

const reasonOf = ({ ending }: Settlement): string | null => {
  switch (ending.state) {
    case "failed":
      return ending.reason
    case "unconfirmed":
      return "unconfirmed"
    default:
      return null
  }
}

/** The part `taken` of a settlement: what is written to which delivery. */
interface Source {
  readonly taken: Statement.Fragment
  /** A condition on the delivery `d`. */
  readonly condition: string
  /** From the deliveries before to `moved`. */
  readonly change: CountedChange
}

/** The settlements whose claim is valid. Their rows of the queue are deleted, or are due again after a pause. */
const fromQueue = (
  sql: Sql,
  workspace: WorkspaceId,
  settlements: ReadonlyArray<Settlement>,
  now: Statement.Fragment,
) => {
  const ended = sql`
    delete from delivery_queue q using ${settlementRows(sql, settlements)}
    where q.workspace_id = ${workspace} and q.delivery_id = g.id and q.token = g.token
      and (q.state = 'handed_over' and g.state <> 'queued' or g.state = 'failed')
    returning g.*, q.handed_over_at`
  // Rare: most statements have no such part.
  if (!settlements.some(({ ending }) => ending.state === "queued")) return sql`taken as (${ended})`
  return sql`
    ended as (${ended}),
    requeued as (
      update delivery_queue q set state = 'queued', token = null, lease_until = null,
        due_at = to_timestamp(extract(epoch from ${now}) + g.pause_s)
      from ${settlementRows(sql, settlements)}
      where q.workspace_id = ${workspace} and q.delivery_id = g.id and q.token = g.token and g.state = 'queued'
      returning g.*, q.handed_over_at
    ),
    taken as (select * from ended union all select * from requeued)`
}

/**
 * Outcomes of claims. No lock shows the delivery before, and none is needed: it was queued. A delivery that a late report on an
 * earlier attempt has marked is left, if this could count the mark twice.
 */
const queuedSource = (
  sql: Sql,
  workspace: WorkspaceId,
  settlements: ReadonlyArray<Settlement>,
  now: Statement.Fragment,
): Source => {
  const ends = settlements.some(({ ending }) => ending.state === "failed" || ending.state === "unconfirmed")
  const marks = settlements.some(({ bounce, delivered }) => delivered || bounce === "hard")
  return {
    taken: fromQueue(sql, workspace, settlements, now),
    condition: marks ? "d.delivered_at is null and d.bounced_at is null" : "true",
    change: settledChange(ends, marks),
  }
}

const settledColumns = "delivery_id, blast_id, of_blast, domain, created_at, replied, sent_at"

/** From the queue to `moved`, with the events that the settlements may count. */
const settledChange = (ends: boolean, marks: boolean): CountedChange => {
  const events = [...(ends ? (["failed"] as const) : []), ...(marks ? (["delivered", "bounced"] as const) : [])]
  const before = events.map((event) => `, null::timestamptz as ${event}_at`).join("")
  const after = events.map((event) => `, ${event}_at`).join("")
  return {
    rows: `
      select -1 as n, ${settledColumns}, 'queued' as state, null as reason, was_deferred as deferred${before} from moved
      union all select 1, ${settledColumns}, state, reason, deferred${after} from moved`,
    events,
    ends,
    readdresses: false,
  }
}

/**
 * Late outcomes of unconfirmed deliveries, and deliveries that were left. After a late temporary refusal the outcome is known, but
 * the delivery was already counted as failed.
 */
const lockedSource = (
  sql: Sql,
  workspace: WorkspaceId,
  settlements: ReadonlyArray<Settlement>,
  left: ReadonlyArray<Taken>,
): Source => {
  const rows = settlementRows(sql, settlements)
  const ids = left.map(({ id }) => id)
  return {
    taken: sql`
      was as materialized (
        select * from (
          select ${sql.literal(countedColumns())}, d.handed_over_at
          from ${rows}
          join delivery d on d.workspace_id = ${workspace} and d.delivery_id = g.id
          where d.state = 'unconfirmed' and d.token = g.token and g.state <> 'unconfirmed'
            or d.state = 'queued' and d.delivery_id = any(${texts(ids)}::uuid[])
          order by g.id
          for update of d) as locked
      ),
      taken as materialized (
        select g.id, g.token, case when late.holds then 'failed' else g.state end as state,
          case when late.holds then 'temporarily_refused' else g.reason end as reason,
          g.reply, g.at, g.delivered, g.bounce, coalesce(l.handed_over_at, was.handed_over_at) as handed_over_at
        from ${rows}
        join was on was.delivery_id = g.id
        left join unnest(${texts(ids)}::uuid[], ${texts(left.map(({ handedOverAt }) => handedOverAt))}::timestamptz[])
          as l (id, handed_over_at) on l.id = g.id
        cross join lateral (select was.state = 'unconfirmed' and g.state = 'queued' as holds) as late
      )`,
    condition: "true",
    change: changeBetween("was", "moved"),
  }
}

/** The writes of hard bounces: the contacts' timelines and flags, and the suppressions. */
const bounceWrites = (sql: Sql, workspace: WorkspaceId) => sql`
  bounced_contacts as materialized (
    select uuid_v7() as id, contact_id, at, type, metadata from new_activities
    where type = 'email_bounced' and contact_id is not null
  ),
  timeline as (
    insert into activity (workspace_id, contact_id, at, activity_id, type, metadata)
    select home.workspace_id, contact_id, at, id, type, metadata from ${homeOf(sql, workspace)} cross join bounced_contacts
    returning 1
  ),
  invalid as (
    update contact c set marketing_email_invalid = true, updated_at = m.at
    from moved m
    where m.bounced and c.workspace_id = ${workspace} and c.contact_id = m.contact_id
      and c.email_normalized = m.email_normalized and not c.marketing_email_invalid
    returning c.contact_id, m.at
  ),
  suppressed as (
    insert into suppression as s (workspace_id, email_normalized, reason, created_at)
    select home.workspace_id, m.email_normalized, 'bounce', m.at
    from ${homeOf(sql, workspace)} cross join (
      select distinct on (email_normalized) email_normalized, at from moved where bounced and email_normalized is not null
      order by email_normalized) as m
    order by m.email_normalized
    on conflict (workspace_id, email_normalized) do update set reason = 'bounce', created_at = excluded.created_at
      where s.reason = 'unsubscribe'
  ),`

const flagEvents = (sql: Sql) => sql`
    union all
    select 'contact_updated', contact_id, at,
      '{"changes": [{"field": "marketing_email_invalid", "from": false, "to": true}]}'::jsonb
    from invalid`

/** A statement without hard bounces writes deliveries, whose times the timelines show, and events if they are read. */
const outcomes = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { change, condition, taken }: Source,
  bounces: boolean,
) {
  const [written] = yield* sql<Written>`
  with ${taken},
  moved as (
    update delivery d set
      state = g.state, reason = g.reason, attempts = d.attempts + (g.state = 'queued')::int,
      token = case when g.state = 'queued' then null else g.token end,
      handed_over_at = coalesce(g.handed_over_at, d.handed_over_at),
      smtp_reply = coalesce(g.reply, d.smtp_reply),
      failed_at = case when g.state in ('failed', 'unconfirmed') then coalesce(d.failed_at, g.at) end,
      sent_at = case when g.state = 'sent' then coalesce(d.sent_at, g.at) else d.sent_at end,
      delivered_at = case when g.state = 'sent' and g.delivered then coalesce(d.delivered_at, g.at) else d.delivered_at end,
      bounced_at = case when g.bounce = 'hard' then coalesce(d.bounced_at, g.at) else d.bounced_at end,
      bounce_kind = coalesce(g.bounce, d.bounce_kind)
    from taken g
    where d.workspace_id = ${workspace} and d.delivery_id = g.id
      and ${sql.literal(condition)}
    returning d.flow_id, d.membership_id, d.visit, d.step_id, d.message, d.topic_id, d.contact_id, d.contact_deleted, d.email_normalized, d.smtp_reply,
      g.at, g.delivered, g.bounce is not distinct from 'hard' as bounced,
      d.attempts - (g.state = 'queued')::int > 0 as was_deferred, ${sql.literal(countedColumns(change.events))}
  ),
  ${yield* countChange(sql, workspace, change)},
  new_activities as (
    select d.contact_id, d.at, k.type, ${sql.literal(deliveryMetadata)} || case k.type when 'email_bounced' then jsonb_build_object('kind', 'hard', 'reply', d.smtp_reply)
      when 'email_failed' then jsonb_build_object('reason', d.reason) else '{}' end as metadata
    from moved d
    left join contact c on c.workspace_id = ${workspace} and c.contact_id = d.contact_id
    cross join lateral (values
      (1, 'email_sent', d.state = 'sent'), (2, 'email_delivered', d.state = 'sent' and d.delivered),
      (3, 'email_bounced', d.bounced), (4, 'email_failed', d.state in ('failed', 'unconfirmed'))) as k (nth, type, holds)
    -- the delivery row was locked and is current; this statement's snapshot of the contact may be older
    where k.holds and not d.contact_deleted and (d.contact_id is null or c.contact_id is not null)
    order by d.delivery_id, k.nth
  ),
  ${bounces ? bounceWrites(sql, workspace) : sql.literal("")}
  events as (
    select type, contact_id, at, metadata as data from new_activities
    ${bounces ? flagEvents(sql) : sql.literal("")}
  )
  select array_agg(delivery_id) as ids,
    array_agg(delivery_id) filter (where message is not null and state <> 'queued') as singles,
    jsonb_agg(jsonb_build_object('state', state, 'membership_id', membership_id, 'visit', visit))
      filter (where membership_id is not null) as "ofFlows",
    case when (select count(*) from taken) > count(*) then (
      select jsonb_agg(jsonb_build_object('id', t.id, 'handedOverAt', t.handed_over_at)) from taken t
      where not exists (select 1 from moved m where m.delivery_id = t.id)) end as left,
    ${newEvents(sql, workspace)} as events
  from moved`
  return written
})

/** Returns the deliveries whose outcomes were written, and those that were left. */
const write = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  source: Source,
  settlements: ReadonlyArray<Settlement>,
) {
  const bounces = settlements.some(({ bounce }) => bounce === "hard")
  const written = yield* outcomes(sql, workspace, source, bounces)
  yield* makeMembersDue(sql, workspace, written?.ofFlows ?? [])
  yield* deletePassingContent(sql, workspace, written?.singles ?? [])
  yield* appendEventsIfRead(workspace, written?.events ?? null)
  return { moved: new Set(written?.ids), left: written?.left ?? [] }
})

const newEvents = (sql: Sql, workspace: WorkspaceId) =>
  eventsIfRead(
    sql,
    workspace,
    sql`(select coalesce(json_agg(json_build_array(type, contact_id, at, data)), '[]') from events)`,
  )

/** The settlements that changed no row because they were written before. A delivery that was queued again is not recognised. */
const writtenBefore = (sql: Sql, workspace: WorkspaceId, settlements: ReadonlyArray<Settlement>) => sql<IdRow>`
  select d.delivery_id from delivery d
  join ${settlementRows(sql, settlements)} on d.delivery_id = g.id and d.token = g.token and d.state = g.state
  where d.workspace_id = ${workspace}`
