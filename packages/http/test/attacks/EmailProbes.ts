// Valid bodies of all operations on emails and single messages, and the fixtures of the attacks.
import { Emails } from "@tentpole/core/emails/Emails"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { EmailId, GenerationId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { Settlement } from "@tentpole/core/sending/Settlement"
import { assert } from "@effect/vitest"
import { Context, DateTime, Effect } from "effect"
import { posting, verifiedSender } from "./AttackFixture.ts"
import type { Estate, Probe, Room, Side, UseCases } from "./AttackSuite.ts"
import { type Attack, type Operation, operationsOf } from "./Attacks.ts"
import { tenants } from "../fixtures/Described.ts"
import type { Json } from "../fixtures/World.ts"

export interface EmailEstate extends Estate {
  /** Approved; with a running generation, or at version 2. */
  readonly emailId: string
  readonly generationId: string
  readonly contact_id: string
  /** Approved. */
  readonly templateId: string
}

const right = (field: string): Json => ({
  name: `of ${field}`,
  subject: "Hello",
  preview_text: "pre",
  from_name: "Acme",
  from_address: "news@example.test",
  reply_to_email: "reply@example.test",
})

/** A ready email and a contact for its preview. An email whose generation is requested must not have a running one. */
const settleEmails: Room<EmailEstate>["settle"] = Effect.fnUntraced(function* (
  { call, workspace },
  field,
  context,
  operation,
) {
  yield* verifiedSender(workspace, context)
  const made = posting(call)
  const contacts = yield* made("/v1/contacts", { items: [{ email: `${field}@example.com`, last_name: field }] })
  const email = yield* made("/v1/emails", { ...right(field), html: `<p>${field}</p>` })
  yield* made(`/v1/emails/${email.email_id}/approve`, {})
  const { template_id } = yield* made("/v1/email-templates", { name: field, html: `<p>${field}</p>` })
  yield* made(`/v1/email-templates/${template_id}/approve`, {})
  const generation = yield* made(`/v1/emails/${email.email_id}/generations`, { prompt: `about ${field}` })
  const estate: EmailEstate = {
    emailId: email.email_id,
    generationId: generation.generation_id,
    contact_id: contacts.items[0].contact_id,
    templateId: template_id,
    field,
  }
  if (operation?.method === "POST") {
    const { runGeneration } = Context.get(context, Emails)
    yield* runGeneration(workspace, EmailId.make(estate.emailId), GenerationId.make(estate.generationId))
  }
  return estate
}, Effect.orDie)

const readable = ({ contact_id, emailId, generationId }: EmailEstate) => [
  "/v1/emails?limit=100",
  `/v1/emails/${emailId}`,
  `/v1/emails/${emailId}/content`,
  `/v1/emails/${emailId}/plain-text`,
  `/v1/emails/${emailId}/preview?contact_id=${contact_id}`,
  "/v1/merge-tokens",
  `/v1/emails/${emailId}/versions`,
  `/v1/emails/${emailId}/generations`,
  `/v1/emails/${emailId}/generations/${generationId}`,
]

/** Bodies by operation, created at each call, where the example of the document has less. */
const emailProbes: Readonly<Record<string, Probe<EmailEstate>>> = {
  "POST /v1/emails": [
    ({ field }) => ({ ...right(field), html: "<p>one</p>" }),
    ({ field }) => ({ name: field, prompt: "A letter about chairs" }),
    ({ field, templateId }) => ({ name: field, template_id: templateId }),
  ],
  "PATCH /v1/emails/{emailId}": [({ field }) => right(field)],
  "POST /v1/emails/{emailId}/approve": [() => ({ version: 2 })],
  "POST /v1/emails/{emailId}/preview": [
    ({ contact_id, field }) => ({ html: `<p>${field}</p>`, subject: "Hello", preview_text: "pre", contact_id }),
  ],
  "POST /v1/emails/{emailId}/test-send": [
    ({ contact_id }) => ({ to: ["ann@example.com", "bob@example.com"], contact_id }),
  ],
}

export const emails: Room<EmailEstate> = {
  name: "emails",
  operations: operationsOf(tenants, ["/v1/emails"]),
  probes: emailProbes,
  settle: settleEmails,
  stateFor: ({ method }) => (method === "POST" ? "generated" : null),
  readable,
  ids: ["contact_id", "templateId"],
  found: (json) => json.emails.length,
}

interface MessageEstate extends Estate {
  readonly messageId: string
  readonly contact_id: string
  /** Approved, as the template. */
  readonly email_id: string
  readonly template_id: string
  readonly topic_id: string
}

const root = "/v1/email-messages"
const one = `${root}/{messageId}`

const inline = (field: string): Json => ({
  to: { email: `${field}@example.com`, name: field },
  subject: `about ${field}`,
  html: `<p>${field}</p>`,
  from_address: "orders@example.test",
})

/** Ends a message as a worker does whose mail server refuses it. The worlds of tests have stores, too. */
const fail = Effect.fnUntraced(function* (workspace: WorkspaceId, id: string, context: Context.Context<UseCases>) {
  const all = context as Context.Context<UseCases | DeliveryStore | Transactor>
  const { claimMessages, settle } = Context.get(all, DeliveryStore)
  const { transact } = Context.get(all, Transactor)
  const at = yield* DateTime.now
  const claimed = yield* transact(claimMessages(workspace, { limit: 100, lease_ms: 60_000 }))
  const refused = { _tag: "outcome", outcome: { _tag: "refused", code: 550, reply: "550 5.7.1 no" } } as const
  const settlements = claimed.map((each) => Settlement.of(each, refused, { at, acceptMeansDelivered: true }))
  yield* transact(settle(workspace, settlements))
  assert.include(
    claimed.map((each): string => each.id),
    id,
  )
})

const settleMessages = Effect.fnUntraced(function* (
  { call, workspace }: Side,
  field: string,
  context: Context.Context<UseCases>,
  operation: Operation | null,
) {
  yield* verifiedSender(workspace, context)
  const post = posting(call)
  const contacts = yield* post("/v1/contacts", { items: [{ email: `c_${field}@example.com`, last_name: field }] })
  const fields = { from_name: "Acme", from_address: "orders@example.test", reply_to_email: "help@example.test" }
  const email = yield* post("/v1/emails", { name: field, subject: "Hello", html: `<p>${field}</p>`, ...fields })
  yield* post(`/v1/emails/${email.email_id}/approve`)
  const { template_id } = yield* post("/v1/email-templates", { name: field, html: `<p>${field}</p>` })
  yield* post(`/v1/email-templates/${template_id}/approve`)
  const { topic_id } = yield* post("/v1/topics", { name: field, default_subscription: "subscribed" })
  const { message_id } = yield* post(root, inline(field))
  if (operation?.path.endsWith("/retry") === true) yield* fail(workspace, message_id, context)
  const estate: MessageEstate = {
    messageId: message_id,
    contact_id: contacts.items[0].contact_id,
    email_id: email.email_id,
    template_id,
    topic_id,
    field,
  }
  return estate
})

const common = (field: string): Json => ({
  subject: "Hello {{data.order.id}}",
  preview_text: "pre",
  from_name: "Acme",
  from_address: "orders@example.test",
  reply_to_email: "help@example.test",
  data: { order: { id: 17, lines: ["a"] } },
  allow_unresolved: true,
  operational: true,
  headers: { "X-Kind": field },
  tags: { kind: "receipt" },
  metadata: { order: "17" },
  track_opens: true,
  track_clicks: true,
  retain_content: true,
  client_item_id: field,
})

const messageProbes: Readonly<Record<string, Probe<MessageEstate>>> = {
  [`POST ${root}`]: [
    ({ contact_id, email_id, field, topic_id }) => ({
      contact_id,
      email_id,
      ...common(field),
      operational: false,
      topic_id,
    }),
    ({ field, template_id }) => ({ to: { email: "ann@example.com", name: "Ann" }, template_id, ...common(field) }),
    ({ field }) => ({
      ...inline(field),
      text: field,
      contact: "match",
      attachments: [{ file_name: "a.pdf", content: "QUJD", content_type: "application/pdf", content_id: "a" }],
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
      expires_at: new Date(Date.now() + 7_200_000).toISOString(),
    }),
    ({ contact_id, email_id, topic_id }) => ({
      items: [{ contact_id, email_id, topic_id, operational: false, data: { order: 17 } }],
    }),
    ({ template_id }) => ({
      items: [{ to: { email: "ann@example.com" }, template_id, subject: "Hello", from_address: "a@example.test" }],
    }),
  ],
  [`POST ${one}/retry`]: [() => ({ include_unconfirmed: true })],
}

/** Objects with free keys. The keys of prototypes are refused there, too. */
const isFree = ({ wrong }: Attack): boolean =>
  /^(items\.\d+\.)?(headers|data|tags|metadata)\./.test(wrong ?? "") && !/\.(__proto__|constructor)$/.test(wrong ?? "")

/**
 * Without a recipient or a content, the answer names one of the fields that could have it; without `operational: false`, the topic.
 */
const isMissed = ({ what }: Attack): boolean =>
  /^(items\.0\.)?((to|contact_id|email_id|template_id|html) is null|operational is (null|true))$/.test(what)

/** An address in a listing is compared only. */
const isAddress = ({ what, wrong }: Attack): boolean =>
  wrong === "to" && what.startsWith("?to=") && !what.includes("%00")

export const messages: Room<MessageEstate> = {
  name: "messages",
  operations: operationsOf(tenants, [root]),
  probes: messageProbes,
  settle: settleMessages,
  stateFor: ({ path }) => (path.endsWith("/retry") ? "failed" : null),
  renewed: (side, { field }, context, operation) => settleMessages(side, field, context, operation),
  readable: ({ contact_id, messageId }) => [
    `${root}?limit=100`,
    `${root}/${messageId}`,
    `${root}/${messageId}/content`,
    `${root}/${messageId}/plain-text`,
    `/v1/contacts/${contact_id}`,
  ],
  found: (json) => json.email_messages.length,
  ids: ["contact_id", "email_id", "template_id", "topic_id"],
  adapted: (attack) => {
    if (isMissed(attack)) return { ...attack, wrong: null }
    return isFree(attack) || isAddress(attack) ? { ...attack, expected: "either" } : attack
  },
}
