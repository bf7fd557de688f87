// Tests of the pace of a blast: its rate, its estimated end, and why it has stalled.
import { paceOf, type PaceFacts, rateWindowStart, stallOf, type StallFacts } from "@tentpole/core/blasts/figures/Pace"
import type { Blast, SendingBlast } from "@tentpole/core/blasts/Blast"
import { ApprovalId, BlastId, EmailId, ListId } from "@tentpole/core/kernel/Ids"
import { type DeliveryTally, emptyTally } from "@tentpole/core/sending/Delivery"
import { DateTime } from "effect"
import { assert, describe, it } from "vitest"

const now = DateTime.makeUnsafe("2026-05-07T12:00:05.000Z")
const ago = (seconds: number) => DateTime.subtract(now, { seconds })
const id = "01890a5d-ac96-774b-bcce-b302099a8057"

const sending = (over: Partial<SendingBlast> = {}): SendingBlast => ({
  id: BlastId.make(id),
  status: "sending",
  name: "b",
  description: null,
  operational: false,
  topicId: null,
  createdAt: ago(9_000),
  updatedAt: ago(9_000),
  audience: { listId: ListId.make(id), source: "existing" },
  email: { emailId: EmailId.make(id), source: "existing" },
  locked: { approvalId: ApprovalId.make(id), version: 1, at: ago(9_000) },
  time: { mode: "send_now" },
  launch: {
    at: ago(600),
    allotted: 0,
    pass: null,
    audience: { at: ago(590), recipientCount: 100, qualifiedCount: 100, truncated: false },
  },
  paused: false,
  retryingSince: null,
  ...over,
})

const tally = (over: Partial<DeliveryTally>): DeliveryTally => ({ ...emptyTally, ...over })
const facts = (over: Partial<PaceFacts> = {}): PaceFacts => ({
  now,
  sent: 110,
  nextAttemptAt: null,
  held: false,
  ...over,
})
const usual: StallFacts = { held: false, overdue_ms: 0, limited: false }

describe("paceOf", () => {
  it("counts whole slots of the last minute", () => {
    assert.strictEqual(DateTime.formatIso(rateWindowStart(now)), "2026-05-07T11:59:10.000Z")
    // 110 messages in 55 seconds
    assert.deepStrictEqual(paceOf(sending(), tally({ queued: 20 }), facts()), {
      perSecond: 2,
      nextAttemptAt: null,
      estimatedEndAt: DateTime.add(now, { seconds: 10 }),
    })
  })

  it("divides by the time since the launch while that is shorter", () => {
    const { launch } = sending()
    const young = sending({ launch: { ...launch, at: ago(10) } })
    assert.strictEqual(paceOf(young, tally({ queued: 1 }), facts({ sent: 25 })).perSecond, 2.5)
  })

  it("estimates no end before the next attempt of a deferred recipient", () => {
    const next = DateTime.add(now, { minutes: 15 })
    const pace = paceOf(sending(), tally({ queued: 20, deferred: 3 }), facts({ nextAttemptAt: next }))
    assert.deepStrictEqual([pace.nextAttemptAt, pace.estimatedEndAt], [next, next])
    const undeferred = paceOf(sending(), tally({ queued: 20 }), facts({ nextAttemptAt: next }))
    assert.isNull(undeferred.nextAttemptAt)
  })

  it("estimates no end of a blast that sends nothing", () => {
    const { launch } = sending()
    const estimate = (blast: Blast, counts: Partial<DeliveryTally>, known: Partial<PaceFacts> = {}) =>
      paceOf(blast, tally(counts), facts(known)).estimatedEndAt
    assert.isNotNull(estimate(sending(), { queued: 5 }))
    assert.isNull(estimate(sending(), { queued: 5 }, { sent: 0 }))
    assert.isNull(estimate(sending({ paused: true }), { queued: 5 }))
    assert.isNull(estimate(sending(), { queued: 5 }, { held: true }))
    assert.isNull(estimate(sending(), { queued: 5, deferred: 5 }))
    assert.isNull(estimate(sending({ launch: { ...launch, audience: null } }), { queued: 5 }))
  })

  it("gives a blast that is not sending no pace", () => {
    const { paused: _, retryingSince: __, ...rest } = sending()
    const sent: Blast = { ...rest, status: "sent", sentAt: now }
    assert.deepStrictEqual(paceOf(sent, tally({ sent: 5 }), null), {
      perSecond: null,
      nextAttemptAt: null,
      estimatedEndAt: null,
    })
  })
})

describe("stallOf", () => {
  const stall = (counts: Partial<DeliveryTally>, over: Partial<StallFacts> = {}, known: Partial<PaceFacts> = {}) =>
    stallOf(sending(), tally(counts), facts(known), { ...usual, ...over })

  it("names a hold first, then a missing worker, then refusals, then a limit", () => {
    const all = { held: true, overdue_ms: 61_000, limited: true }
    const refused = { queued: 5, deferred: 5 }
    assert.strictEqual(stall(refused, all, { sent: 0 }), "held")
    assert.strictEqual(stall(refused, { ...all, held: false }, { sent: 0, held: true }), "held")
    assert.strictEqual(stall(refused, { ...all, held: false }, { sent: 0 }), "no_worker")
    assert.strictEqual(stall(refused, { limited: true }, { sent: 0 }), "refused")
    assert.strictEqual(stall({ queued: 5, deferred: 4 }, { limited: true }, { sent: 0 }), "limit")
  })

  it("is null while messages are sent, between turns of a worker, and without a limit", () => {
    assert.isNull(stall({ queued: 5, deferred: 4 }, { limited: true }))
    assert.isNull(stall({ queued: 5 }, { overdue_ms: 60_000 }, { sent: 0 }))
    assert.isNull(stall({ queued: 5 }, {}, { sent: 0 }))
    assert.isNull(stall({ queued: 0 }, { overdue_ms: 61_000 }, { sent: 0 }))
  })

  it("is not a refusal while further recipients may be added", () => {
    const { launch } = sending()
    const growing = sending({ launch: { ...launch, audience: null } })
    assert.isNull(stallOf(growing, tally({ queued: 5, deferred: 5 }), facts(), usual))
  })

  it("is null for a blast that is paused or was launched less than a minute ago", () => {
    const { launch } = sending()
    const young = sending({ launch: { ...launch, at: ago(59) } })
    const limited = { ...usual, limited: true }
    assert.isNull(stallOf(young, tally({ queued: 5 }), facts({ sent: 0 }), limited))
    const held = { ...limited, held: true }
    assert.isNull(stallOf(sending({ paused: true }), tally({ queued: 5 }), facts({ sent: 0 }), held))
  })
})
