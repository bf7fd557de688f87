// The counters and figures of deliveries, written by parts of a WITH. Each statement that inserts deliveries, or changes what is
// counted, has these parts. A transaction writes one shard of every counter, so that processes rarely wait for each other.
import type { PgClient } from "@effect/sql-pg"
import { figureNames } from "@tentpole/core/sending/Figures"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { homeOf } from "../citus/Home.ts"
import { counterShard } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

/** Domains that the figures of a blast distinguish. */
const domains_max = 50

/** The shard of these counters that the open transaction writes. */
export const deliveryShard = counterShard(16)

/** They are counted while their column is set: `opened` while `opened_at` is. */
const events = [...figureNames.filter((name) => name !== "sent"), "machine_opened", "machine_clicked"] as const
type CountedEvent = (typeof events)[number]

const identity = `d.delivery_id, d.blast_id, d.membership_id is null as of_blast,
  coalesce(split_part(d.email_normalized, '@', -1), 'unknown') as domain, d.created_at`

/** What the counters read of an inserted delivery `d`. */
export const insertedColumns = `${identity}, d.state, d.reason`

const columnOf = (event: CountedEvent) => `${event}_at`

/** What they read of a delivery `d` before and after a change. */
export const countedColumns = (of: ReadonlyArray<CountedEvent> = events) =>
  [
    insertedColumns,
    "d.attempts > 0 as deferred, d.smtp_reply is not null as replied, d.sent_at",
    ...of.map((event) => `d.${columnOf(event)}`),
  ].join(", ")

export interface CountedChange {
  /** A SELECT of the counted columns and `n`: -1 before the change, 1 after it. */
  readonly rows: string
  /** The events that it may count or take back. Columns of others are not read. */
  readonly events: ReadonlyArray<CountedEvent>
  /** Whether a delivery may be blocked or have failed, before or after it. */
  readonly ends: boolean
  /** Whether it changes recipient domains. */
  readonly readdresses: boolean
}

const unchanged = "delivery_id, blast_id, of_blast, domain, created_at, deferred, replied, sent_at"
const names = `${unchanged}, state, reason, ${events.map(columnOf).join(", ")}`

/** Between two parts with the counted columns. */
export const changeBetween = (before: string, after: string): CountedChange => ({
  rows: `select -1 as n, ${names} from ${before} union all select 1, ${names} from ${after}`,
  events,
  ends: true,
  readdresses: false,
})

/** To a part with the counted columns, of deliveries that were queued. Only their state and its reason and time have changed. */
export const changeFromQueued = (after: string): CountedChange => ({
  rows: `select -1 as n, ${unchanged}, 'queued' as state, null as reason, null::timestamptz as failed_at from ${after}
    union all select 1, ${unchanged}, state, reason, failed_at from ${after}`,
  events: ["failed"],
  ends: true,
  readdresses: false,
})

interface Sum {
  readonly column: string
  /** The rows that it sums. */
  readonly where: string
}

interface Counter {
  readonly table: string
  /** Its keys between the blast and the shard, with their values. */
  readonly keys: ReadonlyArray<readonly [column: string, value: string]>
  readonly sums: ReadonlyArray<Sum>
  /** Rows with `blast_id`, `n` and what keys and sums read. */
  readonly from: Statement.Fragment
}

/** Upserts in the order of the keys, so that two transactions with the same shard wait for each other without a deadlock. */
const add = (sql: Sql, workspace: WorkspaceId, shard: number, { from, keys, sums, table }: Counter) => {
  const group = ["blast_id", ...keys.map(([column]) => column)].join(", ")
  const values = keys.map(([column, value]) => `, ${value} as ${column}`).join("")
  const columns = sums.map(({ column }) => column)
  const totals = sums.map(({ column, where }) => `coalesce(sum(n) filter (where ${where}), 0)::int as ${column}`)
  const moved = columns.map((column) => `${column} <> 0`).join(" or ")
  const added = columns.map((column) => `${column} = f.${column} + excluded.${column}`)
  return sql`
    insert into ${sql.literal(table)} as f (workspace_id, ${sql.literal(`${group}, shard, ${columns.join(", ")}`)})
    select home.workspace_id, ${sql.literal(group)}, ${shard}::smallint, ${sql.literal(columns.join(", "))}
    from ${homeOf(sql, workspace)} cross join (
      select blast_id${sql.literal(`${values}, ${totals.join(", ")}`)} from ${from}
      group by ${sql.literal(["blast_id", ...keys.map(([, value]) => value)].join(", "))}
    ) as g
    where ${sql.literal(moved)} order by ${sql.literal(group)}
    on conflict (workspace_id, ${sql.literal(group)}, shard) do update set ${sql.literal(added.join(", "))}`
}

/** The time of the first event that a counter counts; null when the delivery is not counted. */
const timeOf = (counter: string): string => {
  switch (counter) {
    case "recipients":
      return "created_at"
    case "queued":
      return "case when state = 'queued' then created_at end"
    case "sent":
      return "case when state = 'sent' then sent_at end"
    default:
      return `${counter}_at`
  }
}

/** `counted_groups`: equal rows, summed. `counted_times`: their counters by ten seconds. A settlement has few of either. */
const groups = (sql: Sql, { rows }: CountedChange, timed: ReadonlyArray<string>) =>
  sql.literal(`
    counted_groups as materialized (
      select blast_id, of_blast, domain, state, state = 'queued' and deferred as deferred, sum(n)::int as n,
        ${timed.map((counter) => `date_bin('10 s', ${timeOf(counter)}, 'epoch') as ${counter}`).join(", ")}
      from (${rows}) as counted_row
      group by 1, 2, 3, 4, 5, ${timed.map((_, at) => at + 7).join(", ")}
      having sum(n) <> 0
    ),
    counted_times as materialized (
      select g.blast_id, g.of_blast, g.domain, t.counter, t.at, sum(g.n)::int as n
      from counted_groups g
      cross join lateral (values ${timed.map((counter) => `('${counter}', g.${counter})`).join(", ")}) as t (counter, at)
      where t.at is not null
      group by 1, 2, 3, 4, 5
      having sum(g.n) <> 0
    )`)

const occurs = (counter: string): Sum => ({ column: counter, where: `counter = '${counter}'` })

const states: ReadonlyArray<Sum> = [
  { column: "queued", where: "state = 'queued'" },
  { column: "deferred", where: "deferred" },
  { column: "sent", where: "state = 'sent'" },
  { column: "failed", where: "state in ('failed', 'unconfirmed')" },
  { column: "blocked", where: "state = 'blocked'" },
]

const isMachine = (counter: string): boolean => counter.startsWith("machine_")

/** `domains`: `counted_times` with the domain under which the figures count, `counted_domain`. */
const counters = (
  sql: Sql,
  workspace: WorkspaceId,
  shard: number,
  change: CountedChange,
  timed: ReadonlyArray<string>,
  domains: Statement.Fragment,
) => {
  const write = (counter: Counter) => add(sql, workspace, shard, counter)
  const people = timed.filter((counter) => !isMachine(counter))
  const hourly = timed.filter((counter) => counter !== "recipients" && counter !== "queued")
  const times = sql.literal("counted_times")
  const tally = write({
    table: "delivery_tally",
    keys: [],
    sums: [
      ...states,
      ...change.events
        .filter((event) => event !== "failed" && !isMachine(event))
        .map((event) => ({ column: event, where: `${event} is not null` })),
    ],
    from: sql.literal("counted_groups"),
  })
  const hours = write({
    table: "delivery_hour",
    keys: [["hour", "date_trunc('hour', at, 'UTC')"]],
    sums: hourly.map(occurs),
    from: times,
  })
  const pace = write({
    table: "delivery_pace",
    keys: [["at", "at"]],
    sums: [{ column: "sent", where: "counter = 'sent' and of_blast" }],
    from: times,
  })
  const byDomain = write({
    table: "delivery_domain",
    keys: [
      ["domain", "counted_domain"],
      ["day", "(at at time zone 'UTC')::date"],
    ],
    sums: people.map(occurs),
    from: domains,
  })
  return sql`
    counted_tally as (${tally}),
    ${hourly.length > 0 ? sql`counted_hours as (${hours}),` : sql.literal("")}
    ${timed.includes("sent") ? sql`counted_pace as (${pace}),` : sql.literal("")}
    ${change.ends ? sql`counted_reasons as (${reasons(sql, workspace, shard, change)}),` : sql.literal("")}
    counted_domains as (${byDomain})`
}

const reasons = (sql: Sql, workspace: WorkspaceId, shard: number, { rows }: CountedChange) => sql`
  insert into delivery_reason as f (workspace_id, blast_id, state, reason, shard, recipients, sample_id)
  select home.workspace_id, blast_id, case when state = 'blocked' then state else 'failed' end, reason, ${shard}::smallint, sum(n),
    (array_agg(delivery_id) filter (where n = 1 and replied))[1]
  from ${homeOf(sql, workspace)} cross join (${sql.literal(rows)}) as counted_row
  where state in ('failed', 'unconfirmed', 'blocked')
  group by 1, 2, 3, 4 having sum(n) <> 0 order by 2, 3, 4
  on conflict (workspace_id, blast_id, state, reason, shard) do update set
    recipients = f.recipients + excluded.recipients, sample_id = coalesce(excluded.sample_id, f.sample_id)`

/** `counted_known`: deliveries of a domain that the figures of the blast do not distinguish count as `other`. */
const knownDomains = (sql: Sql, workspace: WorkspaceId) => sql`
  counted_known as materialized (
    select t.blast_id, t.counter, t.at, t.n,
      case when t.domain = 'unknown' then t.domain else coalesce(k.domain, 'other') end as counted_domain
    from counted_times t
    left join lateral (
      select k.domain from delivery_domain k
      where k.workspace_id = ${workspace} and k.blast_id = t.blast_id and k.domain = t.domain limit 1) as k on true
  )`

/** The parts of a WITH that count a change. They follow the parts that its rows name. */
export const countChange = (sql: Sql, workspace: WorkspaceId, change: CountedChange) =>
  Effect.map(deliveryShard, (shard) => {
    const timed = [...(change.readdresses ? ["recipients"] : []), "queued", "sent", ...change.events]
    return sql`
      ${groups(sql, change, timed)},
      ${knownDomains(sql, workspace)},
      ${counters(sql, workspace, shard, change, timed, sql.literal("counted_known"))}`
  })

/**
 * `counted_excess`: the domains that are new to their blasts and find no space. Once a blast has `other`, it gets no more domains.
 * Two concurrent statements may each add some: there are then a few more than the maximum.
 */
const excessDomains = (sql: Sql, workspace: WorkspaceId) => sql`
  counted_new as materialized (
    select t.blast_id, t.domain, row_number() over (partition by t.blast_id order by sum(t.n) desc, t.domain) as nth
    from counted_times t
    left join lateral (
      select true as known from delivery_domain k
      where k.workspace_id = ${workspace} and k.blast_id = t.blast_id and k.domain = t.domain limit 1) as k on true
    where t.counter = 'recipients' and k.known is null and t.domain <> 'unknown'
    group by t.blast_id, t.domain
  ),
  counted_space as materialized (
    select b.blast_id, case
        when exists (select 1 from delivery_domain k
          where k.workspace_id = ${workspace} and k.blast_id = b.blast_id and k.domain = 'other') then 0
        else ${domains_max} - (select count(distinct k.domain) from delivery_domain k
          where k.workspace_id = ${workspace} and k.blast_id = b.blast_id and k.domain <> 'unknown')
      end as domains
    from (select distinct blast_id from counted_new) as b
  ),
  counted_excess as materialized (
    select n.blast_id, n.domain from counted_new n join counted_space s using (blast_id) where n.nth > s.domains
  )`

/** The same for deliveries that are inserted, queued or blocked, in a part with `insertedColumns`. */
export const countInserts = (sql: Sql, workspace: WorkspaceId, part: string) =>
  Effect.map(deliveryShard, (shard) => {
    const change: CountedChange = {
      rows: `select 1 as n, delivery_id, blast_id, of_blast, domain, created_at, state, reason, false as deferred, false as replied from ${part}`,
      events: [],
      ends: true,
      readdresses: true,
    }
    const timed = ["recipients", "queued"]
    const domains = sql`(
      select t.blast_id, t.counter, t.at, t.n, case when e.domain is null then t.domain else 'other' end as counted_domain
      from counted_times t left join counted_excess e using (blast_id, domain)) as t`
    return sql`
      ${groups(sql, change, timed)},
      ${excessDomains(sql, workspace)},
      ${counters(sql, workspace, shard, change, timed, domains)}`
  })
