// What keeps mail from a contact, with the facts that say so.
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { ContactId, TopicId } from "../../../src/kernel/Ids.ts"
import type { PastActivity } from "../../../src/contacts/Activity.ts"
import { obstaclesOf } from "../../../src/sending/recipients/Mailability.ts"
import { blockReason, type Suppression } from "../../../src/sending/Suppression.ts"

const at = (ms: number) => DateTime.makeUnsafe(ms)

const contact = {
  emailNormalized: "ann@example.org",
  unsubscribed: false,
  marketingEmailSubscribed: null,
  marketingEmailInvalid: false,
}

const suppressed = (reason: Suppression["reason"]): Suppression => ({
  email: "ann@example.org",
  reason,
  createdAt: at(5),
})

const activities: ReadonlyArray<PastActivity> = [
  { type: "email_unsubscribed", at: at(1) },
  { type: "email_complained", at: at(3) },
  { type: "email_bounced", at: at(2) },
]

const asked = (over: Partial<Parameters<typeof obstaclesOf>[1]> = {}) => ({
  suppression: null,
  activities,
  asked: null,
  consentRequired: false,
  operational: false,
  ...over,
})

describe("obstaclesOf", () => {
  it("is empty for a contact that is mailed", () => {
    assert.deepStrictEqual(obstaclesOf(contact, asked()), [])
  })

  it("returns each fact with its time and source, the reason of a blast first", () => {
    const all = { ...contact, unsubscribed: true, marketingEmailSubscribed: false, marketingEmailInvalid: true }
    const found = obstaclesOf(all, asked({ suppression: suppressed("unsubscribe") }))
    assert.deepStrictEqual(found, [
      { reason: "unsubscribed", since: at(3), source: "contact", topicId: null },
      { reason: "unsubscribed", since: at(5), source: "unsubscribe", topicId: null },
      { reason: "opt_out", since: null, source: "contact", topicId: null },
      { reason: "invalid_email", since: at(2), source: "contact", topicId: null },
    ])
    assert.strictEqual(
      found[0]?.reason,
      blockReason({ ...all, suppression: "unsubscribe", topic: null, consentRequired: false }, false),
    )
  })

  it("leaves out the choices of the contact for operational mail", () => {
    const chosen = { ...contact, unsubscribed: true, marketingEmailSubscribed: false }
    assert.deepStrictEqual(
      obstaclesOf(chosen, asked({ suppression: suppressed("unsubscribe"), operational: true })),
      [],
    )
    assert.deepStrictEqual(obstaclesOf(chosen, asked({ suppression: suppressed("complaint"), operational: true })), [
      { reason: "suppressed", since: at(5), source: "complaint", topicId: null },
    ])
  })

  it("names the topic, with the time of the choice", () => {
    const topic = {
      id: TopicId.make("01990a51-4b0f-7d2e-9c11-2f4f6a1b0c01"),
      defaultSubscription: "subscribed",
    } as const
    const contactId = ContactId.make("01990a51-4b0f-7d2e-9c11-2f4f6a1b0c02")
    const choice = { contactId, topicId: topic.id, status: "unsubscribed", source: "api", changedAt: at(7) } as const
    assert.deepStrictEqual(obstaclesOf(contact, asked({ asked: { topic, choice: null } })), [])
    assert.deepStrictEqual(obstaclesOf(contact, asked({ asked: { topic, choice } })), [
      { reason: "topic_unsubscribed", since: at(7), source: "topic", topicId: topic.id },
    ])
    const found = obstaclesOf(contact, asked({ asked: { topic, choice: null }, consentRequired: true }))
    assert.deepStrictEqual(found, [{ reason: "no_consent", since: null, source: "contact", topicId: null }])
  })

  it("names a contact without an address", () => {
    const none = { ...contact, emailNormalized: null }
    assert.deepStrictEqual(obstaclesOf(none, asked({ operational: true })), [
      { reason: "no_email", since: null, source: "contact", topicId: null },
    ])
  })
})
