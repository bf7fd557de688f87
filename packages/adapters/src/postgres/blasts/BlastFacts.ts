// Facts of other rooms that blast views and launches need, read by one statement. Contract tests compare the answers with
// those rooms' own.
import type { PgClient } from "@effect/sql-pg"
import type { StoredBlast } from "@tentpole/core/blasts/BlastStore"
import {
  type Allotment,
  counted_max,
  type EmailFacts,
  type LaunchFacts,
  type ListFacts,
  type ReadinessFacts,
} from "@tentpole/core/blasts/Readiness"
import type { MailHeader } from "@tentpole/core/documents/EmailFields"
import { type DeliveryTally, tallyCounters } from "@tentpole/core/sending/Delivery"
import type { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { referencesIn, type RuleTree } from "@tentpole/core/segments/RuleTree"
import type { Plan } from "@tentpole/core/workspaces/Workspace"
import { DateTime, Effect, Struct } from "effect"
import type { Statement } from "effect/sql"
import { rateWindowStart } from "@tentpole/core/blasts/figures/Pace"
import { instant, iso } from "../kernel/Instants.ts"
import { blastColumns, type BlastRow, toBlast } from "./BlastRows.ts"
import { blockReasonOf } from "../sending/BlockReason.ts"
import { listCondition, toAudienceList } from "../sending/DeliveryAudience.ts"
import { audienceCondition, type AudienceList, comparedFields } from "../segments/RuleSql.ts"
import { tokensOf } from "../documents/TokenPieces.ts"
import { headerIn } from "../emails/EmailStore.ts"

type Sql = PgClient.PgClient

interface FactsRow extends BlastRow {
  readonly list: Omit<ListFacts, "empty"> | null
  readonly system_list: "all_contacts" | "unsubscribed" | null
  readonly rules: RuleTree | null
  readonly email_facts: EmailFacts | null
  readonly approved_header: MailHeader | null
  readonly sender_address: string | null
  readonly postal_address: string | null
  readonly verified_domains: ReadonlyArray<string>
  readonly custom_fields: ReadonlyArray<string>
}

interface PaceRow {
  readonly recent: number | null
  readonly next_attempt_at: Date | null
  readonly restored: boolean
}

type ViewRow = FactsRow & DeliveryTally & PaceRow

/** Recipient domain queues of a blast that are searched for its next attempt. */
const lanes_max = 1_000

/** Only of blasts that are sending. The next attempt is found by the index, which has the queue of each domain by due time. */
const paceColumns = (sql: Sql, now: DateTime.Utc) => sql`
  case when b.status = 'sending' then (
    select coalesce(sum(p.sent), 0)::int from delivery_pace p where p.workspace_id = b.workspace_id
      and p.blast_id = b.blast_id and p.at >= ${iso(rateWindowStart(now))}::timestamptz) end as recent,
  case when b.status = 'sending' and t.deferred > 0 then (
    with recursive found as (
      (select q.lane from delivery_queue q
       where q.workspace_id = b.workspace_id and q.blast_id = b.blast_id and q.token is null order by q.lane limit 1)
      union all
      select (select q.lane from delivery_queue q
        where q.workspace_id = b.workspace_id and q.blast_id = b.blast_id and q.lane > f.lane and q.token is null
        order by q.lane limit 1)
      from found f where f.lane is not null
    )
    select min(next.due_at) from (select lane from found limit ${lanes_max}) as f
    cross join lateral (
      select q.due_at from delivery_queue q
      where q.workspace_id = b.workspace_id and q.blast_id = b.blast_id and q.lane = f.lane and q.token is null
        and q.due_at > clock_timestamp()
      order by q.due_at limit 1) as next) end as next_attempt_at,
  b.restored`

const tokensIn = tokensOf(
  `case when b.status <> 'draft' then '{}'
      when a.approval_id is null then array[e.subject, e.preview_text, e.from_name, v.html, e.plain_text]
      else array[a.subject, a.preview_text, a.from_name, a.html, a.plain_text] end`,
)

const factColumns = `case when l.list_id is not null then jsonb_build_object('listId', l.list_id, 'name', l.name,
    'kind', l.kind, 'memberCount', l.member_count) end as list, l.system_list, l.rules,
  case when e.email_id is not null then jsonb_build_object('emailId', e.email_id, 'name', e.name, 'status', e.status,
    'subject', e.subject, 'header', ${headerIn("e")}, 'currentVersion', e.current_version, 'texts', ${tokensIn}, 'approval', case
      when e.approval_id is not null then jsonb_build_object('approvalId', e.approval_id, 'version', e.approved_version)
    end) end as email_facts,
  case when a.approval_id is not null then ${headerIn("a")} end as approved_header,
  coalesce(a.from_address, e.from_address) as sender_address, w.postal_address,
  array(select s.domain from sending_domain s where s.workspace_id = w.workspace_id and s.status = 'verified')
    as verified_domains,
  array(select f.api_name from contact_field f where f.workspace_id = w.workspace_id and f.status = 'active')
    as custom_fields`

/** The approval that would be sent: the blast's own, or the email's while the blast has none. */
const factTables = `blast b
  join workspace w on w.workspace_id = b.workspace_id
  left join list l on l.workspace_id = b.workspace_id and l.list_id = b.audience_list_id
  left join email e on e.workspace_id = b.workspace_id and e.email_id = b.email_id
  left join email_approval a on a.workspace_id = b.workspace_id and a.approval_id = coalesce(b.approval_id, e.approval_id)
  left join email_version v on v.workspace_id = b.workspace_id and v.email_id = e.email_id and v.version = e.current_version`

const viewColumns = tallyCounters.map((column) => `t.${column}`).join(", ")

const tally = `left join lateral (
    select ${tallyCounters.map((column) => `coalesce(sum(${column}), 0)::int as ${column}`).join(", ")}
    from delivery_tally where workspace_id = b.workspace_id and blast_id = b.blast_id) as t on true`

const listOf = ({ list, rules, system_list }: FactsRow): AudienceList | null =>
  list === null ? null : toAudienceList({ list_id: list.listId, kind: list.kind, system_list, rules })

/** The lists of these drafts, except static ones, that have no contacts. One statement checks each list once. */
const emptyLists = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  rows: ReadonlyArray<FactsRow>,
  now: DateTime.Utc,
) {
  const wanted = rows.flatMap((row) =>
    row.status === "draft" && row.list?.kind !== "static" ? (listOf(row) ?? []) : [],
  )
  const lists = [...new Map(wanted.map((list) => [list.id, list])).values()]
  if (lists.length === 0) return new Set<string>()
  const mentioned = lists.flatMap((list) =>
    list.kind === "dynamic" && list.rules !== null ? referencesIn(list.rules).fields : [],
  )
  const fields = yield* comparedFields(sql, workspace, mentioned)
  const queries = lists.map(
    (list) => sql`
      select ${list.id}::uuid as list_id where not exists (select from fenced_contact c
        where c.workspace_id = ${workspace} and (${audienceCondition(sql, workspace, list, { fields, now })}))`,
  )
  const empty = yield* sql<{ readonly list_id: string }>`${sql.join(" union all ", false)(queries)}`
  return new Set(empty.map((row) => row.list_id))
})

const factsOf = (
  {
    approved_header,
    custom_fields,
    email_facts,
    list,
    postal_address,
    sender_address,
    status,
    verified_domains,
  }: FactsRow,
  empty: ReadonlySet<string>,
): ReadinessFacts => ({
  list: list && { ...list, empty: status === "draft" && (list.memberCount === 0 || empty.has(list.listId)) },
  email: email_facts,
  approvedHeader: approved_header,
  senderAddress: sender_address,
  verifiedDomains: new Set(verified_domains),
  postalAddress: postal_address,
  customFields: new Set(custom_fields),
})

/** Blast views. `rest` follows the FROM clause; blasts have the alias `b` in it. */
export const views = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  rest: Statement.Fragment,
  now: DateTime.Utc,
) {
  const rows = yield* sql<ViewRow>`
    select ${sql.literal(blastColumns)}, ${sql.literal(factColumns)}, ${sql.literal(viewColumns)},
      ${paceColumns(sql, now)}
    from ${sql.literal(factTables)} ${sql.literal(tally)}
    ${rest}`
  const empty = yield* emptyLists(sql, workspace, rows, now)
  return rows.map((row): StoredBlast => ({
    blast: toBlast(row),
    facts: factsOf(row, empty),
    tally: Struct.pick(row, tallyCounters),
    paceFacts:
      row.recent === null
        ? null
        : { now, sent: row.recent, nextAttemptAt: instant(row.next_attempt_at), held: row.restored },
  }))
})

interface LaunchRow extends FactsRow {
  readonly plan: Plan
  readonly waited: boolean
}

const planColumn = `jsonb_build_object('plan', p.plan, 'publishedTents_max', p.published_tents_max,
    'emailsPerDay_max', p.emails_per_day_max, 'contacts_max', p.contacts_max,
    'recipientsPerBlast_max', p.recipients_per_blast_max, 'flows', p.flows, 'brandingRemovable', p.branding_removable)
    as plan`

/**
 * Locks the blast, its email (so that the approval cannot be withdrawn) and its list (so that it cannot be deleted). Rows that
 * are joined to a locked row show the state before the wait for the lock. `waited` compares the versions of the locked rows;
 * when it is true, the caller reads again.
 */
const lockRow = (sql: Sql, workspace: WorkspaceId, id: BlastId) => sql<LaunchRow>`
  with locked as materialized (
    select s.xmin, s.email_id, s.audience_list_id from blast s
    where s.workspace_id = ${workspace} and s.blast_id = ${id} and s.purpose = 'blast'
    for no key update),
  locked_email as materialized (
    select h.xmin from email h
    where h.workspace_id = ${workspace} and h.email_id = (select email_id from locked)
    for share),
  locked_list as materialized (
    select h.xmin from list h
    where h.workspace_id = ${workspace} and h.list_id = (select audience_list_id from locked)
    for key share)
  select ${sql.literal(blastColumns)}, ${sql.literal(factColumns)}, ${sql.literal(planColumn)},
    b.xmin is distinct from (select xmin from locked)
      or e.xmin is distinct from (select xmin from locked_email)
      or l.xmin is distinct from (select xmin from locked_list) as waited
  from ${sql.literal(factTables)}
  join plan p on p.plan = w.plan
  where b.workspace_id = ${workspace} and b.blast_id = ${id} and b.purpose = 'blast'`

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
  const day = DateTime.formatIso(DateTime.startOf(now, "day"))
  const [counts] = yield* sql<Allotment>`
    select
      (select count(*)::int from (
        select from contact where workspace_id = ${workspace} limit ${counted_max}) as counted) as contacts,
      (select coalesce(sum(case when audience_fixed_at is null then allotted_count else qualified_count end), 0)::int
        from blast where workspace_id = ${workspace} and launched_at >= ${day}) as "usedToday",
      (select count(*)::int from (
        select from fenced_contact c
        left join suppression s on s.workspace_id = ${workspace} and s.email_normalized = c.email_normalized
        where c.workspace_id = ${workspace} and (${condition}) and ${blockReasonOf(sql, operational)} is null
        limit ${counted_max}) as counted) as qualified`
  return counts ?? { contacts: 0, usedToday: 0, qualified: 0 }
})

export const blastNotFound = Effect.fail(new NotFound({ resource: "email blast" }))

export const lockForLaunch = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  id: BlastId,
  options: { readonly now: DateTime.Utc; readonly operational?: boolean },
) {
  const [row] = yield* Effect.repeat(lockRow(sql, workspace, id), { while: ([found]) => found?.waited === true })
  if (row === undefined) return yield* blastNotFound
  const { plan } = row
  const limited = plan.emailsPerDay_max !== null || plan.contacts_max !== null
  const operational = options.operational ?? row.operational
  const facts: LaunchFacts = {
    ...factsOf(row, yield* emptyLists(sql, workspace, [row], options.now)),
    plan,
    allotment: limited ? yield* allotmentOf(sql, workspace, row, { now: options.now, operational }) : null,
  }
  return { blast: toBlast(row), facts }
})
