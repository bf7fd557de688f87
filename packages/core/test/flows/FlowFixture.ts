// Fixture of flow tests: ids, fields, and flows as request bodies.
import {
  ApprovalId,
  FieldDefinitionId,
  EmailId,
  EmailTemplateId,
  FlowId,
  ListId,
  TentId,
  TopicId,
  TentTemplateId,
} from "@tentpole/core/kernel/Ids"
import type { Structure } from "@tentpole/core/flows/definition/FlowSchema"
import type { Flow } from "@tentpole/core/flows/definition/Flow"
import { resolveDraft, readNewFlow } from "@tentpole/core/flows/definition/FlowInput"
import type { NamedFacts } from "@tentpole/core/flows/definition/FlowReferences"
import type { FlowFacts } from "@tentpole/core/flows/definition/Readiness"
import type { RuleField } from "@tentpole/core/segments/RuleFacts"
import { DateTime, Result } from "effect"

const uuid = (last: number) => `00000000-0000-4000-8000-${String(last).padStart(12, "0")}`
export const flowId = FlowId.make(uuid(1))
export const listId = ListId.make(uuid(10))
export const dynamicListId = ListId.make(uuid(11))
export const emailId = EmailId.make(uuid(20))
export const otherEmailId = EmailId.make(uuid(21))
export const templateId = EmailTemplateId.make(uuid(30))
export const tentTemplateId = TentTemplateId.make(uuid(31))
export const tentId = TentId.make(uuid(40))
export const topicId = TopicId.make(uuid(45))
export const nowhere = uuid(99)

export const at = (text: string): DateTime.Utc => DateTime.makeUnsafe(text)
export const now = at("2026-03-01T12:00:00.000Z")

export const field = (n: number, apiName: string, over: Partial<RuleField> = {}): RuleField => ({
  id: FieldDefinitionId.make(uuid(50 + n)),
  apiName,
  displayName: apiName,
  valueType: "string",
  status: "active",
  provenanceProvider: null,
  ...over,
})
export const stage = field(0, "stage")
export const birthday = field(1, "birthday", { valueType: "date" })
export const archived = field(2, "old_stage", { status: "archived" })

export const named: NamedFacts = {
  fields: [stage, birthday, archived],
  staticLists: new Set([listId]),
  topics: new Set(),
  otherLists: new Set([dynamicListId]),
  emails: new Set([emailId, otherEmailId]),
  emailTemplates: new Set([templateId]),
  tentTemplates: new Set([tentTemplateId]),
  tents: new Set([tentId]),
  stepTopics: new Set([topicId]),
}

export const facts: FlowFacts = {
  fields: named.fields,
  staticLists: named.staticLists,
  topics: named.topics,
  emails: new Map([emailId, otherEmailId].map((id) => [id, approved(id)] as const)),
  emailTemplates: new Map([
    [
      templateId,
      {
        defaults: {
          subject: "Hello",
          previewText: null,
          fromName: "Ann",
          fromAddress: "ann@example.test",
          replyToEmail: "ann@example.test",
        },
        apiTokens: [],
      },
    ],
  ]),
  tentTemplates: new Map([[tentTemplateId, { variables: [] }]]),
  tents: named.tents,
  stepTopics: new Map([[topicId, "active" as const]]),
  senderDefaults: { fromName: null, fromAddress: null, replyToEmail: null },
  verifiedDomains: new Set(["example.test"]),
}

function approved(id: EmailId) {
  return { approval: { id: ApprovalId.make(id), fromAddress: "news@example.test" } }
}

export const read = (body: object) => resolveDraft(readNewFlow({ name: "Welcome", ...body }), named)

export const structureOf = (body: object): Structure => Result.getOrThrow(read(body)).structure

export const flowOf = (body: object, over: Partial<Flow> = {}): Flow => ({
  id: flowId,
  name: "Welcome",
  description: null,
  structure: structureOf(body),
  revision: 1,
  lifecycle: { status: "active", activatedAt: now },
  createdAt: now,
  updatedAt: now,
  ...over,
})

export const condition = (over: object) => ({ kind: "condition", ...over })
export const isCold = condition({ source: "contact", field: "leadStatus", operator: "equals", value: "cold" })
export const opened = (nodeId: string, metric = "opened") =>
  condition({ source: "email_step", nodeId, metric, operator: "has_activity" })

export const send = (step_id: string, next_step_id: string | null = null, over: object = {}) => ({
  type: "send_email",
  step_id,
  email_id: emailId,
  next_step_id,
  ...over,
})
export const wait = (step_id: string, amount: number, unit: string, next_step_id: string | null = null) => ({
  type: "wait",
  step_id,
  duration_amount: amount,
  duration_unit: unit,
  next_step_id,
})
export const check = (step_id: string, tree: unknown, edges: object) => ({
  type: "condition_check",
  step_id,
  condition: tree,
  ...edges,
})

/** Every trigger and step with all parts set. */
export const everything = {
  description: "All of it",
  reentry_policy: "no_reentry",
  manual_membership_enabled: false,
  disqualification_rules: isCold,
  settings: { color: "red", nested: [1, { deep: null }] },
  triggers: [
    { type: "added_to_static_list", list_id: listId },
    { type: "removed_from_static_list", list_id: listId },
    { type: "contact_created" },
    { type: "contact_updated", field: "leadStatus", operator: "eq", value: "hot" },
    { type: "contact_updated", field: "stage" },
    {
      type: "date_based",
      field: "birthday",
      mode: "before_date",
      days_before: 7,
      include_anniversaries: true,
      trigger_time: "17:30",
      timezone: "Europe/Berlin",
    },
    { type: "form_submitted", tent_id: tentId, form_id: "signup" },
    { type: "service_api", fields: [{ name: "order_id", type: "number" }] },
  ],
  steps: [
    { ...send("hello", "pause"), label: "Says hello", operational: true },
    { ...wait("pause", 1, "day", "until"), label: null },
    {
      type: "wait",
      step_id: "until",
      mode: "condition",
      condition: opened("hello"),
      timeout_amount: 2,
      timeout_unit: "weeks",
      timeout_step_id: "make",
      next_step_id: "which",
    },
    check("which", condition({ source: "custom_field", fieldDefinitionId: stage.id, operator: "is", value: "x" }), {
      true_step_id: "make",
      false_step_id: "page",
      default_step_id: "page",
    }),
    {
      type: "create_email",
      step_id: "make",
      template_id: templateId,
      template_mode: "generate",
      prompt: "For {{contact.first_name}}",
      name: "Offer",
      subject: "For {{contact.first_name}}",
      preview_text: "Look",
      from_name: "Ann",
      from_address: "ann@example.test",
      reply_to_email: "ann@example.test",
      auto_approve: true,
      next_step_id: "own",
    },
    send("own", "page", { email_id: null, email_source: "flow_step", create_email_step_id: "make" }),
    {
      type: "create_tent",
      step_id: "page",
      template_id: tentTemplateId,
      prompt: "A page",
      tent_name: "Page of {{contact.first_name}}",
      include_brand: true,
      auto_publish: true,
      custom_page_alias: "for-{{contact.first_name}}",
      output_key: "page_url",
      next_step_id: null,
    },
  ],
}
