import { decide, transitions, type WebhookDeliveryEvent } from "@tentpole/core/webhooks/deliveries/machine"
import type { AttemptOutcome } from "@tentpole/core/webhooks/deliveries/Attempt"
import { attempts_max, type WebhookDeliveryState } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"

const at = (ms: number) => DateTime.makeUnsafe(ms)
const start = at(1_000_000)
const pending: WebhookDeliveryState = {
  status: "pending",
  reason: null,
  attemptCount: 0,
  failedCount: 0,
  isReplay: false,
  nextAttemptAt: start,
  deliveredAt: null,
}
const success: AttemptOutcome = { statusCode: 204, error: null, retryAfter_s: null }
const failure = (statusCode: number | null = 500, retryAfter_s: number | null = null): AttemptOutcome => ({
  statusCode,
  error: statusCode === null ? "timeout" : "http_status",
  retryAfter_s,
})
type Attempts = Extract<WebhookDeliveryEvent, { readonly _tag: "settle" }>["attempts"]
const settle = (outcome: AttemptOutcome, random = 0.5, attempts: Attempts = "schedule") =>
  ({ _tag: "settle", outcome, random, attempts }) as const

const Random = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** The states of a delivery whose attempts all fail, each at its time. */
const failing = (random: (attempt: number) => number, attempts: Attempts = "schedule") => {
  const states = [pending]
  let state = pending
  for (let attempt = 0; attempt < 50 && state.status === "pending" && state.nextAttemptAt !== null; attempt++) {
    const decision = decide(state, settle(failure(), random(attempt), attempts), state.nextAttemptAt)
    assert(decision !== null)
    state = decision.after
    states.push(state)
    if (decision.disables !== null) break
  }
  return states
}

const AnyEvent = Schema.Union([
  Schema.Struct({
    _tag: Schema.Literal("settle"),
    outcome: Schema.Struct({
      statusCode: Schema.NullOr(Schema.Literals([200, 410, 429, 500, 503])),
      error: Schema.NullOr(Schema.Literals(["http_status", "timeout", "unknown_outcome"])),
      retryAfter_s: Schema.NullOr(Schema.Int),
    }),
    random: Random,
    attempts: Schema.Literals(["schedule", "once", "holds"]),
  }),
  Schema.Struct({ _tag: Schema.Literal("expire") }),
  Schema.Struct({ _tag: Schema.Literal("skip"), reason: Schema.Literals(["disabled", "erased"]) }),
  Schema.Struct({ _tag: Schema.Literal("lose") }),
  Schema.Struct({ _tag: Schema.Literal("replay") }),
])

describe("Webhook delivery machine", () => {
  it.prop(
    "follows its table, and is due exactly while it is pending",
    { events: Schema.Array(AnyEvent).check(Schema.isMaxLength(40)) },
    ({ events }) => {
      let state = pending
      let now_ms = start.epochMilliseconds
      for (const event of events) {
        now_ms += 1_000
        const decision = decide(state, event, at(now_ms))
        const row: { readonly [On in WebhookDeliveryEvent["_tag"]]?: string | ReadonlyArray<string> } =
          transitions[state.status]
        const targets = [row[event._tag] ?? []].flat()
        if (decision === null) {
          assert.deepStrictEqual(targets, [])
          continue
        }
        const { after, disables } = decision
        assert.include(targets, after.status)
        assert.strictEqual(after.nextAttemptAt !== null, after.status === "pending")
        assert.strictEqual(after.reason !== null, after.status === "skipped" || event._tag === "lose")
        assert.isAtMost(after.failedCount, attempts_max)
        const attempts = event._tag === "settle" || event._tag === "expire" ? 1 : 0
        assert.strictEqual(after.attemptCount, state.attemptCount + attempts)
        if (disables !== null) assert.strictEqual(event._tag, "settle")
        state = after
      }
    },
  )

  it.prop("gives up after ten attempts in 75.6 hours, each delay at most a tenth off", { random: Random }, (it) => {
    const states = failing(() => it.random)
    assert.deepStrictEqual([states.length - 1, states.at(-1)?.status], [10, "failed"])
    const last = states.at(-2)?.nextAttemptAt?.epochMilliseconds ?? 0
    const hours = (last - start.epochMilliseconds) / 3_600_000
    assert.closeTo(hours / 75.585, 0.9 + 0.2 * it.random, 0.001)
  })

  it("waits 5 seconds after the first attempt, and 24 hours before the last", () => {
    const due = failing(() => 0.5).map(({ nextAttemptAt: next }) => next?.epochMilliseconds ?? 0)
    assert.strictEqual((due[1] ?? 0) - (due[0] ?? 0), 5_000)
    assert.strictEqual((due[9] ?? 0) - (due[8] ?? 0), 24 * 3_600_000)
  })

  it("Retry-After of 429 and 503 delays the next attempt up to a day, and never brings it forward", () => {
    const delay_s = (statusCode: number | null, retryAfter_s: number) => {
      const decision = decide(pending, settle(failure(statusCode, retryAfter_s)), start)
      return ((decision?.after.nextAttemptAt?.epochMilliseconds ?? 0) - start.epochMilliseconds) / 1000
    }
    assert.deepStrictEqual(
      [delay_s(429, 60), delay_s(503, 60), delay_s(429, 1), delay_s(503, 1e9)],
      [60, 60, 5, 86_400],
    )
    assert.deepStrictEqual([delay_s(500, 60), delay_s(null, 60)], [5, 5])
  })

  it("410 disables the endpoint at once, and the delivery waits", () => {
    const decision = decide(pending, settle(failure(410)), start)
    assert.deepStrictEqual([decision?.disables, decision?.after.status], ["gone", "pending"])
  })

  it("the head of an order is not given up: its endpoint is disabled", () => {
    const states = failing(() => 0.5, "holds")
    assert.deepStrictEqual([states.length - 1, states.at(-1)?.status], [10, "pending"])
  })

  it("a test is attempted once", () => {
    const decision = decide(pending, settle(failure(503), 0.5, "once"), start)
    assert.deepStrictEqual([decision?.after.status, decision?.after.nextAttemptAt], ["failed", null])
  })

  it("a replay has the whole schedule again, and counts its attempts on", () => {
    const failed = failing(() => 0.5).at(-1)
    assert(failed !== undefined)
    const replayed = decide(failed, { _tag: "replay" }, at(9_000_000))?.after
    assert(replayed !== undefined)
    assert.deepStrictEqual(replayed, {
      ...pending,
      attemptCount: 10,
      isReplay: true,
      nextAttemptAt: at(9_000_000),
    })
    assert.isNull(decide(pending, { _tag: "replay" }, start))
    const delivered = decide(replayed, settle(success), start)?.after
    assert.deepStrictEqual([delivered?.status, delivered?.attemptCount], ["delivered", 11])
  })

  it("an attempt without a known outcome is repeated at once, and is no failure of the schedule", () => {
    const decision = decide({ ...pending, failedCount: 9 }, { _tag: "expire" }, at(5_000_000))
    assert.deepStrictEqual(decision?.after, {
      ...pending,
      attemptCount: 1,
      failedCount: 9,
      nextAttemptAt: at(5_000_000),
    })
  })
})
