// The state of webhook endpoints, and how often a delivery is read again.
import { assert, describe, it } from "vitest"
import { hostOf, isBroken, nameOf, readAgain_ms, stateOf } from "../../src/webhooks/endpoint.ts"

const endpoint = (consecutive_failures: number, disabled_reason: "gone" | "requested" | null = null) => ({
  status: disabled_reason === null ? ("enabled" as const) : ("disabled" as const),
  disabled_reason,
  stats: { consecutive_failures },
})

describe("an endpoint", () => {
  it("is in trouble after five failures in a row, and broken if the service disabled it", () => {
    assert.strictEqual(stateOf(endpoint(4)), "enabled")
    assert.strictEqual(stateOf(endpoint(5)), "troubled")
    assert.strictEqual(stateOf(endpoint(9, "gone")), "gone")
    assert.deepStrictEqual(
      [endpoint(9), endpoint(0, "requested"), endpoint(0, "gone")].map((each) => isBroken(each)),
      [false, false, true],
    )
  })

  it("is named after its URL", () => {
    assert.strictEqual(nameOf({ url: "https://crm.example.org/hooks" }), "crm.example.org/hooks")
    assert.strictEqual(nameOf({ url: "http://127.0.0.1:9/a" }), "http://127.0.0.1:9/a")
    assert.strictEqual(hostOf({ url: "https://crm.example.org:8443/hooks?a=1" }), "crm.example.org:8443")
  })
})

it("a delivery is read often while its attempt is near, then seldom, and not after its end", () => {
  const now_ms = Date.parse("2026-05-01T09:30:00Z")
  const pending = (next_attempt_at: string) => readAgain_ms({ status: "pending", next_attempt_at }, now_ms)
  assert.isBelow(pending("2026-05-01T09:30:05Z") || 0, 2_000)
  assert.isAbove(pending("2026-05-01T09:35:00Z") || 0, 5_000)
  assert.isFalse(readAgain_ms({ status: "delivered", next_attempt_at: null }, now_ms))
})
