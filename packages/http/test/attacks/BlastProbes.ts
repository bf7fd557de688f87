// Valid bodies of all operations on blasts, and the fixtures of the attacks.
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { BlastId } from "@tentpole/core/kernel/Ids"
import { Context, Effect } from "effect"
import { fresh, posting, verifiedSender } from "./AttackFixture.ts"
import type { Estate, Probe as ProbeOf, Room, Side, UseCases } from "./AttackSuite.ts"
import { type Operation, operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"
import type { Call, Json } from "../fixtures/World.ts"

export interface BlastEstate extends Estate {
  readonly blastId: string
  /** One of its recipients. */
  readonly exportId: string
  readonly contact_id: string
  readonly listId: string
  readonly emailId: string
  readonly fieldDefinitionId: string
  /** Approved. */
  readonly templateId: string
  readonly topicId: string
}

/** A workspace that may send, with a blast for the operation. */
const settleBlasts: Room<BlastEstate>["settle"] = Effect.fnUntraced(function* (side, field, context, operation) {
  yield* verifiedSender(side.workspace, context)
  const fields = { display_name: field, api_name: field, value_type: "string" }
  const { json } = yield* side.call("POST", "/v1/contact-fields", { json: fields })
  const { field_definition_id } = json.items[0]
  return yield* anotherBlast(side, { field, fieldDefinitionId: field_definition_id }, context, operation)
}, Effect.orDie)

/** The state that an operation requires of the blast. The default is a draft. */
const before: Readonly<Record<string, "scheduled" | "sending" | "failed">> = {
  "POST /v1/email-blasts/{blastId}/unschedule": "scheduled",
  "POST /v1/email-blasts/{blastId}/pause": "sending",
  "POST /v1/email-blasts/{blastId}/resume": "sending",
  "POST /v1/email-blasts/{blastId}/cancel": "sending",
  "POST /v1/email-blasts/{blastId}/retry-failed": "failed",
}

/** A blast with a list and an email, in the state that the operation requires. */
const anotherBlast = Effect.fnUntraced(function* (
  side: Side,
  { field, fieldDefinitionId }: Pick<BlastEstate, "field" | "fieldDefinitionId">,
  context: Context.Context<UseCases>,
  operation: Operation | null,
) {
  const { call, workspace } = side
  const estate: BlastEstate = { ...(yield* draft(call, field)), fieldDefinitionId }
  const move = (verb: string, json: Json) => call("POST", `/v1/email-blasts/${estate.blastId}/${verb}`, { json })
  const state = operation === null ? undefined : before[`${operation.method} ${operation.path}`]
  if (state === "scheduled") yield* move("schedule", { scheduled_at: "2099-05-01T00:00:00Z" })
  if (state === "sending" || state === "failed") yield* move("send-now", {})
  if (state === "failed") {
    const id = BlastId.make(estate.blastId)
    yield* Context.get(context, Deliveries).fixAudience(workspace, id)
    yield* Context.get(context, Blasts).fail(workspace, id, "authentication_refused")
  }
  return estate
}, Effect.orDie)

/** A ready draft with another list and email; created at each call. */
const draft = Effect.fnUntraced(function* (call: Call, field: string) {
  const made = posting(call)
  const contacts = yield* made("/v1/contacts", {
    items: [{ email: `${field}${fresh()}@example.com`, last_name: field }],
  })
  const { contact_id } = contacts.items[0]
  const list = yield* made("/v1/contact-lists", {
    name: `${field} ${fresh()}`,
    kind: "static",
    contact_ids: [contact_id],
  })
  const email = yield* made("/v1/emails", {
    name: field,
    subject: "Hello",
    from_name: "Acme",
    from_address: "news@example.test",
    reply_to_email: "reply@example.test",
    html: `<p>${field}</p>`,
  })
  yield* made(`/v1/emails/${email.email_id}/approve`, {})
  const { template_id } = yield* made("/v1/email-templates", { name: field, html: `<p>${field}</p>` })
  yield* made(`/v1/email-templates/${template_id}/approve`, {})
  const blast = yield* made("/v1/email-blasts", { name: `of ${field}`, description: field })
  const topic = yield* made("/v1/topics", { name: `${field} ${fresh()}`, default_subscription: "subscribed" })
  const one = `/v1/email-blasts/${blast.blast_id}`
  yield* call("PUT", `${one}/audience`, { json: { source: "existing", list_id: list.list_id } })
  yield* call("PUT", `${one}/email`, { json: { source: "existing", email_id: email.email_id } })
  const { export_id } = yield* made(`${one}/contacts/export`, {})
  return {
    blastId: blast.blast_id,
    exportId: export_id,
    contact_id,
    listId: list.list_id,
    emailId: email.email_id,
    templateId: template_id,
    topicId: topic.topic_id,
    field,
  }
})

const readable = ({ blastId, emailId, exportId, listId }: BlastEstate) => [
  "/v1/email-blasts?limit=100&status=any",
  `/v1/email-blasts/${blastId}`,
  `/v1/email-blasts/${blastId}/contacts`,
  `/v1/email-blasts/${blastId}/contacts/export/${exportId}`,
  `/v1/emails/${emailId}`,
  `/v1/contact-lists/${listId}`,
]

type Probe = ProbeOf<BlastEstate>

const rules = ({ fieldDefinitionId, listId, topicId }: BlastEstate): Json => ({
  kind: "group",
  operator: "or",
  conditions: [
    { kind: "condition", source: "contact", field: "city", operator: "equals", value: "Bern" },
    { kind: "condition", source: "list_membership", listId, operator: "is_member" },
    { kind: "condition", source: "custom_field", fieldDefinitionId, operator: "is_empty" },
    { kind: "condition", source: "topic", topicId, operator: "is_subscribed" },
  ],
})

/** Bodies by operation, created at each call, where the example of the document has less. */
const blastProbes: Readonly<Record<string, Probe>> = {
  "POST /v1/email-blasts": [({ field, topicId }) => ({ name: field, description: "some", topic_id: topicId })],
  "PATCH /v1/email-blasts/{blastId}": [
    ({ field, topicId }) => ({ name: field, description: "some", topic_id: topicId }),
  ],
  "PUT /v1/email-blasts/{blastId}/audience": [
    ({ listId }) => ({ source: "existing", list_id: listId }),
    ({ contact_id }) => ({
      source: "inline",
      kind: "static",
      contact_ids: [contact_id],
      name: fresh(),
      description: "some",
    }),
    (estate) => ({ source: "inline", kind: "dynamic", rules: rules(estate), name: fresh(), description: "some" }),
  ],
  "PUT /v1/email-blasts/{blastId}/email": [
    ({ emailId }) => ({ source: "existing", email_id: emailId }),
    ({ field }) => ({
      source: "inline",
      name: field,
      subject: "Hello",
      html: "<p>one</p>",
      preview_text: "pre",
      from_name: "Acme",
      from_address: "news@example.test",
      reply_to_email: "reply@example.test",
    }),
    ({ field, templateId }) => ({ source: "inline", name: field, template_id: templateId }),
  ],
  "POST /v1/email-blasts/{blastId}/schedule": [
    () => ({ scheduled_at: "2099-05-01T12:30:00+02:00", operational: false }),
  ],
  "POST /v1/email-blasts/{blastId}/send-now": [() => ({ operational: true })],
  "POST /v1/email-blasts/{blastId}/dry-run": [() => ({ operational: true })],
  "POST /v1/email-blasts/{blastId}/retry-failed": [() => ({ include_unconfirmed: true })],
  "POST /v1/email-blasts/{blastId}/contacts/export": [() => ({ category: "clicked" })],
}

export const blasts: Room<BlastEstate> = {
  name: "blasts",
  operations: operationsOf(tenants, ["/v1/email-blasts"]).filter(({ path }) => !path.endsWith("/audit")),
  probes: blastProbes,
  settle: settleBlasts,
  stateFor: ({ method, path }) => before[`${method} ${path}`] ?? null,
  readable,
  ids: ["contact_id", "listId", "emailId", "templateId", "fieldDefinitionId", "topicId"],
  // These operations execute the statements of the others too.
  reaches: ({ method, path }) =>
    method === "GET" || method === "PUT" || method === "PATCH" || path === "/v1/email-blasts",
  found: (json) => (json.blasts ?? json.contacts).length,
  // A body that matches no variant gets one issue for the whole body, which names the variants.
  adapted: (attack) => (attack.wrong === "source" || attack.wrong === "kind" ? { ...attack, wrong: null } : attack),
  renewed: (side, estate, context, operation) => anotherBlast(side, estate, context, operation),
}
