// The writes of membership changes. Whatever their number, one statement each inserts entries, updates memberships, adds
// activities and creates messages.
import type { PgClient } from "@effect/sql-pg"
import { dueAtOf, isLive, type Membership, type TimelineEntry } from "@tentpole/core/flows/members/Membership"
import type { MemberCommand, MembershipChange } from "@tentpole/core/flows/members/MembershipChange"
import type { MembershipId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Array as Arr, DateTime, Effect } from "effect"
import { booleans, ints, texts } from "../kernel/Arrays.ts"
import { writeActivities } from "../contacts/ContactWrites.ts"
import { hintDueAt, makeDue } from "../kernel/DueWork.ts"
import { blockReasonOf, consentRequiredColumn } from "../sending/BlockReason.ts"
import {
  changeFromQueued,
  countChange,
  countedColumns,
  countInserts,
  insertedColumns,
} from "../sending/DeliveryCounters.ts"
import { type Ended, endedColumns, writeEnded, unsent } from "../sending/UnsentEvents.ts"
import { moveTallies } from "./FlowTallies.ts"
import { dueArrays, stateColumns, stateArrays } from "./MembershipRows.ts"
import { homeOf } from "../citus/Home.ts"
import { appendEvents } from "../kernel/Outbox.ts"
import { transactionTime } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

export const applyMemberships = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  changes: ReadonlyArray<MembershipChange>,
  unchanged: ReadonlyArray<Membership>,
) {
  const refused = yield* insertMembers(sql, workspace, changes)
  const applied = changes.filter(({ after }) => !refused.has(after.id))
  yield* updateMembers(sql, workspace, applied)
  yield* resetDueTimes(sql, workspace, unchanged)
  yield* hintDueTimes(sql, workspace, [...changes.map(({ after }) => after), ...unchanged])
  yield* insertEntries(sql, workspace, applied)
  yield* writeActivities(
    sql,
    workspace,
    applied.flatMap(({ activities }) => activities),
  )
  yield* appendEvents(
    workspace,
    applied.flatMap(({ events }) => events),
  )
  yield* insertMessages(sql, workspace, applied)
  yield* withdrawMessages(sql, workspace, applied)
  // Last: other transactions may wait for the counters until this one ends.
  yield* moveTallies(sql, workspace, applied)
  return refused
})

/** The first and the last state of each membership. */
const netChanges = (changes: ReadonlyArray<MembershipChange>) => {
  const sums = new Map<MembershipId, { readonly before: Membership | null; after: Membership }>()
  for (const { before, after } of changes) {
    const sum = sums.get(after.id)
    if (sum === undefined) sums.set(after.id, { before, after })
    else sum.after = after
  }
  return [...sums.values()]
}

/** Returns the contacts that did not enter: the unique indexes admit one membership. */
const insertMembers = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  changes: ReadonlyArray<MembershipChange>,
) {
  const entering = netChanges(changes).flatMap(({ before, after }) => (before === null ? [after] : []))
  if (entering.length === 0) return new Set<MembershipId>()
  const rows = yield* sql<{ readonly id: MembershipId }>`
    insert into flow_membership (workspace_id, membership_id, flow_id, contact_id, entry_source, tokens, created_emails, state,
      status, step_id, awaited_visit, due_at, sole, entered_at, updated_at)
    select ${workspace}, g.id, g.flow_id, g.contact_id, g.entry_source, g.tokens, g.created_emails, g.state, g.status, g.step_id,
      g.awaited_visit, g.due_at, f.structure ->> 'reentry_policy' is not distinct from 'no_reentry', g.entered_at, g.updated_at
    from unnest(${stateArrays(sql, entering)}, ${texts(entering.map(({ flowId }) => flowId))}::uuid[],
      ${texts(entering.map(({ contactId }) => contactId))}::uuid[],
      ${texts(entering.map(({ entrySource }) => entrySource))}::text[],
      ${texts(entering.map(({ enteredAt }) => DateTime.formatIso(enteredAt)))}::timestamptz[])
      as g (${sql.literal(stateColumns)}, flow_id, contact_id, entry_source, entered_at)
    join flow f on f.workspace_id = ${workspace} and f.flow_id = g.flow_id
    order by g.id
    on conflict do nothing
    returning membership_id as id`
  const entered = new Set(rows.map(({ id }) => id))
  return new Set(entering.flatMap(({ id }) => (entered.has(id) ? [] : [id])))
})

const updateMembers = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  changes: ReadonlyArray<MembershipChange>,
) {
  const moved = netChanges(changes).flatMap(({ before, after }) => (before === null ? [] : [{ before, after }]))
  if (moved.length === 0) return
  const rows = yield* sql`
    update flow_membership m set tokens = g.tokens, created_emails = g.created_emails, state = g.state, status = g.status,
      step_id = g.step_id, awaited_visit = g.awaited_visit, due_at = g.due_at, updated_at = g.updated_at
    from unnest(${stateArrays(
      sql,
      moved.map(({ after }) => after),
    )}, ${texts(moved.map(({ before }) => before.state.status))}::text[]) as g (${sql.literal(stateColumns)}, was)
    where m.workspace_id = ${workspace} and m.membership_id = g.id and m.status = g.was
    returning 1`
  if (rows.length !== moved.length) {
    return yield* Effect.die(`${moved.length - rows.length} members are not what was decided on: lock them first`)
  }
})

/** For memberships that were checked and did not change: sets the due time of their state again. */
const resetDueTimes = (sql: Sql, workspace: WorkspaceId, unchanged: ReadonlyArray<Membership>) =>
  unchanged.length === 0
    ? Effect.void
    : sql`
        update flow_membership m set due_at = g.due_at
        from unnest(${dueArrays(sql, unchanged)}) as g (id, due_at)
        where m.workspace_id = ${workspace} and m.membership_id = g.id and m.due_at is distinct from g.due_at`

/** A worker checks the workspace when the first of these memberships is due. */
const hintDueTimes = (sql: Sql, workspace: WorkspaceId, members: ReadonlyArray<Membership>) => {
  const times = members.flatMap(({ state }) => (isLive(state) ? (dueAtOf(state) ?? []) : []))
  return Arr.isReadonlyArrayNonEmpty(times)
    ? hintDueAt(sql, "flows", workspace, Arr.min(times, DateTime.Order))
    : Effect.void
}

const insertEntries = (sql: Sql, workspace: WorkspaceId, changes: ReadonlyArray<MembershipChange>) => {
  const lines = changes.flatMap(({ after, entries }) => entries.map((entry) => ({ id: after.id, entry })))
  const column = (of: (entry: TimelineEntry) => string | null) => texts(lines.map(({ entry }) => of(entry)))
  return lines.length === 0
    ? Effect.void
    : sql`
        insert into flow_event (workspace_id, membership_id, type, at, step_id, metadata)
        select ${workspace}, added.membership_id, added.type, added.at, added.step_id, added.metadata
        from unnest(${texts(lines.map(({ id }) => id))}::uuid[], ${column(({ type }) => type)}::text[],
          ${column(({ at }) => DateTime.formatIso(at))}::timestamptz[], ${column(({ stepId }) => stepId)}::text[],
          ${column(({ metadata }) => JSON.stringify(metadata))}::jsonb[])
          with ordinality as added (membership_id, type, at, step_id, metadata, nth)
        order by added.nth
        returning 1`
}

type Command<Type extends MemberCommand["type"]> = Extract<MemberCommand, { readonly type: Type }>

const commandsOf = <Type extends MemberCommand["type"]>(changes: ReadonlyArray<MembershipChange>, type: Type) =>
  changes.flatMap(({ after, commands }) =>
    commands
      .filter((command): command is Command<Type> => command.type === type)
      .map((command) => ({ member: after, command })),
  )

/** The blast rows that represent sending steps; each is created with the first message of its step. */
const insertMessages = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  changes: ReadonlyArray<MembershipChange>,
) {
  const sends = commandsOf(changes, "send_email")
  if (sends.length === 0) return
  const now = yield* DateTime.now
  const stored_at = yield* transactionTime(sql)
  const steps = [...new Map(sends.map((each) => [`${each.member.flowId} ${each.command.stepId}`, each])).values()]
  const reason = blockReasonOf(sql, {
    operational: "g.operational",
    topic: "t.standing",
    consentRequired: consentRequiredColumn,
  })
  const members = (of: (member: Membership) => string) => texts(sends.map(({ member }) => of(member)))
  const commands = (of: (command: Command<"send_email">) => string) => texts(sends.map(({ command }) => of(command)))
  yield* sql`
    insert into blast (workspace_id, blast_id, name, name_folded, status, purpose, flow_id, step_id, restored, launched_at,
      created_at, updated_at)
    select ${workspace}, uuid_v7(), g.step_id, g.step_id, 'sending', 'flow_step', g.flow_id, g.step_id, f.restored, ${stored_at},
      ${stored_at}, ${stored_at}
    from unnest(${texts(steps.map(({ member }) => member.flowId))}::uuid[],
      ${texts(steps.map(({ command }) => command.stepId))}::text[]) as g (flow_id, step_id)
    join flow f on f.workspace_id = ${workspace} and f.flow_id = g.flow_id
    where not exists (select from blast b where b.workspace_id = ${workspace} and b.purpose = 'flow_step'
      and b.flow_id = g.flow_id and b.step_id = g.step_id)
    order by g.flow_id, g.step_id
    on conflict do nothing`
  const written = yield* sql<Ended>`
    with added as (
    insert into delivery as d (workspace_id, delivery_id, blast_id, membership_id, flow_id, step_id, visit, tokens, contact_id,
      approval_id, topic_id, email, email_normalized, display_name, display_name_folded, operational, state, reason, created_at)
    select ${workspace}, timed_id(${now.epochMilliseconds}::bigint, int4send(g.visit) || uuid_send(g.membership_id)), b.blast_id, g.membership_id, g.flow_id, g.step_id, g.visit, g.tokens, c.contact_id,
      g.approval_id, g.topic_id, c.email, c.email_normalized, c.display_name, c.display_name_folded, g.operational,
      case when r.reason is null then 'queued' else 'blocked' end, r.reason, ${stored_at}
    from unnest(${members(({ id }) => id)}::uuid[], ${members(({ flowId }) => flowId)}::uuid[],
      ${members(({ contactId }) => contactId)}::uuid[], ${commands(({ stepId }) => stepId)}::text[],
      ${ints(sends.map(({ command }) => command.visit))}::int[], ${commands(({ tokens }) => JSON.stringify(tokens))}::jsonb[],
      ${commands(({ approvalId }) => approvalId)}::uuid[], ${booleans(sends.map(({ command }) => command.operational))}::boolean[],
      ${texts(sends.map(({ command }) => command.topicId))}::uuid[])
      as g (membership_id, flow_id, contact_id, step_id, visit, tokens, approval_id, operational, topic_id)
    join blast b on b.workspace_id = ${workspace} and b.purpose = 'flow_step' and b.flow_id = g.flow_id and b.step_id = g.step_id
    join contact c on c.workspace_id = ${workspace} and c.contact_id = g.contact_id
    left join suppression s on s.workspace_id = ${workspace} and s.email_normalized = c.email_normalized
    join workspace w on w.workspace_id = ${workspace}
    -- a topic that was deleted has no subscribers
    left join lateral (
      select coalesce(
        (select h.status from topic_choice h
          where h.workspace_id = ${workspace} and h.topic_id = g.topic_id and h.contact_id = g.contact_id),
        (select p.default_subscription from topic p where p.workspace_id = ${workspace} and p.topic_id = g.topic_id)
          || '_by_default',
        'unsubscribed_by_default') as standing
      where g.topic_id is not null) as t on true
    -- the decision asked for what it knew of the contact, which may have changed, and not for the topic
    cross join lateral (select ${reason} as reason) as r
    returning d.email_normalized, d.operational, ${sql.literal(endedColumns)}, ${sql.literal(insertedColumns)}
    ),
    queued as (
      insert into delivery_queue (workspace_id, delivery_id, blast_id, contact_id, membership_id, visit, email_normalized,
        operational, topic_id, lane, due_at)
      select home.workspace_id, a.delivery_id, a.blast_id, a.contact_id, a.membership_id, a.visit, a.email_normalized, a.operational, a.topic_id,
        case when w.sending_per_domain_per_second is null then '' else split_part(a.email_normalized, '@', -1) end,
        ${stored_at}
      from ${homeOf(sql, workspace)} cross join added a join workspace w on w.workspace_id = ${workspace}
      where a.state = 'queued'
      returning 1
    ),
    ${yield* countInserts(sql, workspace, "added")}
    select ${unsent(sql, workspace, sql`added`, stored_at)}`
  yield* writeEnded(sql, workspace, written)
  yield* makeDue(sql, "deliveries", workspace)
})

/** Cancels queued messages. Claimed ones are blocked at the intent, which is refused when the contact has left. */
const withdrawMessages = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  changes: ReadonlyArray<MembershipChange>,
) {
  const withdrawn = commandsOf(changes, "withdraw_email")
  if (withdrawn.length === 0) return
  const written = yield* sql<Ended>`
    with withdrawn as materialized (
      select delivery_id from (select d.delivery_id
      from unnest(${texts(withdrawn.map(({ member }) => member.id))}::uuid[],
        ${ints(withdrawn.map(({ command }) => command.visit))}::int[]) as g (membership_id, visit)
      join delivery d on d.workspace_id = ${workspace} and d.membership_id = g.membership_id and d.visit = g.visit
      join delivery_queue q on q.workspace_id = ${workspace} and q.delivery_id = d.delivery_id
      where d.state = 'queued' and q.state in ('queued', 'claimed')
      for update of q skip locked) as locked
    ),
    ended as (
      delete from delivery_queue
      where workspace_id = ${workspace} and delivery_id = any(array(select delivery_id from withdrawn))
    ),
    blocked as (
      update delivery d set state = 'blocked', reason = 'cancelled'
      where d.workspace_id = ${workspace} and d.delivery_id = any(array(select delivery_id from withdrawn))
      returning ${sql.literal(endedColumns)}, ${sql.literal(countedColumns())}
    ),
    ${yield* countChange(sql, workspace, changeFromQueued("blocked"))}
    select ${unsent(sql, workspace, sql`blocked`, yield* transactionTime(sql))}`
  yield* writeEnded(sql, workspace, written)
})
