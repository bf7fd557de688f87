// Facts of other rooms that blast views and launches need, read by one statement. Contract tests compare the answers with
// those rooms' own.
import type { PgClient } from "@effect/sql-pg"
import type { StoredBlast } from "@tentpole/core/blasts/BlastStore"
import {
  counted_max,
  type EmailFacts,
  type LaunchFacts,
  type ListFacts,
  type ReadinessFacts,
} from "@tentpole/core/blasts/Readiness"
import { type DeliveryTally, tallyCounters } from "@tentpole/core/sending/Delivery"
import { ApprovalId, type BlastId, EmailId, ListId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { referencesIn, type RuleTree } from "@tentpole/core/segments/RuleTree"
import type { Plan, PlanName } from "@tentpole/core/workspaces/Workspace"
import { DateTime, Effect, Struct } from "effect"
import type { Statement } from "effect/sql"
import { blastColumns, type BlastRow, toBlast } from "./BlastRows.ts"
import { blockReasonOf, listCondition, toAudienceList } from "../sending/DeliveryAudience.ts"
import { audienceCondition, type AudienceList, comparedFields } from "../segments/RuleSql.ts"
import { tokensOf } from "../documents/TokenPieces.ts"

type Sql = PgClient.PgClient

interface FactsRow extends BlastRow {
  readonly list_id: string | null
  readonly list_name: string
  readonly list_kind: ListFacts["kind"]
  readonly system_list: "all_contacts" | "unsubscribed" | null
  readonly list_rules: RuleTree | null
  readonly member_count: number | null
  readonly found_email_id: string | null
  readonly email_name: string
  readonly email_status: EmailFacts["status"]
  readonly email_subject: string | null
  readonly current_version: number
  readonly approved_version: number | null
  readonly email_approval_id: string | null
  readonly sender_address: string | null
  readonly texts: ReadonlyArray<string>
  readonly postal_address: string | null
  readonly verified_domains: ReadonlyArray<string>
  readonly custom_fields: ReadonlyArray<string>
}

type ViewRow = FactsRow & DeliveryTally

const tokensIn = tokensOf(
  `case when b.status <> 'draft' then '{}'
      when a.approval_id is null then array[e.subject, e.preview_text, e.from_name, v.html, e.plain_text]
      else array[a.subject, a.preview_text, a.from_name, a.html, a.plain_text] end`,
)

const factColumns = `l.list_id, l.name as list_name, l.kind as list_kind, l.system_list, l.rules as list_rules, l.member_count,
  e.email_id as found_email_id, e.name as email_name, e.status as email_status, e.subject as email_subject,
  e.current_version, e.approved_version, e.approval_id as email_approval_id,
  coalesce(a.from_address, e.from_address) as sender_address, w.postal_address, ${tokensIn} as texts,
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

const listOf = (row: FactsRow): AudienceList | null =>
  toAudienceList({ ...row, kind: row.list_kind, rules: row.list_rules })

/** The lists among these, none of them static, that have no contacts. One statement for all of them. */
const emptyLists = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  lists: ReadonlyArray<AudienceList>,
  now: DateTime.Utc,
) {
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
  const rows = yield* sql<{ readonly list_id: string }>`${sql.join(" union all ", false)(queries)}`
  return new Set(rows.map((row) => row.list_id))
})

const emailFacts = (row: FactsRow): EmailFacts | null =>
  row.found_email_id === null
    ? null
    : {
        emailId: EmailId.make(row.found_email_id),
        name: row.email_name,
        status: row.email_status,
        subject: row.email_subject,
        currentVersion: row.current_version,
        approval:
          row.email_approval_id === null || row.approved_version === null
            ? null
            : { approvalId: ApprovalId.make(row.email_approval_id), version: row.approved_version },
        texts: row.texts,
      }

const factsOf = (row: FactsRow, empty: ReadonlySet<string>): ReadinessFacts => ({
  list:
    row.list_id === null
      ? null
      : {
          listId: ListId.make(row.list_id),
          name: row.list_name,
          kind: row.list_kind,
          memberCount: row.member_count,
          empty: row.status === "draft" && (row.member_count === 0 || empty.has(row.list_id)),
        },
  email: emailFacts(row),
  senderAddress: row.sender_address,
  verifiedDomains: new Set(row.verified_domains),
  postalAddress: row.postal_address,
  customFields: new Set(row.custom_fields),
})

/** The facts of these rows. For drafts, checks whether their lists are empty. */
const withFacts = <Row extends FactsRow>(
  sql: Sql,
  workspace: WorkspaceId,
  rows: ReadonlyArray<Row>,
  now: DateTime.Utc,
) =>
  Effect.map(
    emptyLists(
      sql,
      workspace,
      rows.flatMap((row) => {
        const list = row.status === "draft" ? listOf(row) : null
        return list === null || list.kind === "static" ? [] : [list]
      }),
      now,
    ),
    (empty) => rows.map((row) => ({ row, facts: factsOf(row, empty) })),
  )

/** Blast views. `rest` follows the FROM clause; blasts have the alias `b` in it. */
export const views = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  rest: Statement.Fragment,
  now: DateTime.Utc,
) {
  const rows = yield* sql<ViewRow>`
    select ${sql.literal(blastColumns)}, ${sql.literal(factColumns)}, ${sql.literal(viewColumns)}
    from ${sql.literal(factTables)} ${sql.literal(tally)}
    ${rest}`
  const all = yield* withFacts(sql, workspace, rows, now)
  return all.map(({ row, facts }): StoredBlast => ({
    blast: toBlast(row),
    facts,
    tally: Struct.pick(row, tallyCounters),
  }))
})

interface LaunchRow extends FactsRow {
  readonly plan: PlanName
  readonly published_tents_max: number | null
  readonly emails_per_day_max: number | null
  readonly contacts_max: number | null
  readonly recipients_per_blast_max: number | null
  readonly flows: boolean
  readonly branding_removable: boolean
  readonly waited: boolean
}

const planOf = (row: LaunchRow): Plan => ({
  plan: row.plan,
  publishedTents_max: row.published_tents_max,
  emailsPerDay_max: row.emails_per_day_max,
  contacts_max: row.contacts_max,
  recipientsPerBlast_max: row.recipients_per_blast_max,
  flows: row.flows,
  brandingRemovable: row.branding_removable,
})

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
  select ${sql.literal(blastColumns)}, ${sql.literal(factColumns)}, p.plan, p.published_tents_max, p.emails_per_day_max,
    p.contacts_max, p.recipients_per_blast_max, p.flows, p.branding_removable,
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
  const [counts] = yield* sql<{ readonly contacts: number; readonly used: number; readonly qualified: number }>`
    select
      (select count(*)::int from (
        select from contact where workspace_id = ${workspace} limit ${counted_max}) as counted) as contacts,
      (select coalesce(sum(case when audience_fixed_at is null then allotted_count else qualified_count end), 0)::int
        from blast where workspace_id = ${workspace} and launched_at >= ${day}) as used,
      (select count(*)::int from (
        select from fenced_contact c
        left join suppression s on s.workspace_id = ${workspace} and s.email_normalized = c.email_normalized
        where c.workspace_id = ${workspace} and (${condition}) and ${blockReasonOf(sql, operational)} is null
        limit ${counted_max}) as counted) as qualified`
  return { contacts: counts?.contacts ?? 0, usedToday: counts?.used ?? 0, qualified: counts?.qualified ?? 0 }
})

export const lockForLaunch = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  id: BlastId,
  options: { readonly now: DateTime.Utc; readonly operational?: boolean },
) {
  const [row] = yield* Effect.repeat(lockRow(sql, workspace, id), { while: ([found]) => found?.waited === true })
  if (row === undefined) return null
  const [known] = yield* withFacts(sql, workspace, [row], options.now)
  const plan = planOf(row)
  const limited = plan.emailsPerDay_max !== null || plan.contacts_max !== null
  const operational = options.operational ?? row.operational
  const facts: LaunchFacts = {
    ...(known?.facts ?? factsOf(row, new Set())),
    plan,
    allotment: limited ? yield* allotmentOf(sql, workspace, row, { now: options.now, operational }) : null,
  }
  return { blast: toBlast(row), facts }
})
