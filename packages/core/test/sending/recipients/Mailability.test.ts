// What keeps mail from a contact, with the facts that say so.
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
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

describe("obstaclesOf", () => {
  it("is empty for a contact that is mailed", () => {
    assert.deepStrictEqual(obstaclesOf(contact, null, activities, false), [])
  })

  it("returns each fact with its time and source, the reason of a blast first", () => {
    const all = { ...contact, unsubscribed: true, marketingEmailSubscribed: false, marketingEmailInvalid: true }
    const found = obstaclesOf(all, suppressed("unsubscribe"), activities, false)
    assert.deepStrictEqual(found, [
      { reason: "unsubscribed", since: at(3), source: "contact" },
      { reason: "unsubscribed", since: at(5), source: "unsubscribe" },
      { reason: "opt_out", since: null, source: "contact" },
      { reason: "invalid_email", since: at(2), source: "contact" },
    ])
    assert.strictEqual(found[0]?.reason, blockReason({ ...all, suppression: "unsubscribe" }, false))
  })

  it("leaves out the choices of the contact for operational mail", () => {
    const chosen = { ...contact, unsubscribed: true, marketingEmailSubscribed: false }
    assert.deepStrictEqual(obstaclesOf(chosen, suppressed("unsubscribe"), activities, true), [])
    assert.deepStrictEqual(obstaclesOf(chosen, suppressed("complaint"), [], true), [
      { reason: "suppressed", since: at(5), source: "complaint" },
    ])
  })

  it("names a contact without an address", () => {
    const none = { ...contact, emailNormalized: null }
    assert.deepStrictEqual(obstaclesOf(none, null, [], true), [{ reason: "no_email", since: null, source: "contact" }])
  })
})
