// How memberships and what they depend on are held. Everybody holds flows first, then contacts, then memberships, each in the
// order of their ids, so that nobody waits in a circle; whoever advances members skips those that others hold.
import type { PgClient } from "@effect/sql-pg"
import type { EarlierMemberships } from "@tentpole/core/flows/members/Enrollment"
import type {
  EnrollmentFacts,
  LockedMembers,
  MembershipStore,
  MemberSelection,
} from "@tentpole/core/flows/members/MembershipStore"
import { ContactId, type FlowId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import { texts } from "../kernel/Arrays.ts"
import { shareFlows, tryToShareFlows } from "./FlowLocks.ts"
import { type FlowReader, membershipColumns, type MembershipRow, toMembership } from "./MembershipRows.ts"

type Sql = PgClient.PgClient
type EntryWanted = Parameters<MembershipStore["Service"]["lockForEnrollment"]>[1]

/**
 * To the millisecond below, as instants of the domain are. A handful of members by their ids: no plan may read through a
 * workspace's for them, statistics or not.
 */
const begin = (sql: Sql) =>
  Effect.map(
    sql<{ readonly now: Date }>`
      select date_trunc('milliseconds', clock_timestamp()) as now, set_config('enable_hashjoin', 'off', true),
        set_config('enable_mergejoin', 'off', true)`,
    ([row]) => DateTime.makeUnsafe(row?.now ?? 0),
  )

const read = (sql: Sql, reader: FlowReader, ws: WorkspaceId, ids: ReadonlyArray<string>, more = "") =>
  reader.read(
    sql,
    ws,
    sql`where f.workspace_id = ${ws} and f.flow_id = any(${texts(ids)}::uuid[]) ${sql.literal(more)}`,
  )

const holdFlows = (sql: Sql, reader: FlowReader, ws: WorkspaceId, ids: ReadonlyArray<string>) =>
  Effect.flatMap(shareFlows(sql, ids), () => read(sql, reader, ws, ids))

export const lockForEntry = Effect.fnUntraced(function* (
  sql: Sql,
  reader: FlowReader,
  ws: WorkspaceId,
  { contacts, flows }: EntryWanted,
) {
  const now = yield* begin(sql)
  const held = yield* holdFlows(sql, reader, ws, flows)
  const there = yield* sql<{ readonly contact_id: string }>`
    select contact_id from contact
    where workspace_id = ${ws} and contact_id = any(${texts(contacts)}::uuid[])
    order by contact_id for key share`
  const rows = yield* sql<{ readonly flow_id: string; readonly contact_id: string; readonly live: boolean }>`
    select flow_id, contact_id, bool_or(status in ('active', 'waiting')) as live from flow_membership
    where workspace_id = ${ws} and contact_id = any(${texts(contacts)}::uuid[]) and flow_id = any(${texts(flows)}::uuid[])
    group by flow_id, contact_id`
  const earlier = new Map(rows.map(({ contact_id, flow_id, live }) => [`${flow_id} ${contact_id}`, live]))
  const ground: EnrollmentFacts = {
    now,
    flows: held,
    contacts: new Set(there.map(({ contact_id }) => ContactId.make(contact_id))),
    earlier: (flow, contact): EarlierMemberships => {
      const live = earlier.get(`${flow} ${contact}`)
      return { live: live === true, any: live !== undefined }
    },
  }
  return ground
})

export const lockMembers = Effect.fnUntraced(function* (
  sql: Sql,
  reader: FlowReader,
  ws: WorkspaceId,
  which: MemberSelection,
) {
  const now = yield* begin(sql)
  const flows = yield* flowsOf(sql, reader, ws, which)
  const rows = flows.size === 0 ? [] : yield* membersOf(sql, ws, which, [...flows.keys()], now)
  const held: LockedMembers = { now, flows, members: rows.map(toMembership) }
  return held
})

const flowsOf = Effect.fnUntraced(function* (sql: Sql, reader: FlowReader, ws: WorkspaceId, which: MemberSelection) {
  switch (which._tag) {
    case "due": {
      const ids = yield* flowsDue(sql, ws)
      return yield* read(sql, reader, ws, yield* tryToShareFlows(sql, ids), "and f.status <> 'paused'")
    }
    case "contact":
    case "flow":
      return yield* holdFlows(sql, reader, ws, [which.flowId])
    case "touched": {
      const rows =
        which.memberships.length === 0
          ? []
          : yield* sql<{ readonly flow_id: string }>`
              select distinct flow_id from flow_membership
              where workspace_id = ${ws} and membership_id = any(${texts(which.memberships)}::uuid[])`
      const ids = [...which.flows, ...rows.map(({ flow_id }) => flow_id)]
      return yield* holdFlows(sql, reader, ws, ids)
    }
  }
})

/** Flows with somebody whose time has come: from one to the next in the index, however many wait in each. */
const flowsDue = (sql: Sql, ws: WorkspaceId) =>
  Effect.map(
    sql<{ readonly flow_id: string }>`
      with recursive ${earliestDue(sql, ws)}
      select flow_id from earliest where due_at <= clock_timestamp()`,
    (rows) => rows.map(({ flow_id }) => flow_id),
  )

/** `earliest (flow_id, due_at)`: of each flow in which somebody's time will come, the first. */
export const earliestDue = (sql: Sql, ws: WorkspaceId): Statement.Fragment => sql`
  earliest as (
    (select m.flow_id, m.due_at from flow_membership m
     where m.workspace_id = ${ws} and m.due_at is not null order by m.flow_id, m.due_at limit 1)
    union all
    select next.flow_id, next.due_at
    from earliest e
    cross join lateral (
      select m.flow_id, m.due_at from flow_membership m
      where m.workspace_id = ${ws} and m.due_at is not null and m.flow_id > e.flow_id
      order by m.flow_id, m.due_at limit 1) as next
  )`

const live = `m.status in ('active', 'waiting')`

const membersOf = (
  sql: Sql,
  ws: WorkspaceId,
  which: MemberSelection,
  flows: ReadonlyArray<FlowId>,
  now: DateTime.Utc,
) => {
  switch (which._tag) {
    case "due":
      return dueMembers(sql, ws, flows, { limit: which.limit, now })
    case "contact":
      return sql<MembershipRow>`
        select ${sql.literal(membershipColumns)} from flow_membership m
        where m.workspace_id = ${ws} and m.flow_id = ${which.flowId} and m.contact_id = ${which.contactId}
          and ${sql.literal(live)}
        for no key update`
    case "flow":
      return sql<MembershipRow>`
        select ${sql.literal(membershipColumns)} from flow_membership m
        where m.workspace_id = ${ws} and m.flow_id = ${which.flowId} and ${sql.literal(live)}
          and (${which.after}::uuid is null or m.contact_id > ${which.after}::uuid)
          and m.status = any(${texts(which.members === "live" ? ["active", "waiting"] : ["waiting"])}::text[])
        order by m.contact_id
        limit ${which.limit}
        for no key update`
    case "touched":
      return sql<MembershipRow>`
        with touched as materialized (
          select m.membership_id from flow_membership m
          where m.workspace_id = ${ws} and m.membership_id = any(${texts(which.memberships)}::uuid[])
          union
          select m.membership_id
          from unnest(${texts(which.contacts)}::uuid[]) as asked (contact_id)
          join flow_membership m on m.workspace_id = ${ws} and m.contact_id = asked.contact_id and ${sql.literal(live)}
          where m.flow_id = any(${texts(which.flows)}::uuid[])
        )
        select ${sql.literal(membershipColumns)} from flow_membership m
        where m.workspace_id = ${ws} and m.membership_id = any(array(select membership_id from touched))
        order by m.membership_id
        for no key update`
  }
}

/** An equal share of each flow, from its own end of the index. What is left of a short batch is due still. */
const dueMembers = (
  sql: Sql,
  ws: WorkspaceId,
  flows: ReadonlyArray<FlowId>,
  { limit, now }: { readonly limit: number; readonly now: DateTime.Utc },
) => sql<MembershipRow>`
  with next as materialized (
    select due.membership_id
    from unnest(${texts(flows)}::uuid[]) as asked (flow_id)
    cross join lateral (
      select m.membership_id from flow_membership m
      where m.workspace_id = ${ws} and m.flow_id = asked.flow_id and m.due_at <= ${DateTime.formatIso(now)}
      order by m.due_at, m.membership_id
      limit ${Math.ceil(limit / flows.length)}
      for no key update skip locked
    ) as due
    limit ${limit}
  )
  select ${sql.literal(membershipColumns)} from flow_membership m
  where m.workspace_id = ${ws} and m.membership_id = any(array(select membership_id from next))`
