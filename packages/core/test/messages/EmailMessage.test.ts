// Tests of the status and the timeline of a message.
import { messageEvents, messageStatus, smtpMessageIdOf } from "@tentpole/core/messages/EmailMessage"
import { acceptanceBlock, headerOf, missingIn, retriedUntil } from "@tentpole/core/messages/Acceptance"
import { Settlement } from "@tentpole/core/sending/Settlement"
import { blockReason, suppressionReasons } from "@tentpole/core/sending/Suppression"
import { blankContact } from "@tentpole/core/contacts/Contact"
import { ContactId, MessageId } from "@tentpole/core/kernel/Ids"
import { deliveryStates } from "@tentpole/core/sending/Delivery"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const now = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
const at = (seconds: number) => DateTime.add(now, { seconds })
const id = MessageId.make("01990a51-4b0f-7d2e-9c11-2f4f6a1b0c01")
const nothing = { subject: null, previewText: null, fromName: null, fromAddress: null, replyToEmail: null }

describe("A message", () => {
  it("has a status that callers know, from every state", () => {
    const statuses = deliveryStates.map((state) => messageStatus({ state, scheduledAt: null }, now))
    assert.deepStrictEqual(statuses, ["queued", "queued", "queued", "sent", "failed", "blocked", "failed"])
    assert.strictEqual(messageStatus({ state: "queued", scheduledAt: at(1) }, now), "scheduled")
    assert.strictEqual(messageStatus({ state: "queued", scheduledAt: at(0) }, now), "queued")
    assert.strictEqual(messageStatus({ state: "blocked", scheduledAt: at(1) }, now), "blocked")
  })

  it("has its events in the order of their times", () => {
    const message = {
      state: "sent",
      reason: null,
      createdAt: now,
      sentAt: at(1),
      deliveredAt: at(1),
      openedAt: at(3),
      clickedAt: at(2),
      clickedUrl: "https://example.org/a",
      bouncedAt: null,
      complainedAt: null,
      unsubscribedAt: null,
      failedAt: null,
      blockedAt: null,
    } as unknown as Parameters<typeof messageEvents>[0]
    assert.deepStrictEqual(
      messageEvents(message).map(({ type }) => type),
      ["email_accepted", "email_sent", "email_delivered", "email_clicked", "email_opened"],
    )
    const blocked = {
      ...message,
      state: "blocked",
      reason: "suppressed",
      sentAt: null,
      deliveredAt: null,
    } as typeof message
    assert.deepStrictEqual(messageEvents({ ...blocked, openedAt: null, clickedAt: null }).at(-1), {
      type: "email_blocked",
      at: now,
      metadata: { reason: "suppressed" },
    })
    assert.strictEqual(smtpMessageIdOf({ id, fromAddress: "a@Bücher.example" }), `<${id}@xn--bcher-kva.example>`)
  })

  it("is blocked at its acceptance by the rules of its intent", () => {
    const contact = {
      ...blankContact(ContactId.make(id), now),
      emailNormalized: "a@b.example",
      unsubscribed: true,
      marketingEmailInvalid: true,
    }
    const noTopic = { topic: null, consentRequired: false }
    for (const operational of [true, false]) {
      for (const reason of [null, ...suppressionReasons]) {
        const suppression = reason === null ? null : { email: "a@b.example", reason, createdAt: now }
        const known = { emailNormalized: "a@b.example", suppression, ...noTopic }
        const facts = { ...contact, emailNormalized: "a@b.example", suppression: reason, ...noTopic }
        assert.strictEqual(acceptanceBlock({ ...known, contact }, operational), blockReason(facts, operational))
        const stranger = acceptanceBlock({ ...known, contact: null }, operational)
        assert.strictEqual(
          stranger,
          reason === null || (reason === "unsubscribe" && operational)
            ? undefined
            : reason === "unsubscribe"
              ? "unsubscribed"
              : "suppressed",
        )
      }
    }
    assert.strictEqual(
      acceptanceBlock({ emailNormalized: null, contact: null, suppression: null, ...noTopic }, true),
      "no_email",
    )
  })

  it("has its own header before the source's and the workspace's", () => {
    const source = { ...nothing, subject: "b", fromName: "b" }
    const defaults = { fromAddress: "c@c.example", fromName: "c", replyToEmail: null }
    assert.deepStrictEqual(headerOf({ ...nothing, subject: "a" }, source, defaults), {
      ...nothing,
      subject: "a",
      fromName: "b",
      fromAddress: "c@c.example",
    })
    assert.deepStrictEqual(missingIn(nothing, []), ["subject", "from_address"])
    assert.deepStrictEqual(missingIn({ ...nothing, subject: "a", fromAddress: "c@C.example" }, []), ["sender_domain"])
    assert.deepStrictEqual(missingIn({ ...nothing, subject: "a", fromAddress: "c@C.example" }, ["c.example"]), [])
  })

  it("is tried again after growing pauses until its end", () => {
    const refused = { _tag: "outcome", outcome: { _tag: "refused", code: 451, reply: "451 later" } } as const
    const settled = (attempts: number, expiresAt: DateTime.Utc) =>
      Settlement.of({ id, token: 1, attempts, message: { expiresAt } }, refused, {
        at: now,
        acceptMeansDelivered: true,
      })
    const day = at(86_400)
    assert.deepStrictEqual(
      [0, 1, 2, 3, 4, 5, 50].map((attempts) => settled(attempts, day).pause_s),
      [5, 30, 120, 600, 1_800, 3_600, 3_600],
    )
    assert.deepStrictEqual(settled(0, at(5)).ending, { state: "failed", reason: "temporarily_refused" })
    assert.deepStrictEqual(settled(0, at(6)).ending, { state: "queued" })
    const expired = Settlement.of(
      { id, token: 1, attempts: 0 },
      { _tag: "expired" },
      { at: now, acceptMeansDelivered: true },
    )
    assert.deepStrictEqual(expired.ending, { state: "failed", reason: "expired" })
    assert.deepStrictEqual(retriedUntil(at(1), now), day)
    assert.deepStrictEqual(retriedUntil(at(90_000), now), at(90_000))
  })
})
