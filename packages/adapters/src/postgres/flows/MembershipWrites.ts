// Changes of memberships, written: whatever their number, one statement for those who enter, one for those who move, one for
// the lines of their timelines, one for the messages that they are to get.
import type { PgClient } from "@effect/sql-pg"
import type { Membership, TimelineEntry } from "@tentpole/core/flows/members/Membership"
import type { MemberCommand, MembershipChange } from "@tentpole/core/flows/members/MembershipChange"
import { MembershipId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import { booleans, ints, texts } from "../kernel/Arrays.ts"
import { writeActivities } from "../contacts/ContactWrites.ts"
import { makeDue } from "../kernel/DueWork.ts"
import { dues, standingColumns, standings } from "./MembershipRows.ts"
import { appendEvents } from "../kernel/Outbox.ts"

type Sql = PgClient.PgClient

export const applyMemberships = Effect.fnUntraced(function* (
  sql: Sql,
  ws: WorkspaceId,
  changes: ReadonlyArray<MembershipChange>,
  still: ReadonlyArray<Membership>,
) {
  const refused = yield* insertMembers(sql, ws, changes)
  const standing = changes.filter(({ after }) => !refused.has(after.id))
  yield* updateMembers(sql, ws, standing)
  yield* restMembers(sql, ws, still)
  yield* insertEntries(sql, ws, standing)
  yield* writeActivities(
    sql,
    ws,
    standing.flatMap(({ activities }) => activities),
  )
  yield* appendEvents(
    sql,
    ws,
    standing.flatMap(({ events }) => events),
  )
  yield* insertMessages(sql, ws, standing)
  yield* withdrawMessages(sql, ws, standing)
  return refused
})

/** Of each member the first state and the last. */
const sumOf = (changes: ReadonlyArray<MembershipChange>) => {
  const sums = new Map<MembershipId, { readonly before: Membership | null; after: Membership }>()
  for (const { before, after } of changes) {
    const sum = sums.get(after.id)
    if (sum === undefined) sums.set(after.id, { before, after })
    else sum.after = after
  }
  return [...sums.values()]
}

/** Answers who did not enter: the unique indexes let one in. */
const insertMembers = Effect.fnUntraced(function* (
  sql: Sql,
  ws: WorkspaceId,
  changes: ReadonlyArray<MembershipChange>,
) {
  const entering = sumOf(changes).flatMap(({ before, after }) => (before === null ? [after] : []))
  if (entering.length === 0) return new Set<MembershipId>()
  const rows = yield* sql<{ readonly membership_id: string }>`
    insert into flow_membership (workspace_id, membership_id, flow_id, contact_id, entry_source, tokens, created_emails, state,
      status, step_id, awaited_visit, due_at, sole, entered_at, updated_at)
    select ${ws}, g.id, g.flow_id, g.contact_id, g.entry_source, g.tokens, g.created_emails, g.state, g.status, g.step_id,
      g.awaited_visit, g.due_at, f.structure ->> 'reentry_policy' is not distinct from 'no_reentry', g.entered_at, g.updated_at
    from unnest(${standings(sql, entering)}, ${texts(entering.map(({ flowId }) => flowId))}::uuid[],
      ${texts(entering.map(({ contactId }) => contactId))}::uuid[],
      ${texts(entering.map(({ entrySource }) => entrySource))}::text[],
      ${texts(entering.map(({ enteredAt }) => DateTime.formatIso(enteredAt)))}::timestamptz[])
      as g (${sql.literal(standingColumns)}, flow_id, contact_id, entry_source, entered_at)
    join flow f on f.workspace_id = ${ws} and f.flow_id = g.flow_id
    order by g.id
    on conflict do nothing
    returning membership_id`
  yield* sql`select hint_due('flows', ${ws})`
  const entered = new Set(rows.map(({ membership_id }) => membership_id))
  return new Set(entering.flatMap(({ id }) => (entered.has(id) ? [] : [id])))
})

const updateMembers = Effect.fnUntraced(function* (
  sql: Sql,
  ws: WorkspaceId,
  changes: ReadonlyArray<MembershipChange>,
) {
  const moved = sumOf(changes).flatMap(({ before, after }) => (before === null ? [] : [{ before, after }]))
  if (moved.length === 0) return
  const rows = yield* sql`
    update flow_membership m set tokens = g.tokens, created_emails = g.created_emails, state = g.state, status = g.status,
      step_id = g.step_id, awaited_visit = g.awaited_visit, due_at = g.due_at, updated_at = g.updated_at
    from unnest(${standings(
      sql,
      moved.map(({ after }) => after),
    )}, ${texts(moved.map(({ before }) => before.state.status))}::text[]) as g (${sql.literal(standingColumns)}, was)
    where m.workspace_id = ${ws} and m.membership_id = g.id and m.status = g.was
    returning 1`
  if (rows.length !== moved.length) {
    return yield* Effect.die(`${moved.length - rows.length} members are not what was decided on: hold them first`)
  }
})

/** They were looked at, and nothing has changed: when to look next is as it was. */
const restMembers = (sql: Sql, ws: WorkspaceId, still: ReadonlyArray<Membership>) =>
  still.length === 0
    ? Effect.void
    : sql`
        update flow_membership m set due_at = g.due_at
        from unnest(${dues(sql, still)}) as g (id, due_at)
        where m.workspace_id = ${ws} and m.membership_id = g.id and m.due_at is distinct from g.due_at`

const insertEntries = (sql: Sql, ws: WorkspaceId, changes: ReadonlyArray<MembershipChange>) => {
  const lines = changes.flatMap(({ after, entries }) => entries.map((entry) => ({ id: after.id, entry })))
  const column = (of: (entry: TimelineEntry) => string | null) => texts(lines.map(({ entry }) => of(entry)))
  return lines.length === 0
    ? Effect.void
    : sql`
        insert into flow_event (workspace_id, membership_id, type, at, step_id, metadata)
        select ${ws}, told.membership_id, told.type, told.at, told.step_id, told.metadata
        from unnest(${texts(lines.map(({ id }) => id))}::uuid[], ${column(({ type }) => type)}::text[],
          ${column(({ at }) => DateTime.formatIso(at))}::timestamptz[], ${column(({ stepId }) => stepId)}::text[],
          ${column(({ metadata }) => JSON.stringify(metadata))}::jsonb[])
          with ordinality as told (membership_id, type, at, step_id, metadata, nth)
        order by told.nth`
}

type Command<Type extends MemberCommand["type"]> = Extract<MemberCommand, { readonly type: Type }>

const commandsOf = <Type extends MemberCommand["type"]>(changes: ReadonlyArray<MembershipChange>, type: Type) =>
  changes.flatMap(({ after, commands }) =>
    commands
      .filter((command): command is Command<Type> => command.type === type)
      .map((command) => ({ member: after, command })),
  )

/** For each step that sends, what stands for it among the blasts; made with its first message. */
const insertMessages = Effect.fnUntraced(function* (
  sql: Sql,
  ws: WorkspaceId,
  changes: ReadonlyArray<MembershipChange>,
) {
  const sends = commandsOf(changes, "send_email")
  if (sends.length === 0) return
  const steps = [...new Map(sends.map((each) => [`${each.member.flowId} ${each.command.stepId}`, each])).values()]
  yield* sql`
    insert into blast (workspace_id, blast_id, name, name_folded, status, purpose, flow_id, step_id, launched_at, created_at,
      updated_at)
    select ${ws}, uuidv7_or_v4(), g.step_id, g.step_id, 'sending', 'flow_step', g.flow_id, g.step_id, now(), now(), now()
    from unnest(${texts(steps.map(({ member }) => member.flowId))}::uuid[],
      ${texts(steps.map(({ command }) => command.stepId))}::text[]) as g (flow_id, step_id)
    where not exists (select from blast b where b.workspace_id = ${ws} and b.purpose = 'flow_step'
      and b.flow_id = g.flow_id and b.step_id = g.step_id)
    order by g.flow_id, g.step_id
    on conflict do nothing`
  const rows = yield* sql<{ readonly membership_id: string; readonly state: string }>`
    insert into delivery (workspace_id, delivery_id, blast_id, membership_id, flow_id, step_id, visit, tokens, contact_id,
      approval_id, email, email_normalized, email_domain, lane, display_name, display_name_folded, operational, state, reason,
      due_at, created_at)
    select ${ws}, uuidv7_or_v4(), b.blast_id, g.membership_id, g.flow_id, g.step_id, g.visit, g.tokens, c.contact_id,
      g.approval_id, c.email, c.email_normalized, split_part(c.email_normalized, '@', -1),
      case when w.sending_per_domain_per_second is null then ''
        else coalesce(split_part(c.email_normalized, '@', -1), '') end,
      c.display_name, c.display_name_folded, g.operational,
      -- somebody has taken the address away since it was looked at
      case when c.email_normalized is null then 'blocked' else 'queued' end,
      case when c.email_normalized is null then 'no_email' end,
      clock_timestamp(), clock_timestamp()
    from unnest(${texts(sends.map(({ member }) => member.id))}::uuid[], ${texts(sends.map(({ member }) => member.flowId))}::uuid[],
      ${texts(sends.map(({ member }) => member.contactId))}::uuid[], ${texts(sends.map(({ command }) => command.stepId))}::text[],
      ${ints(sends.map(({ command }) => command.visit))}::int[],
      ${texts(sends.map(({ command }) => JSON.stringify(command.tokens)))}::jsonb[],
      ${texts(sends.map(({ command }) => command.approvalId))}::uuid[],
      ${booleans(sends.map(({ command }) => command.operational))}::boolean[])
      as g (membership_id, flow_id, contact_id, step_id, visit, tokens, approval_id, operational)
    join workspace w on w.workspace_id = ${ws}
    join blast b on b.workspace_id = ${ws} and b.purpose = 'flow_step' and b.flow_id = g.flow_id and b.step_id = g.step_id
    join contact c on c.workspace_id = ${ws} and c.contact_id = g.contact_id
    returning membership_id, state`
  const blocked = rows.filter(({ state }) => state === "blocked").map(({ membership_id }) => membership_id)
  if (blocked.length > 0) {
    yield* sql`
      update flow_membership set due_at = clock_timestamp()
      where workspace_id = ${ws} and membership_id = any(${texts(blocked)}::uuid[])`
  }
  yield* makeDue(sql, "deliveries", ws)
})

/** What a sender has in its hands is left to the intent, which is not granted for somebody who has left. */
const withdrawMessages = (sql: Sql, ws: WorkspaceId, changes: ReadonlyArray<MembershipChange>) => {
  const withdrawn = commandsOf(changes, "withdraw_email")
  return withdrawn.length === 0
    ? Effect.void
    : sql`
        with withdrawn as materialized (
          select d.delivery_id
          from unnest(${texts(withdrawn.map(({ member }) => member.id))}::uuid[],
            ${ints(withdrawn.map(({ command }) => command.visit))}::int[]) as g (membership_id, visit)
          join delivery d on d.workspace_id = ${ws} and d.membership_id = g.membership_id and d.visit = g.visit
          where d.state in ('queued', 'claimed')
          for update of d skip locked
        )
        update delivery d set state = 'blocked', reason = 'cancelled', token = null, lease_until = null
        where d.workspace_id = ${ws} and d.delivery_id = any(array(select delivery_id from withdrawn))`
}
