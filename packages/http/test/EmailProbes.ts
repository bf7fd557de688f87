// For every operation on emails a right body, from which the wrong ones are made; and the email that each attack is tried on.
import { Effect } from "effect"
import type { Call } from "./AudienceProbes.ts"
import type { Json } from "./World.ts"

export interface EmailEstate {
  /** Approved, and being written anew. */
  readonly emailId: string
  readonly generationId: string
  readonly contact_id: string
  /** Stands in the names of everything that is theirs. */
  readonly field: string
}

let drawn = 0

const right = (field: string): Json => ({
  name: `of ${field}`,
  subject: "Hello",
  preview_text: "pre",
  from_name: "Acme",
  from_address: "news@example.test",
  reply_to_email: "reply@example.test",
})

/** An email, and whom it may be shown for; anew at each call. */
export const settleEmails = Effect.fnUntraced(function* (call: Call, field: string) {
  const made = (path: string, json: Json) => Effect.map(call("POST", path, { json }), (answered) => answered.json)
  const contacts = yield* made("/v1/contacts", {
    items: [{ email: `${field}${++drawn}@example.com`, last_name: field }],
  })
  const email = yield* made("/v1/emails", { ...right(field), html: `<p>${field}</p>` })
  yield* made(`/v1/emails/${email.email_id}/approve`, {})
  const generation = yield* made(`/v1/emails/${email.email_id}/generations`, { prompt: `about ${field}` })
  const estate: EmailEstate = {
    emailId: email.email_id,
    generationId: generation.generation_id,
    contact_id: contacts.items[0].contact_id,
    field,
  }
  return estate
})

/** Everything that a workspace can be asked for of its emails, as one text. */
export const emailsOf = Effect.fnUntraced(function* (call: Call, { emailId, generationId, contact_id }: EmailEstate) {
  const one = `/v1/emails/${emailId}`
  const paths = [
    "/v1/emails?limit=100",
    one,
    `${one}/content`,
    `${one}/plain-text`,
    `${one}/preview?contact_id=${contact_id}`,
    `${one}/generations/${generationId}`,
  ]
  const texts = yield* Effect.forEach(paths, (path) => call("GET", path))
  return texts.map(({ status, text }) => `${status} ${text}`).join("\n")
})

type Probe = ReadonlyArray<(estate: EmailEstate) => Json>
const none: Probe = []
const nothing: Probe = [() => ({})]

/** Bodies that say nothing, where saying nothing is right. */
export const saysNothing: Readonly<Record<string, ReadonlyArray<string | undefined>>> = {
  "PATCH /v1/emails/{emailId}": ["{}"],
  "POST /v1/emails/{emailId}/approve": ["{}", "null", "", undefined],
  "POST /v1/emails/{emailId}/unapprove": ["{}", "null", "", undefined],
  "POST /v1/emails/{emailId}/duplicate": ["{}", "null", "", undefined],
}

/** Right bodies by operation, made anew at each call; none for operations without a body. */
export const emailProbes: Readonly<Record<string, Probe>> = {
  "GET /v1/emails": none,
  "POST /v1/emails": [
    ({ field }) => ({ ...right(field), html: "<p>one</p>" }),
    ({ field }) => ({ name: field, prompt: "A letter about chairs" }),
  ],
  "GET /v1/emails/{emailId}": none,
  "PATCH /v1/emails/{emailId}": [({ field }) => right(field)],
  "DELETE /v1/emails/{emailId}": none,
  "POST /v1/emails/{emailId}/duplicate": nothing,
  "GET /v1/emails/{emailId}/content": none,
  "PUT /v1/emails/{emailId}/content": [() => ({ html: "<p>two</p>" })],
  "GET /v1/emails/{emailId}/plain-text": none,
  "PUT /v1/emails/{emailId}/plain-text": [() => ({ text: "mine" })],
  "DELETE /v1/emails/{emailId}/plain-text": none,
  "POST /v1/emails/{emailId}/approve": [() => ({ version: 1 })],
  "POST /v1/emails/{emailId}/unapprove": nothing,
  "POST /v1/emails/{emailId}/generations": [() => ({ prompt: "shorter" })],
  "GET /v1/emails/{emailId}/generations/{generationId}": none,
  "GET /v1/emails/{emailId}/preview": none,
  "POST /v1/emails/{emailId}/test-send": [
    ({ contact_id }) => ({ to: ["ann@example.com", "bob@example.com"], contact_id }),
  ],
}
