// Facts of other rooms that blast views and launches need, read by one statement. Contract tests compare the answers with
// those rooms' own.
import type { PgClient } from "@effect/sql-pg"
import type { ListedBlast, StoredBlast } from "@tentpole/core/blasts/BlastStore"
import {
  type Allotment,
  counted_max,
  type EmailSummary,
  type LaunchFacts,
  type ListSummary,
  type ReadinessFacts,
  type SummaryFacts,
} from "@tentpole/core/blasts/Readiness"
import type { MailHeader } from "@tentpole/core/documents/EmailFields"
import { type DeliveryTally, tallyCounters } from "@tentpole/core/sending/Delivery"
import type { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import type { RuleTree } from "@tentpole/core/segments/RuleTree"
import type { Topic } from "@tentpole/core/topics/Topic"
import type { Plan } from "@tentpole/core/workspaces/Workspace"
import { DateTime, Effect, Struct } from "effect"
import type { Statement } from "effect/sql"
import { rateWindowStart } from "@tentpole/core/blasts/figures/Pace"
import { instant, iso } from "../kernel/Instants.ts"
import { blastColumns, type BlastRow, toBlast } from "./BlastRows.ts"
import { messagesSince } from "../messages/EmailMessageStore.ts"
import { blockReasonOf, consentRequiredColumn, topicParts } from "../sending/BlockReason.ts"
import { listCondition, toAudienceList } from "../sending/DeliveryAudience.ts"
import type { AudienceList } from "../segments/RuleSql.ts"
import { tokensOf } from "../documents/TokenPieces.ts"
import { headerIn } from "../emails/EmailStore.ts"
import { planColumn } from "../workspaces/WorkspaceStore.ts"

type Sql = PgClient.PgClient

interface SummaryRow extends BlastRow {
  readonly list: ListSummary | null
  readonly email_summary: EmailSummary | null
  readonly approved_header: MailHeader | null
}

interface FactsRow extends SummaryRow {
  readonly system_list: "all_contacts" | "unsubscribed" | null
  readonly rules: RuleTree | null
  readonly texts: ReadonlyArray<string>
  readonly sender_address: string | null
  readonly postal_address: string | null
  readonly four_eyes: boolean
  readonly verified_domains: ReadonlyArray<string>
  readonly custom_fields: ReadonlyArray<string>
  readonly topic: Pick<Topic, "defaultSubscription" | "status"> | null
  readonly consent_required: boolean
}

interface PaceRow {
  readonly recent: number | null
  readonly next_attempt_at: Date | null
  readonly restored: boolean
}

type ViewRow = DeliveryTally & PaceRow

/** Recipient domain queues of a blast that are searched for its next attempt. */
const lanes_max = 1_000

/** Only of blasts that are sending. The next attempt is found by the index, which has the queue of each domain by due time. */
const paceColumns = (sql: Sql, workspace: WorkspaceId, now: DateTime.Utc) => {
  const queued = sql`q.workspace_id = ${workspace} and q.blast_id = b.blast_id and q.token is null`
  return sql`
  case when b.status = 'sending' then (
    select coalesce(sum(p.sent), 0)::int from delivery_pace p
    where p.workspace_id = ${workspace} and p.blast_id = b.blast_id
      and p.at >= ${iso(rateWindowStart(now))}::timestamptz) end as recent,
  case when b.status = 'sending' and t.deferred > 0 then (
    with recursive found as (
      (select q.lane from delivery_queue q where ${queued} order by q.lane limit 1)
      union all
      select (select q.lane from delivery_queue q where ${queued} and q.lane > f.lane order by q.lane limit 1)
      from found f where f.lane is not null
    )
    select min(next.due_at) from (select lane from found limit ${lanes_max}) as f
    cross join lateral (
      select q.due_at from delivery_queue q
      where ${queued} and q.lane = f.lane and q.due_at > clock_timestamp()
      order by q.due_at limit 1) as next) end as next_attempt_at,
  b.restored`
}

const tokensIn = tokensOf(
  `case when b.status <> 'draft' then '{}'
      when a.approval_id is null then array[e.subject, e.preview_text, e.from_name, v.html, e.plain_text]
      else array[a.subject, a.preview_text, a.from_name, a.html, a.plain_text] end`,
)

const summaryColumns = `case when l.list_id is not null then jsonb_build_object('listId', l.list_id, 'name', l.name,
    'kind', l.kind, 'memberCount', l.member_count) end as list,
  case when e.email_id is not null then jsonb_build_object('emailId', e.email_id, 'name', e.name, 'status', e.status,
    'subject', e.subject, 'header', ${headerIn("e")}, 'currentVersion', e.current_version, 'approval', case
      when e.approval_id is not null then jsonb_build_object('approvalId', e.approval_id, 'version', e.approved_version,
        'by', e.approved_by)
    end) end as email_summary,
  case when a.approval_id is not null then ${headerIn("a")} end as approved_header`

/** The approval that would be sent: the blast's own, or the email's while the blast has none. */
const summaryTables = (sql: Sql, workspace: WorkspaceId) => sql`blast b
  left join list l on l.workspace_id = ${workspace} and l.list_id = b.audience_list_id
  left join email e on e.workspace_id = ${workspace} and e.email_id = b.email_id
  left join email_approval a
    on a.workspace_id = ${workspace} and a.approval_id = coalesce(b.approval_id, e.approval_id)`

const factColumns = (sql: Sql, workspace: WorkspaceId) => sql`
  ${sql.literal(summaryColumns)}, l.system_list, l.rules, ${sql.literal(tokensIn)} as texts,
  coalesce(a.from_address, e.from_address) as sender_address, w.postal_address, w.four_eyes,
  array(select s.domain from sending_domain s where s.workspace_id = ${workspace} and s.status = 'verified')
    as verified_domains,
  array(select f.api_name from contact_field f where f.workspace_id = ${workspace} and f.status = 'active')
    as custom_fields,
  case when k.topic_id is not null then
    jsonb_build_object('defaultSubscription', k.default_subscription, 'status', k.status) end as topic,
  ${sql.literal(consentRequiredColumn)} as consent_required`

const factTables = (sql: Sql, workspace: WorkspaceId) => sql`${summaryTables(sql, workspace)}
  left join email_version v
    on v.workspace_id = ${workspace} and v.email_id = e.email_id and v.version = e.current_version
  left join topic k on k.workspace_id = ${workspace} and k.topic_id = b.topic_id
  join workspace w on w.workspace_id = ${workspace}`

const tallyColumns = tallyCounters.map((column) => `t.${column}`).join(", ")

const tally = (sql: Sql, workspace: WorkspaceId) => sql`left join lateral (
    select ${sql.literal(tallyCounters.map((column) => `coalesce(sum(${column}), 0)::int as ${column}`).join(", "))}
    from delivery_tally where workspace_id = ${workspace} and blast_id = b.blast_id) as t on true`

const listOf = ({ list, rules, system_list }: FactsRow): AudienceList | null =>
  list === null ? null : toAudienceList({ list_id: list.listId, kind: list.kind, system_list, rules })

/** Whether the list of a draft has no members. Searched for, except that static lists count theirs. */
const isEmpty = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, row: FactsRow, now: DateTime.Utc) {
  const list = listOf(row)
  if (row.status !== "draft" || list === null) return false
  if (list.kind === "static") return row.list?.memberCount === 0
  const condition = yield* listCondition(sql, workspace, list, now)
  const members = yield* sql`
    select from fenced_contact c where c.workspace_id = ${workspace} and (${condition}) limit 1`
  return members.length === 0
})

const summaryOf = ({ approved_header, email_summary, list }: SummaryRow): SummaryFacts => ({
  list,
  email: email_summary,
  approvedHeader: approved_header,
})

const factsOf = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, row: FactsRow, now: DateTime.Utc) {
  const { list, email, approvedHeader } = summaryOf(row)
  return {
    list: list && { ...list, empty: yield* isEmpty(sql, workspace, row, now) },
    email: email && { ...email, texts: row.texts },
    approvedHeader,
    senderAddress: row.sender_address,
    verifiedDomains: new Set(row.verified_domains),
    postalAddress: row.postal_address,
    fourEyes: row.four_eyes,
    customFields: new Set(row.custom_fields),
    topic: row.topic,
  } satisfies ReadinessFacts
})

const toListed = (row: SummaryRow & ViewRow, now: DateTime.Utc): ListedBlast => ({
  blast: toBlast(row),
  facts: summaryOf(row),
  tally: Struct.pick(row, tallyCounters),
  paceFacts:
    row.recent === null
      ? null
      : { now, sent: row.recent, nextAttemptAt: instant(row.next_attempt_at), held: row.restored },
})

const viewColumns = (sql: Sql, workspace: WorkspaceId, now: DateTime.Utc) =>
  sql`${sql.literal(blastColumns)}, ${sql.literal(tallyColumns)}, ${paceColumns(sql, workspace, now)}`

export const blastNotFound = Effect.fail(new NotFound({ resource: "email blast" }))

/** `rest` follows the FROM clause; blasts have the alias `b` in it. */
export const listed = (sql: Sql, workspace: WorkspaceId, rest: Statement.Fragment, now: DateTime.Utc) =>
  Effect.map(
    sql<SummaryRow & ViewRow>`
      select ${viewColumns(sql, workspace, now)}, ${sql.literal(summaryColumns)}
      from ${summaryTables(sql, workspace)} ${tally(sql, workspace)}
      ${rest}`,
    (rows) => rows.map((row) => toListed(row, now)),
  )

/** A blast with the facts of its readiness. They cost up to the HTML of its email and a search for members of its list. */
export const stored = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, id: BlastId, now: DateTime.Utc) {
  const [row] = yield* sql<FactsRow & ViewRow>`
    select ${viewColumns(sql, workspace, now)}, ${factColumns(sql, workspace)}
    from ${factTables(sql, workspace)} ${tally(sql, workspace)}
    where b.workspace_id = ${workspace} and b.blast_id = ${id} and b.purpose = 'blast'`
  if (row === undefined) return yield* blastNotFound
  return { ...toListed(row, now), facts: yield* factsOf(sql, workspace, row, now) } satisfies StoredBlast
})

interface LaunchRow extends FactsRow {
  readonly plan: Plan
}

/**
 * Locks the blast, its email (so that the approval cannot be withdrawn) and its list (so that it cannot be deleted), then reads: a
 * statement that locks would show rows that it joins as they were before it waited.
 */
const lockRow = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, id: BlastId) {
  const [locked] = yield* sql<{ readonly email_id: string | null; readonly audience_list_id: string | null }>`
    select s.email_id, s.audience_list_id from blast s
    where s.workspace_id = ${workspace} and s.blast_id = ${id} and s.purpose = 'blast'
    for no key update`
  if (locked === undefined) return undefined
  yield* sql`select 1 from email h where h.workspace_id = ${workspace} and h.email_id = ${locked.email_id} for share`
  yield* sql`
    select 1 from list h where h.workspace_id = ${workspace} and h.list_id = ${locked.audience_list_id} for key share`
  const [row] = yield* sql<LaunchRow>`
    select ${sql.literal(blastColumns)}, ${factColumns(sql, workspace)}, ${sql.literal(planColumn)}
    from ${factTables(sql, workspace)}
    join plan p on p.plan = w.plan
    where b.workspace_id = ${workspace} and b.blast_id = ${id} and b.purpose = 'blast'`
  return row
})

/** Locks the workspace's row, then counts today's emails: of two concurrent launches the second counts the first. */
const allotmentOf = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  row: LaunchRow,
  { now, operational }: { readonly now: DateTime.Utc; readonly operational: boolean },
) {
  yield* sql`select 1 from workspace where workspace_id = ${workspace} for no key update`
  const list = listOf(row)
  const condition = list === null ? sql.literal("false") : yield* listCondition(sql, workspace, list, now)
  const topicId = operational ? null : row.topic_id
  const standing = topicId === null ? null : { topicId, default: row.topic?.defaultSubscription ?? null }
  const { join, topic } = topicParts(sql, workspace, standing)
  const day = DateTime.formatIso(DateTime.startOf(now, "day"))
  const [counts] = yield* sql<Allotment>`
    select
      (select count(*)::int from (
        select from contact where workspace_id = ${workspace} limit ${counted_max}) as counted) as contacts,
      (select coalesce(sum(case when audience_fixed_at is null then allotted_count else qualified_count end), 0)::int
        from blast where workspace_id = ${workspace} and launched_at >= ${day})
        + ${messagesSince(sql, workspace, DateTime.startOf(now, "day"))} as "usedToday",
      (select count(*)::int from (
        select from fenced_contact c
        left join suppression s on s.workspace_id = ${workspace} and s.email_normalized = c.email_normalized
        ${join}
        where c.workspace_id = ${workspace} and (${condition})
          and ${blockReasonOf(sql, { operational, topic, consentRequired: row.consent_required })} is null
        limit ${counted_max}) as counted) as qualified`
  return counts ?? { contacts: 0, usedToday: 0, qualified: 0 }
})

export const lockForLaunch = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  id: BlastId,
  options: { readonly now: DateTime.Utc; readonly operational?: boolean },
) {
  const row = yield* lockRow(sql, workspace, id)
  if (row === undefined) return yield* blastNotFound
  const { plan } = row
  const limited = plan.emailsPerDay_max !== null || plan.contacts_max !== null
  const operational = options.operational ?? row.operational
  const facts: LaunchFacts = {
    ...(yield* factsOf(sql, workspace, row, options.now)),
    plan,
    allotment: limited ? yield* allotmentOf(sql, workspace, row, { now: options.now, operational }) : null,
  }
  return { blast: toBlast(row), facts }
})
