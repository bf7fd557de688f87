import { assert, describe, it } from "@effect/vitest"
import type { Flow, FlowStatus, Lifecycle } from "@tentpole/core/flows/definition/Flow"
import { type ActivationFacts, FlowChange } from "@tentpole/core/flows/definition/FlowChange"
import { plans } from "@tentpole/core/workspaces/Workspace"
import { DateTime, Result } from "effect"
import { everything, facts, flowId, flowOf, isCold, now, send, structureOf } from "../FlowFixture.ts"

const lives: { readonly [Status in FlowStatus]: Lifecycle } = {
  draft: { status: "draft" },
  active: { status: "active", activatedAt: now },
  paused: { status: "paused", pausedAt: now },
  archived: { status: "archived", archivedAt: now },
}
const statuses = ["draft", "active", "paused", "archived"] as const
const inStatus = (status: FlowStatus, body: object = everything): Flow => flowOf(body, { lifecycle: lives[status] })
const known: ActivationFacts = { ...facts, plan: plans.pro }
const later = DateTime.add(now, { hours: 1 })

const to = (moved: Result.Result<FlowChange, { readonly code: string }>): string =>
  Result.isSuccess(moved) ? (moved.success.after?.lifecycle.status ?? "deleted") : moved.failure.code
const byStatus = (move: (flow: Flow) => Result.Result<FlowChange, { readonly code: string }>) =>
  statuses.map((status) => to(move(inStatus(status)))).join(" ")

describe("a flow's life", () => {
  it("goes by its table, from each status", () => {
    assert.strictEqual(
      byStatus((flow) => FlowChange.activate(flow, known, later)),
      "active active active invalid_state",
    )
    assert.strictEqual(
      byStatus((flow) => FlowChange.pause(flow, later)),
      "invalid_state paused paused invalid_state",
    )
    assert.strictEqual(
      byStatus((flow) => FlowChange.archive(flow, later)),
      "archived invalid_state archived archived",
    )
    assert.strictEqual(
      byStatus((flow) => FlowChange.remove(flow, later)),
      "deleted invalid_state deleted deleted",
    )
  })

  it("begins as a draft", () => {
    const change = FlowChange.create(flowId, { name: "N", description: null, structure: structureOf({}) }, now)
    assert.deepInclude(change.after, { revision: 1, lifecycle: { status: "draft" } })
    assert.deepStrictEqual(
      change.events.map(({ type }) => type),
      ["flow_created"],
    )
    assert.isTrue(FlowChange.is(change))
    assert.isFalse(FlowChange.is({ before: null, after: null }))
  })

  it("what is so already is not changed, and nobody is told", () => {
    for (const change of [
      Result.getOrThrow(FlowChange.activate(inStatus("active"), known, later)),
      Result.getOrThrow(FlowChange.pause(inStatus("paused"), later)),
      Result.getOrThrow(FlowChange.archive(inStatus("archived"), later)),
      Result.getOrThrow(FlowChange.edit(inStatus("active"), { structure: structureOf(everything) }, later)),
    ]) {
      assert.strictEqual(change.after, change.before)
      assert.deepStrictEqual([change.events, change.jobs], [[], []])
    }
  })

  it("an activation needs a plan with flows, and everything that the flow needs", () => {
    const free = { ...known, plan: plans.free }
    assert.strictEqual(to(FlowChange.activate(inStatus("draft"), free, later)), "paid_plan_required")
    assert.strictEqual(to(FlowChange.activate(inStatus("paused", {}), known, later)), "campaign_flow_not_ready")
  })

  it("members are looked at again when something about their way has changed", () => {
    const jobs = (result: Result.Result<FlowChange, unknown>) =>
      Result.getOrThrow(result).jobs.map(({ members }) => members)
    assert.deepStrictEqual(jobs(FlowChange.activate(inStatus("paused"), known, later)), ["waiting"])
    assert.deepStrictEqual(jobs(FlowChange.archive(inStatus("paused"), later)), ["live"])
    assert.deepStrictEqual(jobs(FlowChange.pause(inStatus("active"), later)), [])
    assert.deepStrictEqual(
      jobs(FlowChange.edit(inStatus("active"), { structure: { disqualificationRules: null } }, later)),
      ["live"],
    )
    assert.deepStrictEqual(jobs(FlowChange.edit(inStatus("paused"), { structure: { steps: [] } }, later)), ["live"])
    assert.deepStrictEqual(
      jobs(FlowChange.edit(inStatus("paused"), { name: "Other", structure: { triggers: [] } }, later)),
      [],
    )
  })

  it("each edit is allowed in its statuses and in no other", () => {
    const edit = (patch: Parameters<typeof FlowChange.edit>[1]) =>
      statuses.filter((status) => Result.isSuccess(FlowChange.edit(inStatus(status), patch, later))).join(" ")
    const all = statuses.join(" ")
    assert.strictEqual(edit({ structure: { steps: [] } }), "draft paused")
    assert.strictEqual(edit({ structure: { triggers: [] } }), "draft paused")
    assert.strictEqual(edit({ structure: { reentryPolicy: "allow" } }), "draft paused")
    assert.strictEqual(edit({ structure: { disqualificationRules: null } }), "draft active paused")
    assert.strictEqual(edit({ structure: { settings: {} } }), all)
    assert.strictEqual(edit({ structure: { manualMembershipEnabled: true } }), all)
    assert.strictEqual(edit({ name: "Other", description: null, structure: {} }), all)
  })

  it("the revision grows with the structure alone", () => {
    const revision = (patch: Parameters<typeof FlowChange.edit>[1]) =>
      Result.getOrThrow(FlowChange.edit(inStatus("draft"), patch, later)).after.revision
    assert.strictEqual(revision({ name: "Other", structure: {} }), 1)
    assert.strictEqual(revision({ structure: { steps: structureOf({ steps: [send("a")] }).steps } }), 2)
    assert.strictEqual(
      revision({
        structure: { disqualificationRules: structureOf({ disqualification_rules: isCold }).disqualificationRules },
      }),
      1,
    )
  })
})
