// Tests of the rules of a release.
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { BlastId } from "@tentpole/core/kernel/Ids"
import { canReleaseFlows, decideRelease, type Restore } from "@tentpole/core/operations/restore/Release"

const at = (ms: number) => DateTime.makeUnsafe(ms)
const lost = { backupCounter: 1, lostCounter: 2, backupJournaled: false }
const restore: Restore = { at: at(2_000), backupAt: at(1_000), flowsRepeatUntil: at(3_000), ...lost }
const Instant = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000 }))
const blast = { id: BlastId.make("00000000-0000-7000-8000-000000000000"), name: "b", open_count: 1 }

describe("decideRelease", () => {
  it.prop(
    "lets recipients receive the message only if the blast was due or launched after the restore",
    { ms: Instant, launched: Schema.Boolean, growing: Schema.Boolean },
    ({ growing, launched, ms }) => {
      const its = { ...blast, growing, scheduledAt: launched ? null : at(ms), launchedAt: launched ? at(ms) : null }
      assert.strictEqual(decideRelease(its, restore) === "send", ms > 2_000)
    },
  )

  it("waits for the recipients of a launched blast, and unschedules one whose time has passed", () => {
    const launched = { ...blast, scheduledAt: null, launchedAt: at(500) }
    assert.strictEqual(decideRelease({ ...launched, growing: true }, restore), "wait")
    assert.strictEqual(decideRelease({ ...launched, growing: false }, restore), "unconfirm")
    assert.strictEqual(
      decideRelease({ ...blast, scheduledAt: at(1_500), launchedAt: null, growing: false }, restore),
      "unschedule",
    )
  })

  it("releases flows after their members have repeated their steps", () => {
    assert.isFalse(canReleaseFlows(restore, at(3_000)))
    assert.isTrue(canReleaseFlows(restore, at(3_001)))
  })
})
