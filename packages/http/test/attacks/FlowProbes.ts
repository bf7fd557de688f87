// Valid bodies of all operations on flows, and the fixtures of the attacks.
import { Effect } from "effect"
import { fresh, posting, verifiedSender } from "./AttackFixture.ts"
import type { Estate, Probe as ProbeOf, Room, Side } from "./AttackSuite.ts"
import { type Attack, type Operation, operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"
import { isOfMembers } from "./FlowMemberProbes.ts"
import type { Json } from "../fixtures/World.ts"

export interface FlowEstate extends Estate {
  readonly flowId: string
  /** The step that sends an email. */
  readonly stepId: string
  readonly contact_id: string
  readonly listId: string
  readonly emailId: string
  readonly emailTemplateId: string
  readonly tentTemplateId: string
  readonly tentId: string
  readonly fieldDefinitionId: string
  readonly topicId: string
}

/** A workspace that may send, with everything that a flow can reference, and a flow for the operation. */
const settleFlows: Room<FlowEstate>["settle"] = Effect.fnUntraced(function* (side, field, context, operation) {
  yield* verifiedSender(side.workspace, context)
  const made = posting(side.call)
  const contacts = yield* made("/v1/contacts", { items: [{ email: `${field}@example.com`, last_name: field }] })
  const { contact_id } = contacts.items[0]
  const list = yield* made("/v1/contact-lists", { name: field, kind: "static", contact_ids: [contact_id] })
  const email = yield* made("/v1/emails", { name: field, ...sender, html: `<p>${field}</p>` })
  const template = yield* made("/v1/email-templates", { name: field, ...defaults, html: `<p>${field}</p>` })
  const tentTemplate = yield* made("/v1/tent-templates", { name: field, html: `<p>${field}</p>` })
  yield* made(`/v1/emails/${email.email_id}/approve`, {})
  yield* made(`/v1/email-templates/${template.template_id}/approve`, {})
  yield* made(`/v1/tent-templates/${tentTemplate.template_id}/approve`, {})
  const tent = yield* made("/v1/tents", { name: field, prompt: "Create a landing page for chairs" })
  const custom = yield* made("/v1/contact-fields", {
    display_name: field,
    api_name: `born_${field}`,
    value_type: "date",
  })
  const topic = yield* made("/v1/topics", { name: field, default_subscription: "subscribed" })
  return yield* anotherFlow(side, operation, {
    flowId: "",
    topicId: topic.topic_id,
    stepId: "",
    contact_id,
    listId: list.list_id,
    emailId: email.email_id,
    emailTemplateId: template.template_id,
    tentTemplateId: tentTemplate.template_id,
    tentId: tent.id,
    fieldDefinitionId: custom.items[0].field_definition_id,
    field,
  })
}, Effect.orDie)

const sender = {
  subject: "Hello",
  from_name: "Acme",
  from_address: "news@example.test",
  reply_to_email: "reply@example.test",
}
const defaults = Object.fromEntries(Object.entries(sender).map(([key, value]) => [`default_${key}`, value]))

/** A flow in the state that the operation requires. */
const anotherFlow = Effect.fnUntraced(function* ({ call }: Side, operation: Operation | null, estate: FlowEstate) {
  const stepId = `send_${estate.field}`
  const { json } = yield* call("POST", "/v1/email-flows", {
    json: {
      name: `of ${estate.field}`,
      description: estate.field,
      triggers: [{ type: "added_to_static_list", list_id: estate.listId }],
      steps: [
        { type: "wait", step_id: "rest", duration_amount: 1, duration_unit: "days", next_step_id: stepId },
        { type: "send_email", step_id: stepId, email_id: estate.emailId },
      ],
    },
  })
  if (operation?.path.endsWith("/pause")) yield* call("POST", `/v1/email-flows/${json.flow_id}/activate`)
  return { ...estate, flowId: json.flow_id, stepId }
})

const readable = ({ emailId, flowId, listId }: FlowEstate) => [
  "/v1/email-flows?limit=100&archived=any",
  `/v1/email-flows/${flowId}`,
  `/v1/email-flows/${flowId}/graph`,
  `/v1/email-flows/${flowId}/graph.svg`,
  `/v1/email-flows/${flowId}/readiness`,
  `/v1/emails/${emailId}`,
  `/v1/contact-lists/${listId}`,
]

const leaf = { kind: "condition", source: "contact", field: "city", operator: "equals", value: "Bern" }

const rules = ({ listId, fieldDefinitionId, topicId }: FlowEstate): Json => ({
  kind: "group",
  operator: "or",
  conditions: [
    leaf,
    { kind: "condition", source: "list_membership", listId, operator: "is_member" },
    { kind: "condition", source: "custom_field", fieldDefinitionId, operator: "is_empty" },
    { kind: "condition", source: "topic", topicId, operator: "is_subscribed" },
  ],
})

const triggers = ({ listId, tentId, field }: FlowEstate): Json => [
  { type: "removed_from_static_list", list_id: listId },
  { type: "contact_created" },
  { type: "contact_updated", field: "leadStatus", operator: "equals", value: "hot" },
  {
    type: "date_based",
    field: `born_${field}`,
    mode: "before_date",
    days_before: 7,
    days_after: 0,
    include_anniversaries: true,
    trigger_time: "17:30",
    timezone: "Europe/Berlin",
  },
  { type: "form_submitted", tent_id: tentId, form_id: "signup" },
  { type: "service_api", fields: [{ name: "order_id", type: "number" }] },
]

const opened = { kind: "condition", source: "email_step", nodeId: "hello", metric: "opened", operator: "has_activity" }

/** Durations of waits and rules of condition checks. */
const condition = (estate: FlowEstate): Json => ({ ...rules(estate), conditions: rules(estate).conditions.slice(1) })

const madeEmail = ({ emailTemplateId }: FlowEstate): Json => ({
  type: "create_email",
  template_id: emailTemplateId,
  template_mode: "copy_only",
  subject: "For {{contact.first_name}}",
  auto_approve: true,
})

const madeTent = ({ tentTemplateId }: FlowEstate): Json => ({
  type: "create_tent",
  template_id: tentTemplateId,
  include_brand: false,
  custom_page_alias: "for-you",
  output_key: "page_url",
})

const steps = (estate: FlowEstate): Json => [
  {
    type: "send_email",
    step_id: "hello",
    label: "L",
    email_id: estate.emailId,
    operational: true,
    topic_id: estate.topicId,
    next_step_id: "pause",
  },
  {
    type: "wait",
    step_id: "pause",
    mode: "condition",
    condition: { kind: "group", conditions: [opened, condition(estate)] },
    timeout_amount: 2,
    timeout_unit: "weeks",
    timeout_step_id: "make",
    next_step_id: "check",
  },
  {
    type: "condition_check",
    step_id: "check",
    condition: condition(estate),
    true_step_id: "make",
    false_step_id: null,
  },
  { ...madeEmail(estate), step_id: "make", next_step_id: "page" },
  { ...madeTent(estate), step_id: "page" },
]

type Probe = ProbeOf<FlowEstate>

const whole = (estate: FlowEstate): Json => ({
  name: estate.field,
  description: "some",
  reentry_policy: "no_reentry",
  manual_membership_enabled: true,
  disqualification_rules: rules(estate),
  triggers: triggers(estate),
  steps: steps(estate),
})

/** Bodies by operation, created at each call, where the example of the document has less. */
const flowProbes: Readonly<Record<string, Probe>> = {
  "POST /v1/email-flows": [whole, ({ field }) => ({ name: field, settings: { color: "red" } })],
  "PATCH /v1/email-flows/{flowId}": [({ field }) => ({ name: field, description: "some" }), whole],
  "PUT /v1/email-flows/{flowId}/triggers": [(estate) => ({ triggers: triggers(estate) })],
  "PUT /v1/email-flows/{flowId}/steps": [(estate) => ({ steps: steps(estate) })],
  "POST /v1/email-flows/{flowId}/steps": [
    ({ emailId, topicId }) => ({
      step: { type: "send_email", step_id: fresh(), email_id: emailId, topic_id: topicId },
      before_step_id: "rest",
    }),
    (it) => ({ step: { type: "wait", step_id: fresh(), mode: "condition", condition: condition(it) } }),
    (it) => ({ step: { type: "condition_check", step_id: fresh(), condition: condition(it) }, before_step_id: "rest" }),
    (it) => ({ step: { ...madeEmail(it), step_id: fresh() }, before_step_id: "rest" }),
    (it) => ({ step: { ...madeTent(it), step_id: fresh() }, before_step_id: "rest" }),
  ],
  "PATCH /v1/email-flows/{flowId}/steps/{stepId}": [
    ({ emailId, stepId }) => ({ step: { email_id: emailId, label: fresh(), next_step_id: stepId } }),
  ],
  "DELETE /v1/email-flows/{flowId}/steps/{stepId}": [() => ({ repair_edges: { replacement_step_id: "rest" } })],
  "PUT /v1/email-flows/{flowId}/steps/{stepId}/email": [
    ({ emailId }) => ({ source: "existing", email_id: emailId }),
    ({ field }) => ({ source: "inline", name: field, ...sender, preview_text: "pre", html: "<p>one</p>" }),
    ({ emailTemplateId, field }) => ({ source: "inline", name: field, template_id: emailTemplateId }),
  ],
  "POST /v1/email-flows/{flowId}/simulate": [
    ({ contact_id, stepId }) => ({
      contact_id,
      tokens: { order_id: 7 },
      events: [{ after: { amount: 2, unit: "hours" }, metric: "opened", step_id: stepId }],
      until: { amount: 1, unit: "months" },
    }),
    () => ({ contact: { email: "ann@example.com", first_name: "Ann" }, until: "2027-06-01T00:00:00Z" }),
  ],
}

/** Adapts an attack to flows, where some keys are free and some issues have another path. */
const adaptedFlows = (attack: Attack): Attack => {
  const { wrong, what, sent } = attack
  // A step id may reference a missing step. Variants of a body, and contact or contact_id, share one issue.
  if (wrong === "stepId" || wrong === "source" || wrong === "contact") return { ...attack, wrong: null }
  // Settings and token keys are free text: inherited keys are keys like others there.
  const own =
    wrong !== null && (/^settings(\.|$)/.test(wrong) || (wrong.startsWith("tokens.") && what.includes(" has ")))
  const keepable = !/\\u0000|\\ud800|1e309/.test(typeof sent.body === "string" ? sent.body : "")
  return own && keepable ? { ...attack, expected: "either" } : attack
}

/** Operations on flows except on memberships, which are in `FlowMemberProbes.ts`. */
export const flows: Room<FlowEstate> = {
  name: "flows",
  operations: operationsOf(tenants, ["/v1/email-flows"]).filter((operation) => !isOfMembers(operation)),
  probes: flowProbes,
  settle: settleFlows,
  stateFor: ({ path }) => (path.endsWith("/pause") ? "active" : null),
  readable,
  ids: [
    "contact_id",
    "listId",
    "emailId",
    "emailTemplateId",
    "tentTemplateId",
    "tentId",
    "fieldDefinitionId",
    "topicId",
  ],
  // These operations execute the statements of the others too.
  reaches: ({ method, path }) => method === "GET" || path === "/v1/email-flows" || path.endsWith("/simulate"),
  found: (json) => json.flows.length,
  adapted: adaptedFlows,
  renewed: (side, estate, _, operation) => Effect.orDie(anotherFlow(side, operation, estate)),
}
