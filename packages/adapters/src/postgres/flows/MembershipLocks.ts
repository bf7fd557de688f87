// Locks on memberships and on what they depend on. Every transaction locks flows, then contacts, then memberships, each in the
// order of their ids, so that no deadlock occurs. A round skips memberships that another transaction has locked.
import type { PgClient } from "@effect/sql-pg"
import type { EarlierMemberships } from "@tentpole/core/flows/members/Enrollment"
import type {
  EnrollmentFacts,
  LockedMembers,
  MembershipStore,
  MemberSelection,
} from "@tentpole/core/flows/members/MembershipStore"
import type { ContactId, FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import { mergedContacts } from "../contacts/ContactMerge.ts"
import { texts } from "../kernel/Arrays.ts"
import { Conflicted } from "../kernel/Postgres.ts"
import { shareFlowLocks, tryShareFlowLocks } from "./FlowLocks.ts"
import { type FlowReader, membershipColumns, type MembershipRow, toMembership } from "./MembershipRows.ts"

type Sql = PgClient.PgClient
type EntryWanted = Parameters<MembershipStore["Service"]["lockForEnrollment"]>[1]

/**
 * Returns the time, cut to milliseconds like all instants of the domain. Turns off hash and merge joins in this transaction:
 * a few memberships are found by id, and no plan may scan all of a workspace's, whatever the statistics are.
 */
const begin = (sql: Sql) =>
  Effect.map(
    sql<{ readonly now: Date }>`
      select date_trunc('milliseconds', clock_timestamp()) as now, set_config('enable_hashjoin', 'off', true),
        set_config('enable_mergejoin', 'off', true)`,
    ([row]) => DateTime.makeUnsafe(row?.now ?? 0),
  )

const read = (sql: Sql, reader: FlowReader, workspace: WorkspaceId, ids: ReadonlyArray<string>, more = "") =>
  reader.read(
    sql,
    workspace,
    sql`where f.workspace_id = ${workspace} and f.flow_id = any(${texts(ids)}::uuid[]) ${sql.literal(more)}`,
  )

const lockFlows = (sql: Sql, reader: FlowReader, workspace: WorkspaceId, ids: ReadonlyArray<string>) =>
  Effect.flatMap(shareFlowLocks(sql, ids), () => read(sql, reader, workspace, ids))

export const lockForEntry = Effect.fnUntraced(function* (
  sql: Sql,
  reader: FlowReader,
  workspace: WorkspaceId,
  { contacts, flows }: EntryWanted,
) {
  const now = yield* begin(sql)
  const locked = yield* lockFlows(sql, reader, workspace, flows)
  const existing = yield* sql<{ readonly id: ContactId }>`
    select contact_id as id from contact
    where workspace_id = ${workspace} and contact_id = any(${texts(contacts)}::uuid[])
    order by contact_id for key share`
  const known = new Set(existing.map(({ id }) => id))
  const missing = contacts.filter((id) => !known.has(id))
  if (missing.length > 0 && (yield* mergedContacts(sql, workspace, missing)).size > 0) {
    // The next attempt finds the contact that it was merged into.
    return yield* Effect.die(new Conflicted("a contact was merged into another one"))
  }
  const rows = yield* sql<{ readonly pair: string; readonly live: boolean }>`
    select flow_id || ' ' || contact_id as pair, bool_or(status in ('active', 'waiting')) as live from flow_membership
    where workspace_id = ${workspace} and contact_id = any(${texts(contacts)}::uuid[]) and flow_id = any(${texts(flows)}::uuid[])
    group by flow_id, contact_id`
  const earlier = new Map(rows.map(({ pair, live }) => [pair, live]))
  const facts: EnrollmentFacts = {
    now,
    flows: locked,
    contacts: known,
    earlier: (flow, contact): EarlierMemberships => {
      const live = earlier.get(`${flow} ${contact}`)
      return { live: live === true, any: live !== undefined }
    },
  }
  return facts
})

export const lockMembers = Effect.fnUntraced(function* (
  sql: Sql,
  reader: FlowReader,
  workspace: WorkspaceId,
  which: MemberSelection,
) {
  const now = yield* begin(sql)
  const flows = yield* flowsOf(sql, reader, workspace, which)
  const rows = flows.size === 0 ? [] : yield* membersOf(sql, workspace, which, [...flows.keys()], now)
  const locked: LockedMembers = { now, flows, members: rows.map(toMembership) }
  return locked
})

const flowsOf = Effect.fnUntraced(function* (
  sql: Sql,
  reader: FlowReader,
  workspace: WorkspaceId,
  which: MemberSelection,
) {
  switch (which._tag) {
    case "due": {
      const ids = yield* flowsDue(sql, workspace)
      return yield* read(sql, reader, workspace, yield* tryShareFlowLocks(sql, ids), "and f.status <> 'paused'")
    }
    case "contact":
    case "flow":
      return yield* lockFlows(sql, reader, workspace, [which.flowId])
    case "touched": {
      const rows =
        which.memberships.length === 0
          ? []
          : yield* sql<{ readonly flow_id: string }>`
              select distinct flow_id from flow_membership
              where workspace_id = ${workspace} and membership_id = any(${texts(which.memberships)}::uuid[])`
      const ids = [...which.flows, ...rows.map(({ flow_id }) => flow_id)]
      return yield* lockFlows(sql, reader, workspace, ids)
    }
  }
})

/** Flows with a due membership. The scan jumps from flow to flow in the index, however many are due in each. */
const flowsDue = (sql: Sql, workspace: WorkspaceId) =>
  Effect.map(
    sql<{ readonly flow_id: string }>`
      with recursive ${earliestDue(sql, workspace)}
      select flow_id from earliest where due_at <= clock_timestamp()`,
    (rows) => rows.map(({ flow_id }) => flow_id),
  )

/** `earliest (flow_id, due_at)`: for each flow with waiting memberships, the earliest due time. */
export const earliestDue = (sql: Sql, workspace: WorkspaceId): Statement.Fragment => sql`
  earliest as (
    (select m.flow_id, m.due_at from flow_membership m
     where m.workspace_id = ${workspace} and m.due_at is not null order by m.flow_id, m.due_at limit 1)
    union all
    select next.flow_id, next.due_at
    from earliest e
    cross join lateral (
      select m.flow_id, m.due_at from flow_membership m
      where m.workspace_id = ${workspace} and m.due_at is not null and m.flow_id > e.flow_id
      order by m.flow_id, m.due_at limit 1) as next
  )`

const live = `m.status in ('active', 'waiting')`

const membersOf = (
  sql: Sql,
  workspace: WorkspaceId,
  which: MemberSelection,
  flows: ReadonlyArray<FlowId>,
  now: DateTime.Utc,
) => {
  const select = (which: Statement.Fragment) => sql<MembershipRow>`
    select ${sql.literal(membershipColumns)} from flow_membership m
    where m.workspace_id = ${workspace} and ${which} for no key update`
  switch (which._tag) {
    case "due":
      return dueMembers(sql, workspace, flows, { limit: which.limit, now })
    case "contact":
      return select(sql`m.flow_id = ${which.flowId} and m.contact_id = ${which.contactId} and ${sql.literal(live)}`)
    case "flow":
      return select(sql`m.flow_id = ${which.flowId} and ${sql.literal(live)}
        and (${which.after}::uuid is null or m.contact_id > ${which.after}::uuid)
        and m.status = any(${texts(which.members === "live" ? ["active", "waiting"] : ["waiting"])}::text[])
        order by m.contact_id limit ${which.limit}`)
    case "touched":
      return select(sql`m.membership_id = any(array(
          select m.membership_id from flow_membership m
          where m.workspace_id = ${workspace} and m.membership_id = any(${texts(which.memberships)}::uuid[])
          union
          select m.membership_id
          from unnest(${texts(which.contacts)}::uuid[]) as wanted (contact_id)
          join flow_membership m on m.workspace_id = ${workspace} and m.contact_id = wanted.contact_id and ${sql.literal(live)}
          where m.flow_id = any(${texts(which.flows)}::uuid[])))
        order by m.membership_id`)
  }
}

/** An equal share of each flow, from its own part of the index. Memberships that do not fit stay due. */
const dueMembers = (
  sql: Sql,
  workspace: WorkspaceId,
  flows: ReadonlyArray<FlowId>,
  { limit, now }: { readonly limit: number; readonly now: DateTime.Utc },
) => sql<MembershipRow>`
  with next as materialized (
    select due.membership_id
    from unnest(${texts(flows)}::uuid[]) as wanted (flow_id)
    cross join lateral (
      select m.membership_id from flow_membership m
      where m.workspace_id = ${workspace} and m.flow_id = wanted.flow_id and m.due_at <= ${DateTime.formatIso(now)}
      order by m.due_at, m.membership_id
      limit ${Math.ceil(limit / flows.length)}
      for no key update skip locked
    ) as due
    limit ${limit}
  )
  select ${sql.literal(membershipColumns)} from flow_membership m
  where m.workspace_id = ${workspace} and m.membership_id = any(array(select membership_id from next))`
