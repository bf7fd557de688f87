// Facts of other rooms that a flow's decisions need. One statement reads their tables and another the custom fields. Contract
// tests compare the answers with those rooms' own.
import type { PgClient } from "@effect/sql-pg"
import type { SuppressionReason } from "@tentpole/core/sending/Suppression"
import { apiTokens } from "@tentpole/core/rendering/MergeTokens"
import type { ActivationFacts } from "@tentpole/core/flows/definition/machine"
import type { StoredSimulationFacts } from "@tentpole/core/flows/definition/FlowStore"
import type { NamedByFlow, NamedFacts } from "@tentpole/core/flows/definition/FlowReferences"
import type { EmailId, EmailTemplateId, ListId, TentTemplateId, TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { RuleField } from "@tentpole/core/segments/RuleFacts"
import type { MailDefaults } from "@tentpole/core/templates/Template"
import type { Topic } from "@tentpole/core/topics/Topic"
import { unfilledIn } from "@tentpole/core/tents/Variables"
import { nameTokenOf, type WorkspaceBrand } from "@tentpole/core/workspaces/Workspace"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { texts } from "../kernel/Arrays.ts"
import { comparedFields } from "../segments/RuleSql.ts"
import { tokensOf } from "../documents/TokenPieces.ts"

type Sql = PgClient.PgClient

const fieldsOf = (sql: Sql, workspace: WorkspaceId, { fields, fieldNames }: NamedByFlow) =>
  Effect.map(comparedFields(sql, workspace, fields, fieldNames), (found): ReadonlyArray<RuleField> =>
    found.map(({ column: _, ...field }) => field),
  )

/** `array(…)` of the ids that exist in the table and meet the condition. */
const idsIn = (
  sql: Sql,
  workspace: WorkspaceId,
  from: { readonly table: string; readonly key: string; readonly where?: string },
  ids: ReadonlyArray<string>,
): Statement.Fragment =>
  sql`array(select ${sql(from.key)}::text from ${sql(from.table)}
    where workspace_id = ${workspace} and ${sql(from.key)} = any(${texts(ids)}::uuid[])
      and ${sql.literal(from.where ?? "true")})`

/** A blast's inline list is deleted with its blast and is not available to flows. */
const staticLists = { table: "list", key: "list_id", where: "kind = 'static' and owner_blast_id is null" }
const otherLists = { table: "list", key: "list_id", where: "kind <> 'static'" }

/** Prevents the deletion of named lists until the transaction ends. */
const lockLists = (sql: Sql, workspace: WorkspaceId, lists: ReadonlyArray<ListId>) =>
  lists.length === 0
    ? Effect.void
    : sql`select 1 from list where workspace_id = ${workspace} and list_id = any(${texts(lists)}::uuid[])
        order by list_id for key share`

/** The same for topics. */
const lockTopics = (sql: Sql, workspace: WorkspaceId, topics: ReadonlyArray<TopicId>) =>
  topics.length === 0
    ? Effect.void
    : sql`select 1 from topic where workspace_id = ${workspace} and topic_id = any(${texts(topics)}::uuid[])
        order by topic_id for key share`

type Ids<A> = { readonly [Key in keyof A]: A[Key] extends ReadonlySet<infer Id> ? ReadonlyArray<Id> : never }
type NamedRow = Ids<Omit<NamedFacts, "fields">>

/** Locks before it reads, so that the facts stay true until the transaction ends. */
export const lockNamed = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, named: NamedByFlow) {
  yield* lockLists(sql, workspace, named.lists)
  yield* lockTopics(sql, workspace, named.stepTopics)
  const [row] = yield* sql<NamedRow>`
    select ${idsIn(sql, workspace, staticLists, named.lists)} as "staticLists",
      ${idsIn(sql, workspace, otherLists, named.lists)} as "otherLists",
      ${idsIn(sql, workspace, { table: "topic", key: "topic_id" }, named.topics)} as topics,
      ${idsIn(sql, workspace, { table: "email", key: "email_id" }, named.emails)} as emails,
      ${idsIn(sql, workspace, { table: "email_template", key: "template_id" }, named.emailTemplates)} as "emailTemplates",
      ${idsIn(sql, workspace, { table: "tent_template", key: "template_id" }, named.tentTemplates)} as "tentTemplates",
      ${idsIn(sql, workspace, { table: "tent", key: "tent_id" }, named.tents)} as tents,
      ${idsIn(sql, workspace, { table: "topic", key: "topic_id" }, named.stepTopics)} as "stepTopics"`
  if (row === undefined) return yield* Effect.die("a SELECT without FROM returned no row")
  const facts: NamedFacts = {
    fields: yield* fieldsOf(sql, workspace, named),
    staticLists: new Set(row.staticLists),
    otherLists: new Set(row.otherLists),
    topics: new Set(row.topics),
    emails: new Set(row.emails),
    emailTemplates: new Set(row.emailTemplates),
    tentTemplates: new Set(row.tentTemplates),
    tents: new Set(row.tents),
    stepTopics: new Set(row.stepTopics),
  }
  return facts
})

type ValueOf<A> = A extends ReadonlyMap<unknown, infer Value> ? Value : never

interface TemplateFact {
  readonly id: EmailTemplateId
  readonly defaults: MailDefaults
  readonly pieces: ReadonlyArray<string>
}

interface ActivationRow
  extends
    Ids<Pick<ActivationFacts, "staticLists" | "tents" | "verifiedDomains">>,
    Pick<ActivationFacts, "plan" | "senderDefaults"> {
  readonly ruleTopics: ReadonlyArray<TopicId>
  readonly emails: ReadonlyArray<ValueOf<ActivationFacts["emails"]> & { readonly id: EmailId }>
  readonly templates: ReadonlyArray<TemplateFact>
  readonly pages: ReadonlyArray<{ readonly id: TentTemplateId; readonly pieces: ReadonlyArray<string> }>
  readonly topics: ReadonlyArray<Pick<Topic, "id" | "status">>
}

/**
 * Locks everything that the flow names, as strongly as each needs: approvals cannot be withdrawn, fields cannot be archived,
 * lists and tents cannot be deleted. Members can still be added to a list.
 */
export const lockReferences = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, named: NamedByFlow) {
  const lockRows = (table: string, key: string, ids: ReadonlyArray<string>, strength: "share" | "key share") => sql`
    (select count(*) from (
      select 1 from ${sql(table)} where workspace_id = ${workspace} and ${sql(key)} = any(${texts(ids)}::uuid[])
      order by ${sql(key)} for ${sql.literal(strength)}) as locked)`
  yield* sql`
    select ${lockRows("email", "email_id", named.emails, "share")},
      ${lockRows("email_template", "template_id", named.emailTemplates, "share")},
      ${lockRows("tent_template", "template_id", named.tentTemplates, "share")},
      ${lockRows("contact_field", "field_definition_id", named.fields, "share")},
      (select count(*) from (
        select 1 from contact_field where workspace_id = ${workspace} and api_name = any(${texts(named.fieldNames)}::text[])
        order by field_definition_id for share) as locked),
      ${lockRows("list", "list_id", named.lists, "key share")}, ${lockRows("tent", "tent_id", named.tents, "key share")},
      ${lockRows("topic", "topic_id", named.stepTopics, "share")}`
})

const emailFacts = (sql: Sql, workspace: WorkspaceId, ids: ReadonlyArray<EmailId>) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object('id', e.email_id, 'approval',
    case when a.approval_id is not null then
      jsonb_build_object('id', a.approval_id, 'fromAddress', a.from_address) end)), '[]')
  from email e
  left join email_approval a on a.workspace_id = ${workspace} and a.approval_id = e.approval_id
  where e.workspace_id = ${workspace} and e.email_id = any(${texts(ids)}::uuid[]))`

const templateTexts = `array[a.html, a.plain_text, a.default_subject, a.default_preview_text, a.default_from_name]`

const templateFacts = (sql: Sql, workspace: WorkspaceId, ids: ReadonlyArray<EmailTemplateId>) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', t.template_id, 'pieces', ${sql.literal(tokensOf(templateTexts))}, 'defaults', jsonb_build_object(
      'subject', a.default_subject, 'previewText', a.default_preview_text, 'fromName', a.default_from_name,
      'fromAddress', a.default_from_address, 'replyToEmail', a.default_reply_to_email))), '[]')
  from email_template t
  join email_template_approval a on a.workspace_id = ${workspace} and a.approval_id = t.approval_id
  where t.workspace_id = ${workspace} and t.template_id = any(${texts(ids)}::uuid[]))`

const pageFacts = (sql: Sql, workspace: WorkspaceId, ids: ReadonlyArray<TentTemplateId>) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', t.template_id, 'pieces', ${sql.literal(tokensOf("array[a.html]"))})), '[]')
  from tent_template t
  join tent_template_approval a on a.workspace_id = ${workspace} and a.approval_id = t.approval_id
  where t.workspace_id = ${workspace} and t.template_id = any(${texts(ids)}::uuid[]))`

/** For an activation it runs after `lockReferences`, as a second statement: it sees what the holder of a lock committed. */
export const activationFacts = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, named: NamedByFlow) {
  const [row] = yield* sql<ActivationRow>`
    select ${idsIn(sql, workspace, staticLists, named.lists)} as "staticLists",
      ${idsIn(sql, workspace, { table: "topic", key: "topic_id" }, named.topics)} as "ruleTopics",
      ${idsIn(sql, workspace, { table: "tent", key: "tent_id" }, named.tents)} as tents,
      ${pageFacts(sql, workspace, named.tentTemplates)} as pages,
      (select coalesce(jsonb_agg(jsonb_build_object('id', t.topic_id, 'status', t.status)), '[]') from topic t
        where t.workspace_id = ${workspace} and t.topic_id = any(${texts(named.stepTopics)}::uuid[])) as topics,
      ${emailFacts(sql, workspace, named.emails)} as emails, ${templateFacts(sql, workspace, named.emailTemplates)} as templates,
      array(select domain from sending_domain where workspace_id = ${workspace} and status = 'verified') as "verifiedDomains",
      jsonb_build_object('fromName', w.sender_from_name, 'fromAddress', w.sender_from_address,
        'replyToEmail', w.sender_reply_to) as "senderDefaults",
      jsonb_build_object('plan', p.plan, 'flows', p.flows) as plan
    from workspace w join plan p on p.plan = w.plan
    where w.workspace_id = ${workspace}`
  if (row === undefined) return yield* Effect.die("the workspace of a flow is missing")
  const facts: ActivationFacts = {
    plan: row.plan,
    fields: yield* fieldsOf(sql, workspace, named),
    staticLists: new Set(row.staticLists),
    topics: new Set(row.ruleTopics),
    emails: new Map(row.emails.map(({ id, approval }) => [id, { approval }])),
    emailTemplates: new Map(
      row.templates.map(({ id, defaults, pieces }) => [id, { defaults, apiTokens: apiTokens(pieces) }]),
    ),
    tentTemplates: new Map(row.pages.map(({ id, pieces }) => [id, { variables: unfilledIn(pieces, {}) }])),
    tents: new Set(row.tents),
    stepTopics: new Map(row.topics.map(({ id, status }) => [id, status])),
    senderDefaults: row.senderDefaults,
    verifiedDomains: new Set(row.verifiedDomains),
  }
  return facts
})

interface TrialRow {
  readonly lists: ReadonlyArray<ListId>
  readonly topics: ReadonlyArray<TopicId>
  readonly subjects: ReadonlyArray<{ readonly id: EmailId; readonly subject: string | null }>
  readonly templates: ReadonlyArray<{ readonly id: EmailTemplateId; readonly subject: string | null }>
  readonly name: string
  readonly brand: WorkspaceBrand
  readonly suppression: SuppressionReason | null
}

/** The subject of an email is that of its approval, or its own while it has none. */
export const trialFacts = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { named, emailNormalized }: { readonly named: NamedByFlow; readonly emailNormalized: string | null },
) {
  const [row] = yield* sql<TrialRow>`
    select ${idsIn(sql, workspace, staticLists, named.lists)} as lists,
      ${idsIn(sql, workspace, { table: "topic", key: "topic_id" }, named.topics)} as topics, (
        select coalesce(jsonb_agg(jsonb_build_object('id', e.email_id, 'subject', coalesce(a.subject, e.subject))), '[]')
        from email e
        left join email_approval a on a.workspace_id = ${workspace} and a.approval_id = e.approval_id
        where e.workspace_id = ${workspace} and e.email_id = any(${texts(named.emails)}::uuid[])) as subjects, (
        select coalesce(jsonb_agg(jsonb_build_object('id', t.template_id, 'subject',
          case when a.approval_id is null then t.default_subject else a.default_subject end)), '[]')
        from email_template t
        left join email_template_approval a on a.workspace_id = ${workspace} and a.approval_id = t.approval_id
        where t.workspace_id = ${workspace} and t.template_id = any(${texts(named.emailTemplates)}::uuid[]))
        as templates,
      w.name, w.brand, (select s.reason from suppression s
        where s.workspace_id = ${workspace} and s.email_normalized = ${emailNormalized}::text) as suppression
    from workspace w
    where w.workspace_id = ${workspace}`
  if (row === undefined) return yield* Effect.die("the workspace of a flow is missing")
  const facts: StoredSimulationFacts = {
    facts: {
      fields: yield* fieldsOf(sql, workspace, named),
      staticLists: new Set(row.lists),
      topics: new Set(row.topics),
      subjects: new Map(row.subjects.map(({ id, subject }) => [id, subject])),
      templateSubjects: new Map(row.templates.map(({ id, subject }) => [id, subject])),
      workspaceName: nameTokenOf(row),
    },
    suppression: row.suppression,
  }
  return facts
})
