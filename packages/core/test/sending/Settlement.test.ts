import { pauseAfter_s } from "@tentpole/core/kernel/runtime/Backoff"
import { NotSent, type Outcome } from "@tentpole/core/sending/MailConnection"
import { isHardBounce, toPrintableLine, Settlement, requiresLogin } from "@tentpole/core/sending/Settlement"
import { DeliveryId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"

const id = DeliveryId.make("00000000-0000-4000-8000-000000000001")
const at = DateTime.makeUnsafe(0)

const settled = (outcome: Outcome, attempts = 0, acceptMeansDelivered = true) =>
  Settlement.of({ id, token: 1, attempts }, { _tag: "outcome", outcome }, { at, acceptMeansDelivered })

const early = (stage: NotSent["stage"], code: number | null, reply: string, attempts = 0) =>
  Settlement.of(
    { id, token: 1, attempts },
    { _tag: "notSent", error: new NotSent({ stage, code, reply }) },
    { at, acceptMeansDelivered: true },
  )

describe("Backoff", () => {
  it("waits 30 s, 2 m, 10 m, 30 m, then hourly, for 24 hours in all", () => {
    const pauses: Array<number> = []
    for (let attempt = 1; ; attempt++) {
      const pause_s = pauseAfter_s(attempt)
      if (pause_s === undefined) break
      pauses.push(pause_s)
    }
    assert.deepStrictEqual(pauses.slice(0, 6), [30, 120, 600, 1800, 3600, 3600])
    const waited_s = pauses.reduce((sum, pause_s) => sum + pause_s, 0)
    assert.isAtMost(waited_s, 24 * 3600)
    assert.isAbove(waited_s + 3600, 24 * 3600)
  })
})

describe("Settlement", () => {
  it("marks an accepted message as sent, and delivered where acceptance means that", () => {
    const accepted: Outcome = { _tag: "accepted", reply: "250 2.0.0 ok" }
    assert.deepInclude(settled(accepted), {
      ending: { state: "sent" },
      delivered: true,
      bounce: null,
      reply: "250 2.0.0 ok",
    })
    assert.isFalse(settled(accepted, 0, false).delivered)
  })

  it("marks an unknown outcome as unconfirmed after any number of attempts", () => {
    for (const attempts of [0, 5, 100]) {
      assert.deepStrictEqual(settled({ _tag: "inDoubt" }, attempts).ending, { state: "unconfirmed" })
    }
  })

  it("does not send again after a reply that is neither positive nor negative", () => {
    assert.deepStrictEqual(settled({ _tag: "refused", code: 354, reply: "354 go on" }).ending, { state: "unconfirmed" })
  })

  it.each([421, 450, 451, 452, 454])("waits after %i, before and after the body", (code) => {
    for (const settlement of [
      settled({ _tag: "refused", code, reply: `${code} later` }),
      early("recipient", code, `${code} later`),
      early("sender", code, `${code} later`),
    ]) {
      assert.deepInclude(settlement, { ending: { state: "queued" }, pause_s: 30, bounce: null })
    }
  })

  it("fails a temporary refusal after the last backoff", () => {
    let attempts = 0
    while (pauseAfter_s(attempts + 1) !== undefined) attempts++
    assert.deepStrictEqual(settled({ _tag: "refused", code: 451, reply: "451 later" }, attempts).ending, {
      state: "failed",
      reason: "temporarily_refused",
    })
    assert.deepStrictEqual(early("connection", null, "gone", attempts).ending, {
      state: "failed",
      reason: "unreachable",
    })
    assert.deepStrictEqual(settled({ _tag: "refused", code: 451, reply: "451 later" }, attempts - 1).ending, {
      state: "queued",
    })
  })

  it.each([
    [550, "550 5.1.1 no such user", "hard_bounce"],
    [550, "550-5.1.1 The email account\n550 5.1.1 does not exist", "hard_bounce"],
    [553, "553 5.1.3 bad syntax", "hard_bounce"],
    [556, "556 5.1.10 null MX", "hard_bounce"],
    [553, "553 5.1.8 sender's domain unknown", "refused"],
    [553, "553 5.1.7 bad sender", "refused"],
    [550, "550 no such user", "refused"],
    [552, "552 5.2.2 mailbox full", "refused"],
    [552, "552 5.3.4 too big", "refused"],
    [554, "554 5.7.1 spam", "refused"],
    [550, "550 5.11.1 unknown", "refused"],
    [550, "550 4.1.1 muddled", "refused"],
  ] as const)("of %i %j has failed: %s", (code, reply, reason) => {
    for (const settlement of [
      settled({ _tag: "refused", code, reply }),
      early("recipient", code, reply),
      early("data", code, reply),
    ]) {
      assert.deepStrictEqual(settlement.ending, { state: "failed", reason })
      assert.strictEqual(settlement.bounce === "hard", reason === "hard_bounce")
    }
  })

  it("does not blame the recipient's address for a refused sender", () => {
    const settlement = early("sender", 550, "550 5.1.1 muddled")
    assert.deepInclude(settlement, { ending: { state: "failed", reason: "refused" }, bounce: null })
  })

  it("waits after a broken connection", () => {
    assert.deepStrictEqual(early("connection", null, "gone").ending, { state: "queued" })
    assert.deepStrictEqual(settled({ _tag: "notSent" }).ending, { state: "queued" })
  })

  it("fails a message that cannot be rendered", () => {
    const settlement = Settlement.of(
      { id, token: 1, attempts: 0 },
      { _tag: "notRendered", reason: "message_too_large", why: "no" },
      { at, acceptMeansDelivered: true },
    )
    assert.deepInclude(settlement, { ending: { state: "failed", reason: "message_too_large" }, reply: "no" })
  })

  it.prop(
    "stores a reply as one printable, truncated line",
    { reply: Schema.String },
    ({ reply }) => {
      const kept = toPrintableLine(`550 ${reply}\r\n\u001b[31m${reply.repeat(200)}`)
      assert.isAtMost(kept.length, 500)
      assert.notMatch(kept, /[\p{Cc}\p{Cs}]/u)
    },
    { tags: ["attack/log-injection"] },
  )
})

describe("Hard bounces", () => {
  it.prop(
    "are 5.1.x and nothing else",
    {
      group: Schema.Literals([2, 4, 5]),
      subject: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })),
      detail: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })),
    },
    ({ detail, group, subject }) => {
      const expected = group === 5 && subject === 1 && ![5, 7, 8].includes(detail)
      assert.strictEqual(isHardBounce(`550 ${group}.${subject}.${detail} text`), expected)
    },
  )
})

describe("Required login", () => {
  it("is recognised from the reply to MAIL only", () => {
    assert.isTrue(requiresLogin(new NotSent({ stage: "sender", code: 530, reply: "530 5.7.0 log in" })))
    assert.isFalse(requiresLogin(new NotSent({ stage: "recipient", code: 530, reply: "530 5.7.0 log in" })))
    assert.isFalse(requiresLogin(new NotSent({ stage: "sender", code: 550, reply: "550 no" })))
  })
})
