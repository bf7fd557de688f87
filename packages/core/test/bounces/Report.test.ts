import { codeIn, codeOfReply, isBadAddress, isMailboxUnavailable } from "@tentpole/core/sending/EnhancedCode"
import { type BounceReport, ReportChange, type ReportedDelivery } from "@tentpole/core/bounces/Report"
import { blankContact } from "@tentpole/core/contacts/Contact"
import { bouncesRepeatedly } from "@tentpole/core/sending/Suppression"
import { ApprovalId, BlastId, ContactId, DeliveryId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"

const epoch = DateTime.makeUnsafe(0)
const uuid = "00000000-0000-4000-8000-000000000001"
const id = DeliveryId.make(uuid)
const address = "ann@example.test"

const sent: ReportedDelivery = {
  id,
  blastId: BlastId.make(uuid),
  flow: null,
  message: null,
  expiresAt: null,
  contactId: ContactId.make(uuid),
  topicId: null,
  approvalId: ApprovalId.make(uuid),
  email: address,
  emailNormalized: address,
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
  bounceKind: null,
  unsubscribedAt: null,
  complainedAt: null,
  contact: { ...blankContact(ContactId.make(uuid), epoch), email: address, emailNormalized: address },
  suppression: null,
  newest: [{ id, bounceKind: null }],
}

/** The delivery after the report. */
const after = (before: ReportedDelivery, report: BounceReport, at: DateTime.Utc): ReportedDelivery => {
  const next = ReportChange.of(before, report, at)?.after ?? before
  return { ...next, newest: next.newest.map((past) => (past.id === id ? { id, bounceKind: next.bounceKind } : past)) }
}

const AnyReport = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("delivered") }),
  Schema.Struct({
    _tag: Schema.Literal("bounced"),
    kind: Schema.Literals(["hard", "soft"]),
    words: Schema.NullOr(Schema.String),
  }),
  Schema.Struct({ _tag: Schema.Literal("complained") }),
])

const Standings = Schema.Struct({
  state: Schema.Literals(["handed_over", "sent", "unconfirmed"]),
  suppression: Schema.NullOr(Schema.Literals(["unsubscribe", "bounce", "complaint", "manual"])),
  /** The outcomes of the four messages before, the newest first. */
  past: Schema.Array(Schema.NullOr(Schema.Literals(["hard", "soft"]))).check(Schema.isMaxLength(4)),
})

const begun = ({ past, state, suppression }: typeof Standings.Type): ReportedDelivery => ({
  ...sent,
  state,
  suppression,
  reason: state === "unconfirmed" ? "unconfirmed" : null,
  sentAt: state === "sent" ? epoch : null,
  deliveredAt: null,
  newest: [
    { id, bounceKind: null },
    ...past.map((bounceKind, at) => ({
      id: DeliveryId.make(`00000000-0000-4000-8000-00000000001${at}`),
      bounceKind,
    })),
  ],
})

/** The result without times: it must not depend on the order of reports. */
const ending = (delivery: ReportedDelivery) => ({
  state: delivery.state,
  delivered: delivery.deliveredAt !== null,
  bounced: delivery.bouncedAt !== null,
  kind: delivery.bounceKind,
  complained: delivery.complainedAt !== null,
  unsubscribed: delivery.contact?.unsubscribed,
  invalid: delivery.contact?.marketingEmailInvalid,
  suppression: delivery.suppression,
})

/** No suppression first, the operator's last. */
const reasons = [null, "unsubscribe", "bounce", "complaint", "manual"] as const
const strengthOf = ({ suppression }: ReportedDelivery): number => reasons.indexOf(suppression)

const play = (from: ReportedDelivery, reports: ReadonlyArray<BounceReport>): ReportedDelivery =>
  reports.reduce((delivery, report, at) => after(delivery, report, DateTime.makeUnsafe(1000 * (at + 1))), from)

describe("Bounce reports", () => {
  it.prop(
    "give the same result in any order and number",
    {
      from: Standings,
      reports: Schema.Array(AnyReport).check(Schema.isMaxLength(8)),
      keys: Schema.Array(Schema.Int).check(Schema.isMinLength(16)),
    },
    ({ from, keys, reports }) => {
      const shuffled = [...reports, ...reports]
        .map((report, at) => ({ report, key: keys[at] ?? 0 }))
        .sort((left, right) => left.key - right.key)
        .map(({ report }) => report)
      assert.deepStrictEqual(ending(play(begun(from), shuffled)), ending(play(begun(from), reports)))
    },
  )

  it.prop(
    "write one event each, change no mark, and never weaken a suppression",
    { from: Standings, reports: Schema.Array(AnyReport).check(Schema.isMaxLength(12)) },
    ({ from, reports }) => {
      const activityTypes: Array<string> = []
      let before = begun(from)
      for (const [at, report] of reports.entries()) {
        const now = DateTime.makeUnsafe(1000 * (at + 1))
        const change = ReportChange.of(before, report, now)
        const next = after(before, report, now)
        activityTypes.push(...(change?.activities.map(({ type }) => type) ?? []))
        for (const mark of ["sentAt", "bouncedAt", "complainedAt"] as const) {
          if (before[mark] !== null) assert.strictEqual(next[mark], before[mark])
        }
        assert.isFalse(next.bouncedAt !== null && next.deliveredAt !== null, "what came back was not delivered")
        assert.isAtLeast(strengthOf(next), strengthOf(before), "what was graver stays")
        before = next
      }
      assert.strictEqual(new Set(activityTypes).size, activityTypes.length)
    },
  )

  it("do not mark the new address when the old one bounces", () => {
    const contact = sent.contact === null ? null : { ...sent.contact, emailNormalized: "new@example.test" }
    const change = ReportChange.of({ ...sent, contact }, { _tag: "bounced", kind: "hard", words: null }, epoch)
    assert.strictEqual(change?.after.contact, contact)
    assert.strictEqual(change?.after.suppression, "bounce", "the old one is not written to again")
  })

  it("have no effect on a message that was not handed over", () => {
    assert.isUndefined(ReportChange.of({ ...sent, handedOverAt: null }, { _tag: "complained" }, epoch))
  })

  it("suppress an address after five soft bounces in a row; a delivery restarts the count", () => {
    assert.isTrue(bouncesRepeatedly(["soft", "soft", "soft", "soft", "soft", null]))
    assert.isFalse(bouncesRepeatedly(["soft", "soft", "soft", "soft"]))
    assert.isFalse(bouncesRepeatedly(["soft", "soft", null, "soft", "soft", "soft"]))
    assert.isFalse(bouncesRepeatedly(["soft", "hard", "soft", "soft", "soft", "soft"]))
  })
})

describe("Enhanced status codes", () => {
  it("are read at their place in a reply, and nowhere else", () => {
    assert.deepStrictEqual(codeIn("smtp; 550 5.1.1 <x@example.test> unknown"), { class: 5, subject: 1, detail: 1 })
    assert.deepStrictEqual(codeIn("5.1.10 (null MX)"), { class: 5, subject: 1, detail: 10 })
    for (const none of ["", "192.5.1.1", "version 5.1.1.4", "3.1.1", "5.1", "15.1.1"]) assert.isUndefined(codeIn(none))
    assert.isUndefined(codeOfReply("550 host 5.1.1 said no"), "a reply has it in its place")
    assert.deepStrictEqual(codeOfReply("550-5.1.1 no"), { class: 5, subject: 1, detail: 1 })
  })

  it("classify bounces by cause", () => {
    const of = (text: string) => {
      const code = codeIn(text)
      assert(code !== undefined)
      return code
    }
    for (const bad of ["5.1.0", "5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10"]) assert.isTrue(isBadAddress(of(bad)), bad)
    for (const good of ["4.1.1", "5.1.5", "5.1.7", "5.1.8", "5.2.1", "5.7.1"]) {
      assert.isFalse(isBadAddress(of(good)), good)
    }
    for (const out of ["4.2.2", "5.2.2", "5.2.1", "4.2.0"]) assert.isTrue(isMailboxUnavailable(of(out)), out)
    for (const other of ["5.2.3", "5.2.4", "2.2.2", "5.7.1", "4.4.2"])
      assert.isFalse(isMailboxUnavailable(of(other)), other)
  })
})
