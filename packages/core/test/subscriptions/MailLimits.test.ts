// Tests of the limits of confirmation mails.
import { assert, describe, it } from "@effect/vitest"
import { hourlyLimit, mailWait_s, requestWait_s } from "@tentpole/core/subscriptions/MailLimits"
import { DateTime, Schema } from "effect"

const now = DateTime.makeUnsafe("2026-05-02T10:00:00Z")
const ago = (seconds: number) => DateTime.subtract(now, { seconds })
const expiresAt = DateTime.add(now, { days: 7 })
const wait = (toAddress: ReadonlyArray<number>, ofRequest: number = 0) =>
  mailWait_s({ toAddress: toAddress.map(ago), ofRequest: Array.from({ length: ofRequest }, () => now), expiresAt }, now)

describe("Limits of confirmation mails", { tags: ["attack/mail-bombing"] }, () => {
  it("allow one mail in a minute, three in 24 hours, and six for one request", () => {
    assert.deepStrictEqual([wait([]), wait([59]), wait([60]), wait([61, 3_600])], [0, 1, 0, 0])
    assert.strictEqual(wait([61, 3_600, 7_200]), 86_400 - 7_200)
    assert.strictEqual(wait([61, 3_600, 86_400]), 0)
    assert.deepStrictEqual([wait([], 5), wait([], 6)], [0, 7 * 86_400])
  })

  it.prop(
    "let no address get more than one mail in a minute and three in 24 hours",
    { pauses: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40_000 }))) },
    ({ pauses }) => {
      let at = now
      const sent: Array<DateTime.Utc> = []
      for (const pause of pauses) {
        at = DateTime.add(at, { seconds: pause })
        if (mailWait_s({ toAddress: sent, ofRequest: [], expiresAt: at }, at) === 0) sent.push(at)
      }
      for (const [index, { epochMilliseconds }] of sent.entries()) {
        const [next, fourth] = [sent[index + 1], sent[index + 3]]
        if (next !== undefined) assert.isAtLeast(next.epochMilliseconds - epochMilliseconds, 60_000)
        if (fourth !== undefined) assert.isAtLeast(fourth.epochMilliseconds - epochMilliseconds, 86_400_000)
      }
    },
  )

  it("of a workspace, count from the request that is one too many", () => {
    assert.deepStrictEqual([requestWait_s(null, now), requestWait_s(ago(3_590), now)], [0, 10])
  })

  it("leave a fifth of the requests of an hour to others when an import asks, which asks at least one person", () => {
    assert.deepStrictEqual([hourlyLimit(1_000, "import"), hourlyLimit(1_000, "form")], [800, 1_000])
    assert.deepStrictEqual([hourlyLimit(1, "import"), hourlyLimit(3, "import")], [1, 2])
  })
})
