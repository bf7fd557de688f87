import { assert, describe, it } from "@effect/vitest"
import type { Flow, FlowStatus, Lifecycle } from "@tentpole/core/flows/definition/Flow"
import {
  type ActivationFacts,
  createFlow,
  decide,
  type FlowChange,
  transitions,
} from "@tentpole/core/flows/definition/machine"
import type { FlowPatch } from "@tentpole/core/flows/definition/FlowInput"
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

describe("the flow machine", () => {
  it("accepts exactly the events of its table in each status", () => {
    const events = {
      edit: { _tag: "edit", patch: { structure: {} } },
      activate: { _tag: "activate", facts: known },
      pause: { _tag: "pause" },
      archive: { _tag: "archive" },
      delete: { _tag: "delete" },
    } as const
    const accepted = (status: FlowStatus) =>
      Object.values(events).flatMap((event) => {
        const decided: Result.Result<FlowChange, unknown> = decide(inStatus(status), event, later)
        if (Result.isFailure(decided)) return []
        return [[event._tag, decided.success.after?.lifecycle.status ?? "deleted"]]
      })
    for (const status of statuses) assert.deepStrictEqual(Object.fromEntries(accepted(status)), transitions[status])
  })

  it("follows its table from each status", () => {
    assert.strictEqual(
      byStatus((flow) => decide(flow, { _tag: "activate", facts: known }, later)),
      "active active active invalid_state",
    )
    assert.strictEqual(
      byStatus((flow) => decide(flow, { _tag: "pause" }, later)),
      "invalid_state paused paused invalid_state",
    )
    assert.strictEqual(
      byStatus((flow) => decide(flow, { _tag: "archive" }, later)),
      "archived invalid_state archived archived",
    )
    assert.strictEqual(
      byStatus((flow) => decide(flow, { _tag: "delete" }, later)),
      "deleted invalid_state deleted deleted",
    )
  })

  it("creates a draft", () => {
    const change = createFlow(flowId, { name: "N", description: null, structure: structureOf({}) }, now)
    assert.deepInclude(change.after, { revision: 1, lifecycle: { status: "draft" } })
    assert.deepStrictEqual(
      change.events.map(({ type }) => type),
      ["flow_created"],
    )
  })

  it("returns unchanged without events or jobs if the status stays", () => {
    for (const change of [
      Result.getOrThrow(decide(inStatus("active"), { _tag: "activate", facts: known }, later)),
      Result.getOrThrow(decide(inStatus("paused"), { _tag: "pause" }, later)),
      Result.getOrThrow(decide(inStatus("archived"), { _tag: "archive" }, later)),
      Result.getOrThrow(
        decide(inStatus("active"), { _tag: "edit", patch: { structure: structureOf(everything) } }, later),
      ),
    ]) {
      assert.strictEqual(change.after, change.before)
      assert.deepStrictEqual([change.events, change.jobs], [[], []])
    }
  })

  it("refuses activation without a plan with flows, or with missing parts", () => {
    const free = { ...known, plan: plans.free }
    assert.strictEqual(to(decide(inStatus("draft"), { _tag: "activate", facts: free }, later)), "paid_plan_required")
    assert.strictEqual(
      to(decide(inStatus("paused", {}), { _tag: "activate", facts: known }, later)),
      "campaign_flow_not_ready",
    )
  })

  it("re-evaluates members after changes of steps, rules or status", () => {
    const jobs = (result: Result.Result<FlowChange, unknown>) =>
      Result.getOrThrow(result).jobs.map(({ job }) => ("members" in job ? job.members : null))
    assert.deepStrictEqual(jobs(decide(inStatus("paused"), { _tag: "activate", facts: known }, later)), ["waiting"])
    assert.deepStrictEqual(jobs(decide(inStatus("paused"), { _tag: "archive" }, later)), ["live"])
    assert.deepStrictEqual(jobs(decide(inStatus("active"), { _tag: "pause" }, later)), [])
    assert.deepStrictEqual(
      jobs(decide(inStatus("active"), { _tag: "edit", patch: { structure: { disqualification_rules: null } } }, later)),
      ["live"],
    )
    assert.deepStrictEqual(
      jobs(decide(inStatus("paused"), { _tag: "edit", patch: { structure: { steps: [] } } }, later)),
      ["live"],
    )
    assert.deepStrictEqual(
      jobs(decide(inStatus("paused"), { _tag: "edit", patch: { name: "Other", structure: { triggers: [] } } }, later)),
      [],
    )
  })

  it("decides with the status what happens to unsent messages, and when contacts begin to enter", () => {
    const controls = (result: Result.Result<FlowChange, unknown>) => {
      const { activates, messages } = Result.getOrThrow(result)
      return [messages, activates]
    }
    const activate = { _tag: "activate", facts: known } as const
    assert.deepStrictEqual(controls(decide(inStatus("draft"), activate, later)), [null, true])
    assert.deepStrictEqual(controls(decide(inStatus("active"), activate, later)), [null, false])
    assert.deepStrictEqual(controls(decide(inStatus("paused"), activate, later)), ["resume", true])
    assert.deepStrictEqual(controls(decide(inStatus("active"), { _tag: "pause" }, later)), ["pause", false])
    for (const _tag of ["archive", "delete"] as const) {
      const ended = (status: FlowStatus) => controls(decide(inStatus(status), { _tag }, later))
      assert.deepStrictEqual(ended("draft"), [null, false], "a draft has no messages")
      assert.deepStrictEqual(ended("paused"), ["cancel", false])
      assert.deepStrictEqual(ended("archived"), [null, false], "its messages were cancelled before")
    }
    for (const status of statuses) {
      const edit = decide(inStatus(status), { _tag: "edit", patch: { name: "Other", structure: {} } }, later)
      assert.deepStrictEqual(controls(edit), [null, false])
    }
  })

  it("has changes of its status in the audit log", () => {
    const actions = (from: FlowStatus, event: Parameters<typeof decide>[1]) =>
      Result.getOrThrow(decide(inStatus(from), event, later)).audit.map(({ action }) => action)
    assert.deepStrictEqual(actions("draft", { _tag: "activate", facts: known }), ["flow.activated"])
    assert.deepStrictEqual(actions("active", { _tag: "pause" }), ["flow.paused"])
    assert.deepStrictEqual(actions("paused", { _tag: "archive" }), ["flow.archived"])
    assert.deepStrictEqual(actions("active", { _tag: "activate", facts: known }), [])
    assert.deepStrictEqual(actions("draft", { _tag: "edit", patch: { name: "Other", structure: {} } }), [])
  })

  it("allows each edit only in its statuses", () => {
    const edit = (patch: FlowPatch) =>
      statuses.filter((status) => Result.isSuccess(decide(inStatus(status), { _tag: "edit", patch }, later))).join(" ")
    const all = statuses.join(" ")
    assert.strictEqual(edit({ structure: { steps: [] } }), "draft paused")
    assert.strictEqual(edit({ structure: { triggers: [] } }), "draft paused")
    assert.strictEqual(edit({ structure: { reentry_policy: "allow" } }), "draft paused")
    assert.strictEqual(edit({ structure: { disqualification_rules: null } }), "draft active paused")
    assert.strictEqual(edit({ structure: { settings: {} } }), all)
    assert.strictEqual(edit({ structure: { manual_membership_enabled: true } }), all)
    assert.strictEqual(edit({ name: "Other", description: null, structure: {} }), all)
  })

  it("increments the revision only with the structure", () => {
    const revision = (patch: FlowPatch) =>
      Result.getOrThrow(decide(inStatus("draft"), { _tag: "edit", patch }, later)).after.revision
    assert.strictEqual(revision({ name: "Other", structure: {} }), 1)
    assert.strictEqual(revision({ structure: { steps: structureOf({ steps: [send("a")] }).steps } }), 2)
    assert.strictEqual(
      revision({
        structure: { disqualification_rules: structureOf({ disqualification_rules: isCold }).disqualification_rules },
      }),
      1,
    )
  })
})
