// The state of the installation as the screen shows it.
import { assert, describe, it } from "vitest"
import {
  goneOf,
  lagOf,
  lateKindsOf,
  type Operations,
  sortedChecks,
  verdictOf,
} from "../../src/operations/state/state.ts"

const process = (process_id: string, seen_at: string): Operations["processes"][number] => ({
  process_id,
  kind: "worker",
  started_at: "2026-05-01T09:00:00.000Z",
  seen_at,
  rss_bytes: 1,
  event_loop_p99_ms: 1,
})

describe("the state of the installation", () => {
  it("takes a process for gone a minute before the newest report", () => {
    const gone = goneOf([
      process("newest", "2026-05-01T09:30:00.000Z"),
      process("late", "2026-05-01T09:29:00.000Z"),
      process("gone", "2026-05-01T09:28:59.999Z"),
    ])
    assert.deepStrictEqual([...gone], ["gone"])
    assert.strictEqual(goneOf([]).size, 0)
  })

  it("has the longest wait of all kinds of due work", () => {
    const due = [
      { kind: "flows", workspaces: 1, lag_s: 0.5 },
      { kind: "deliveries", workspaces: 2, lag_s: 70 },
    ]
    assert.strictEqual(lagOf({ due } as unknown as Operations), 70)
    assert.strictEqual(lagOf({ due: [] } as unknown as Operations), 0)
  })

  it("has the kinds of due work that waited for a second or longer", () => {
    const rest = {
      flows: null,
      flow_events: null,
      flow_dates: null,
      webhooks: null,
      messages: null,
      subscriptions: null,
      confirmations: null,
    }
    const none = { at: "", deliveries: null, blasts: null, ...rest }
    assert.deepStrictEqual(lateKindsOf([none]), [])
    assert.deepStrictEqual(
      lateKindsOf([
        { ...none, flows: 0.9 },
        { ...none, blasts: 1 },
      ]),
      ["blasts"],
    )
  })

  it("shows what is wrong before advice, and advice before what is well", () => {
    const checks = [
      { name: "a", ok: true, found: "", mend: null },
      { name: "b", ok: true, found: "", mend: "Set it." },
      { name: "c", ok: false, found: "", mend: "Fix it." },
    ]
    assert.deepStrictEqual(checks.map(verdictOf), ["ok", "advice", "wrong"])
    assert.deepStrictEqual(
      sortedChecks(checks).map(({ name }) => name),
      ["c", "b", "a"],
    )
  })
})
