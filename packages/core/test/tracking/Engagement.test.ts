import { EngagementChange, type Event, type TrackedDelivery } from "@tentpole/core/tracking/Engagement"
import { isBot, isTooSoon } from "@tentpole/core/tracking/BotFilter"
import { blockReason, intentAnswer, type RecipientFacts } from "@tentpole/core/sending/Suppression"
import { ApprovalId, BlastId, ContactId, DeliveryId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"

const epoch = DateTime.makeUnsafe(0)
const now = DateTime.makeUnsafe(1_000_000)
const uuid = "00000000-0000-4000-8000-000000000001"

const delivery: TrackedDelivery = {
  id: DeliveryId.make(uuid),
  blastId: BlastId.make(uuid),
  flow: null,
  message: null,
  expiresAt: null,
  contactId: ContactId.make(uuid),
  topicId: null,
  approvalId: ApprovalId.make(uuid),
  operational: false,
  email: "ann@example.test",
  emailNormalized: "ann@example.test",
  state: "sent",
  reason: null,
  token: 1,
  attempts: 0,
  dueAt: epoch,
  handedOverAt: epoch,
  sentAt: epoch,
  deliveredAt: epoch,
  openedAt: null,
  clickedAt: null,
  clickedUrl: null,
  bouncedAt: null,
  unsubscribedAt: null,
  complainedAt: null,
  contact: null,
  suppressed: false,
  machineOpenedAt: null,
  machineClickedAt: null,
}

const types = (before: TrackedDelivery, event: Event) =>
  EngagementChange.of(before, event, now)?.activities.map((activity) => activity.type) ?? []

describe("Engagement", () => {
  it("records a click without an open as both", () => {
    assert.deepStrictEqual(types(delivery, { _tag: "clicked", url: "u" }), ["email_opened", "email_clicked"])
    assert.deepStrictEqual(types({ ...delivery, openedAt: epoch }, { _tag: "clicked", url: "u" }), ["email_clicked"])
  })

  it("ignores the second event of a kind", () => {
    assert.isEmpty(types({ ...delivery, openedAt: epoch }, { _tag: "opened" }))
    assert.isEmpty(
      types({ ...delivery, openedAt: epoch, clickedAt: epoch, clickedUrl: "u" }, { _tag: "clicked", url: "v" }),
    )
    assert.isEmpty(types({ ...delivery, unsubscribedAt: epoch, suppressed: true }, { _tag: "unsubscribed" }))
  })

  it("unsubscribes again by an old link after the contact subscribed again", () => {
    assert.deepStrictEqual(types({ ...delivery, unsubscribedAt: epoch, suppressed: false }, { _tag: "unsubscribed" }), [
      "email_unsubscribed",
    ])
  })

  it("takes any event of an unconfirmed message as proof that it was sent", () => {
    const doubtful: TrackedDelivery = {
      ...delivery,
      state: "unconfirmed",
      reason: "unconfirmed",
      sentAt: null,
      deliveredAt: null,
    }
    for (const event of [{ _tag: "opened" }, { _tag: "clicked", url: "u" }, { _tag: "unsubscribed" }] as const) {
      const change = EngagementChange.of(doubtful, event, now)
      assert.deepInclude(change?.after, { state: "sent", reason: null })
      assert.strictEqual(change?.after.sentAt, epoch, "at its hand-over")
      const events = change?.events.map(({ type }) => type) ?? []
      assert.deepStrictEqual(events.slice(0, 2), ["email_sent", "email_delivered"])
      assert.deepStrictEqual(types(doubtful, event), events.slice(2), "the times of the delivery are no rows")
    }
    // Its worker is still alive and will settle it itself.
    const handedOver: TrackedDelivery = { ...doubtful, state: "handed_over", reason: null }
    const { state, sentAt } = EngagementChange.of(handedOver, { _tag: "opened" }, now)?.after ?? delivery
    assert.deepStrictEqual([state, sentAt], ["handed_over", null])
  })

  it("stores a machine hit once, without any effect", () => {
    const doubtful: TrackedDelivery = { ...delivery, state: "unconfirmed", reason: "unconfirmed", sentAt: null }
    for (const [_tag, mark] of [
      ["openedByMachine", "machineOpenedAt"],
      ["clickedByMachine", "machineClickedAt"],
    ] as const) {
      const change = EngagementChange.of(doubtful, { _tag }, now)
      assert.deepStrictEqual(change?.after, { ...doubtful, [mark]: now })
      assert.deepStrictEqual([change?.activities, change?.events], [[], []])
      assert.isUndefined(EngagementChange.of({ ...doubtful, [mark]: epoch }, { _tag }, now))
      const person = EngagementChange.of({ ...delivery, [mark]: epoch }, { _tag: "opened" }, now)
      assert.strictEqual(person?.after.openedAt, now, "a person after a machine counts")
    }
  })
})

describe("Bot filter", () => {
  const person = {
    method: "GET",
    userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    purpose: null,
    knownMachine: false,
  }

  it("treats a visitor as a person without evidence to the contrary", () => {
    assert.isFalse(isBot(person))
    assert.isTrue(isBot({ ...person, method: "HEAD" }))
    assert.isTrue(isBot({ ...person, userAgent: null }))
    assert.isTrue(isBot({ ...person, userAgent: " " }))
    assert.isTrue(isBot({ ...person, purpose: "prefetch;anonymous-client-ip" }))
    assert.isTrue(isBot({ ...person, knownMachine: true }))
  })

  it("treats a hit within two seconds of the hand-over as a bot's", { tags: ["attack/bot-engagement"] }, () => {
    const after = (millis: number) => isTooSoon(epoch, DateTime.makeUnsafe(millis))
    assert.deepStrictEqual([-5_000, 0, 1_999, 2_000, 60_000].map(after), [true, true, true, false, false])
    assert.isFalse(isTooSoon(null, epoch))
  })
})

describe("Suppression", () => {
  const Facts = Schema.Struct({
    emailNormalized: Schema.NullOr(Schema.Literal("a@x.test")),
    unsubscribed: Schema.Boolean,
    marketingEmailSubscribed: Schema.NullOr(Schema.Boolean),
    marketingEmailInvalid: Schema.Boolean,
    suppression: Schema.NullOr(Schema.Literals(["bounce", "complaint", "unsubscribe", "manual"])),
    topic: Schema.NullOr(
      Schema.Literals(["subscribed", "unsubscribed", "pending", "subscribed_by_default", "unsubscribed_by_default"]),
    ),
    consentRequired: Schema.Boolean,
  })

  it.prop("stops operational mail for bad addresses and strong suppressions only", { facts: Facts }, ({ facts }) => {
    const reason = blockReason(facts, true)
    const strong = facts.suppression !== null && facts.suppression !== "unsubscribe"
    assert.strictEqual(reason !== undefined, facts.emailNormalized === null || facts.marketingEmailInvalid || strong)
  })

  it.prop("needs consent that was given, where a workspace requires it", { facts: Facts }, ({ facts }) => {
    if (blockReason({ ...facts, consentRequired: true }, false) !== undefined) return
    assert.isTrue(facts.marketingEmailSubscribed === true || facts.topic === "subscribed")
    assert.include([null, "subscribed", "subscribed_by_default"], facts.topic)
  })

  it.prop("stops marketing whenever it stops operational mail", { facts: Facts }, ({ facts }) => {
    if (blockReason(facts, true) !== undefined) assert.isDefined(blockReason(facts, false))
  })

  it.prop(
    "allows an intent only for a running blast and a recipient without block reason",
    {
      facts: Facts,
      paused: Schema.Boolean,
      status: Schema.Literals(["sending", "cancelled", "failed", "sent"]),
      gone: Schema.Boolean,
      operational: Schema.Boolean,
    },
    ({ facts, gone, operational, paused, status }) => {
      const recipient: RecipientFacts | null = gone ? null : facts
      const answer = intentAnswer({ blast: { status, paused }, recipient, operational, withdrawn: false })
      const free = recipient !== null && blockReason(recipient, operational) === undefined
      assert.strictEqual(answer === "granted", status === "sending" && !paused && free)
      const blast = { status, paused }
      assert.strictEqual(intentAnswer({ blast, recipient, operational, withdrawn: true }), "cancelled")
    },
  )
})
