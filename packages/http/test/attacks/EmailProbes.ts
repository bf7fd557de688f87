// Valid bodies of all operations on emails, and the fixtures of the attacks.
import { Emails } from "@tentpole/core/emails/Emails"
import { EmailId, GenerationId } from "@tentpole/core/kernel/Ids"
import { Context, Effect } from "effect"
import { posting, verifiedSender } from "./AttackFixture.ts"
import type { Estate, Probe, Room } from "./AttackSuite.ts"
import { operationsOf } from "./Attacks.ts"
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
  readable,
  ids: ["contact_id", "templateId"],
  found: (json) => json.emails.length,
}
