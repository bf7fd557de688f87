// Tests of the installation's overview.
import { type Backlog, firstLagPeriod, lagPointsOf, queuesOf } from "@tentpole/core/operations/overview/ServiceOverview"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const row = (
  queue: Backlog["queue"],
  kind: string,
  state: string,
  items: number,
  oldest_s: number | null = null,
): Backlog => ({ queue, kind, state, items, oldest_s })

describe("queuesOf", () => {
  it("has a row for each type of job, in the order of their names", () => {
    const { jobs } = queuesOf([
      row("jobs", "import_run", "dead", 1, 500),
      row("jobs", "blast_start", "ready", 2, 4.5),
      row("jobs", "blast_start", "running", 3, 90),
      row("jobs", "import_run", "later", 5),
    ])
    assert.deepStrictEqual(jobs, [
      { type: "blast_start", ready: 2, running: 3, later: 0, dead: 0, oldest_s: 4.5 },
      { type: "import_run", ready: 0, running: 0, later: 5, dead: 1, oldest_s: null },
    ])
  })

  it("counts deliveries by state, due workspaces by kind, and connections in all", () => {
    const queues = queuesOf([
      row("due", "deliveries", "due", 2, 0.2),
      row("due", "flows", "due", 0),
      row("deliveries", "", "open", 710),
      row("deliveries", "", "claimed", 12),
      row("deliveries", "", "handed_over", 3, 1.5),
      row("connections", "http", "idle", 6, 2),
      row("connections", "worker", "active", 1, 0),
    ])
    assert.deepStrictEqual(queues, {
      jobs: [],
      due: [
        { kind: "deliveries", workspaces: 2, lag_s: 0.2 },
        { kind: "flows", workspaces: 0, lag_s: 0 },
      ],
      deliveries: { open: 710, paused: 0, claimed: 12, handed_over: 3, oldest_s: 1.5 },
      connections: 7,
    })
  })

  it("is empty where nothing waits", () => {
    assert.deepStrictEqual(queuesOf([]), {
      jobs: [],
      due: [],
      deliveries: { open: 0, paused: 0, claimed: 0, handed_over: 0, oldest_s: null },
      connections: 0,
    })
  })
})

describe("lagPointsOf", () => {
  const now = DateTime.makeUnsafe("2026-05-02T10:20:00Z")
  const none = {
    blasts: null,
    deliveries: null,
    messages: null,
    flows: null,
    flow_events: null,
    flow_dates: null,
    webhooks: null,
    subscriptions: null,
    confirmations: null,
  }

  it("has a point for each quarter of an hour of 24 hours, the present one last", () => {
    const points = lagPointsOf([], firstLagPeriod(now))
    assert.lengthOf(points, 96)
    assert.deepStrictEqual(points[0], { at: DateTime.makeUnsafe("2026-05-01T10:30:00Z"), ...none })
    assert.deepStrictEqual(points.at(-1), { at: DateTime.makeUnsafe("2026-05-02T10:15:00Z"), ...none })
  })

  it("has the lag of each kind in its period", () => {
    const at = DateTime.makeUnsafe("2026-05-02T10:00:00Z")
    const points = lagPointsOf(
      [
        { at, kind: "deliveries", lag_s: 80.5 },
        { at, kind: "flows", lag_s: 0 },
      ],
      firstLagPeriod(now),
    )
    assert.deepStrictEqual(points.at(-2), { at, ...none, deliveries: 80.5, flows: 0 })
    assert.deepStrictEqual(points.at(-1), { at: DateTime.makeUnsafe("2026-05-02T10:15:00Z"), ...none })
  })
})
