// What a flow names of other rooms: their tables, read by one statement and another for fields. Laws hold the answers to what
// those rooms say themselves.
import type { PgClient } from "@effect/sql-pg"
import type { SuppressionReason } from "@tentpole/core/sending/Suppression"
import { apiTokens } from "@tentpole/core/rendering/MergeTokens"
import type { ActivationFacts } from "@tentpole/core/flows/definition/machine"
import type { StoredSimulationFacts } from "@tentpole/core/flows/definition/FlowStore"
import type { NamedByFlow, NamedFacts } from "@tentpole/core/flows/definition/FlowReferences"
import type { ApprovedTemplateFacts } from "@tentpole/core/flows/definition/Readiness"
import {
  ApprovalId,
  EmailId,
  EmailTemplateId,
  ListId,
  TentId,
  TentTemplateId,
  type WorkspaceId,
} from "@tentpole/core/kernel/Ids"
import type { RuleField } from "@tentpole/core/segments/RuleFacts"
import type { PlanName } from "@tentpole/core/workspaces/Workspace"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { texts } from "../kernel/Arrays.ts"
import { comparedFields } from "../segments/RuleSql.ts"
import { tokensOf } from "../documents/TokenPieces.ts"

type Sql = PgClient.PgClient

const fieldsOf = (sql: Sql, ws: WorkspaceId, { fields, fieldNames }: NamedByFlow) =>
  Effect.map(comparedFields(sql, ws, fields, fieldNames), (found): ReadonlyArray<RuleField> =>
    found.map(({ column: _, ...field }) => field),
  )

/** `array(…)` of those of these ids that are in the table, and answer to the condition. */
const idsIn = (
  sql: Sql,
  ws: WorkspaceId,
  from: { readonly table: string; readonly key: string; readonly where?: string },
  ids: ReadonlyArray<string>,
): Statement.Fragment =>
  sql`array(select ${sql(from.key)}::text from ${sql(from.table)}
    where workspace_id = ${ws} and ${sql(from.key)} = any(${texts(ids)}::uuid[])
      and ${sql.literal(from.where ?? "true")})`

/** A blast's inline list goes when its blast does: nobody else may count on it. */
const staticLists = { table: "list", key: "list_id", where: "kind = 'static' and owner_blast_id is null" }
const otherLists = { table: "list", key: "list_id", where: "kind <> 'static'" }
const approved = "approval_id is not null"

/** Held so that no list is deleted that is named while somebody decides. */
const holdLists = (sql: Sql, ws: WorkspaceId, lists: ReadonlyArray<ListId>) =>
  lists.length === 0
    ? Effect.void
    : sql`select 1 from list where workspace_id = ${ws} and list_id = any(${texts(lists)}::uuid[])
        order by list_id for key share`

type NamedRow = { readonly [Kind in Exclude<keyof NamedFacts, "fields">]: ReadonlyArray<string> }

/** Locks first: what is read after that is as it stays. */
export const lockNamed = Effect.fnUntraced(function* (sql: Sql, ws: WorkspaceId, named: NamedByFlow) {
  yield* holdLists(sql, ws, named.lists)
  const [row] = yield* sql<NamedRow>`
    select ${idsIn(sql, ws, staticLists, named.lists)} as "staticLists",
      ${idsIn(sql, ws, otherLists, named.lists)} as "otherLists",
      ${idsIn(sql, ws, { table: "email", key: "email_id" }, named.emails)} as emails,
      ${idsIn(sql, ws, { table: "email_template", key: "template_id" }, named.emailTemplates)} as "emailTemplates",
      ${idsIn(sql, ws, { table: "tent_template", key: "template_id" }, named.tentTemplates)} as "tentTemplates",
      ${idsIn(sql, ws, { table: "tent", key: "tent_id" }, named.tents)} as tents`
  if (row === undefined) return yield* Effect.die("a SELECT without FROM answers a row")
  const facts: NamedFacts = {
    fields: yield* fieldsOf(sql, ws, named),
    staticLists: new Set(row.staticLists.map((id) => ListId.make(id))),
    otherLists: new Set(row.otherLists.map((id) => ListId.make(id))),
    emails: new Set(row.emails.map((id) => EmailId.make(id))),
    emailTemplates: new Set(row.emailTemplates.map((id) => EmailTemplateId.make(id))),
    tentTemplates: new Set(row.tentTemplates.map((id) => TentTemplateId.make(id))),
    tents: new Set(row.tents.map((id) => TentId.make(id))),
  }
  return facts
})

interface EmailFact {
  readonly email_id: string
  readonly approval_id: string | null
  readonly from_address: string | null
}

interface TemplateFact {
  readonly template_id: string
  readonly subject: string | null
  readonly preview_text: string | null
  readonly from_name: string | null
  readonly from_address: string | null
  readonly reply_to_email: string | null
  readonly pieces: ReadonlyArray<string>
}

interface ActivationRow {
  readonly static_lists: ReadonlyArray<string>
  readonly tents: ReadonlyArray<string>
  readonly tent_templates: ReadonlyArray<string>
  readonly emails: ReadonlyArray<EmailFact>
  readonly templates: ReadonlyArray<TemplateFact>
  readonly verified_domains: ReadonlyArray<string>
  readonly sender_from_name: string | null
  readonly sender_from_address: string | null
  readonly sender_reply_to: string | null
  readonly plan: PlanName
  readonly flows: boolean
}

/**
 * Whatever the flow names, held in the strength that keeps it as it is: approvals against whoever would take them back, fields
 * against being archived, lists and tents against being deleted; members may go on coming to a list.
 */
const holdAll = Effect.fnUntraced(function* (sql: Sql, ws: WorkspaceId, named: NamedByFlow) {
  const held = (table: string, key: string, ids: ReadonlyArray<string>, strength: "share" | "key share") => sql`
    (select count(*) from (
      select 1 from ${sql(table)} where workspace_id = ${ws} and ${sql(key)} = any(${texts(ids)}::uuid[])
      order by ${sql(key)} for ${sql.literal(strength)}) as held)`
  yield* sql`
    select ${held("email", "email_id", named.emails, "share")},
      ${held("email_template", "template_id", named.emailTemplates, "share")},
      ${held("tent_template", "template_id", named.tentTemplates, "share")},
      ${held("contact_field", "field_definition_id", named.fields, "share")},
      (select count(*) from (
        select 1 from contact_field where workspace_id = ${ws} and api_name = any(${texts(named.fieldNames)}::text[])
        order by field_definition_id for share) as held),
      ${held("list", "list_id", named.lists, "key share")}, ${held("tent", "tent_id", named.tents, "key share")}`
})

const emailFacts = (sql: Sql, ws: WorkspaceId, ids: ReadonlyArray<EmailId>) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object(
    'email_id', e.email_id, 'approval_id', a.approval_id, 'from_address', a.from_address)), '[]')
  from email e
  left join email_approval a on a.workspace_id = e.workspace_id and a.approval_id = e.approval_id
  where e.workspace_id = ${ws} and e.email_id = any(${texts(ids)}::uuid[]))`

const templateTexts = `array[a.html, a.plain_text, a.default_subject, a.default_preview_text, a.default_from_name]`

const templateFacts = (sql: Sql, ws: WorkspaceId, ids: ReadonlyArray<EmailTemplateId>) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object(
    'template_id', t.template_id, 'subject', a.default_subject, 'preview_text', a.default_preview_text,
    'from_name', a.default_from_name, 'from_address', a.default_from_address,
    'reply_to_email', a.default_reply_to_email, 'pieces', ${sql.literal(tokensOf(templateTexts))})), '[]')
  from email_template t
  join email_template_approval a on a.workspace_id = t.workspace_id and a.approval_id = t.approval_id
  where t.workspace_id = ${ws} and t.template_id = any(${texts(ids)}::uuid[]))`

/** Two statements after the flow's own lock: what is read sees what whoever was waited for has done. */
export const lockForActivation = Effect.fnUntraced(function* (sql: Sql, ws: WorkspaceId, named: NamedByFlow) {
  yield* holdAll(sql, ws, named)
  const [row] = yield* sql<ActivationRow>`
    select ${idsIn(sql, ws, staticLists, named.lists)} as static_lists,
      ${idsIn(sql, ws, { table: "tent", key: "tent_id" }, named.tents)} as tents,
      ${idsIn(sql, ws, { table: "tent_template", key: "template_id", where: approved }, named.tentTemplates)}
        as tent_templates,
      ${emailFacts(sql, ws, named.emails)} as emails, ${templateFacts(sql, ws, named.emailTemplates)} as templates,
      array(select domain from sending_domain where workspace_id = ${ws} and status = 'verified') as verified_domains,
      w.sender_from_name, w.sender_from_address, w.sender_reply_to, p.plan, p.flows
    from workspace w join plan p on p.plan = w.plan
    where w.workspace_id = ${ws}`
  if (row === undefined) return yield* Effect.die("a flow has its workspace")
  const facts: ActivationFacts = {
    plan: { plan: row.plan, flows: row.flows },
    fields: yield* fieldsOf(sql, ws, named),
    staticLists: new Set(row.static_lists.map((id) => ListId.make(id))),
    emails: new Map(row.emails.map(toEmailFact)),
    emailTemplates: new Map(row.templates.map(toTemplateFact)),
    tentTemplates: new Set(row.tent_templates.map((id) => TentTemplateId.make(id))),
    tents: new Set(row.tents.map((id) => TentId.make(id))),
    senderDefaults: {
      fromName: row.sender_from_name,
      fromAddress: row.sender_from_address,
      replyToEmail: row.sender_reply_to,
    },
    verifiedDomains: new Set(row.verified_domains),
  }
  return facts
})

const toEmailFact = ({ email_id, approval_id, from_address }: EmailFact) => {
  const approval =
    approval_id === null || from_address === null
      ? null
      : { id: ApprovalId.make(approval_id), fromAddress: from_address }
  return [EmailId.make(email_id), { approval }] as const
}

const toTemplateFact = ({ template_id, pieces, ...mail }: TemplateFact) => {
  const facts: ApprovedTemplateFacts = {
    defaults: {
      subject: mail.subject,
      previewText: mail.preview_text,
      fromName: mail.from_name,
      fromAddress: mail.from_address,
      replyToEmail: mail.reply_to_email,
    },
    apiTokens: apiTokens(pieces),
  }
  return [EmailTemplateId.make(template_id), facts] as const
}

interface TrialRow {
  readonly static_lists: ReadonlyArray<string>
  readonly subjects: ReadonlyArray<{ readonly id: string; readonly subject: string | null }>
  readonly template_subjects: ReadonlyArray<{ readonly id: string; readonly subject: string | null }>
  readonly name: string
  readonly reason: SuppressionReason | null
}

/** An email's subject is that of its approval, before there is one its own. */
export const trialFacts = Effect.fnUntraced(function* (
  sql: Sql,
  ws: WorkspaceId,
  { named, emailNormalized }: { readonly named: NamedByFlow; readonly emailNormalized: string | null },
) {
  const [row] = yield* sql<TrialRow>`
    select ${idsIn(sql, ws, staticLists, named.lists)} as static_lists, (
        select coalesce(jsonb_agg(jsonb_build_object('id', e.email_id, 'subject', coalesce(a.subject, e.subject))), '[]')
        from email e
        left join email_approval a on a.workspace_id = e.workspace_id and a.approval_id = e.approval_id
        where e.workspace_id = ${ws} and e.email_id = any(${texts(named.emails)}::uuid[])) as subjects, (
        select coalesce(jsonb_agg(jsonb_build_object('id', t.template_id, 'subject',
          case when a.approval_id is null then t.default_subject else a.default_subject end)), '[]')
        from email_template t
        left join email_template_approval a on a.workspace_id = t.workspace_id and a.approval_id = t.approval_id
        where t.workspace_id = ${ws} and t.template_id = any(${texts(named.emailTemplates)}::uuid[]))
        as template_subjects,
      w.name, s.reason
    from workspace w
    left join suppression s on s.workspace_id = w.workspace_id and s.email_normalized = ${emailNormalized}::text
    where w.workspace_id = ${ws}`
  if (row === undefined) return yield* Effect.die("a flow has its workspace")
  const facts: StoredSimulationFacts = {
    facts: {
      fields: yield* fieldsOf(sql, ws, named),
      staticLists: new Set(row.static_lists.map((id) => ListId.make(id))),
      subjects: new Map(row.subjects.map(({ id, subject }) => [EmailId.make(id), subject])),
      templateSubjects: new Map(row.template_subjects.map(({ id, subject }) => [EmailTemplateId.make(id), subject])),
      workspaceName: row.name,
    },
    suppression: row.reason,
  }
  return facts
})
