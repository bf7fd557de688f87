import { assert, describe, it } from "@effect/vitest"
import { compileFlow } from "@tentpole/core/flows/definition/CompiledFlow"
import { DateTime } from "effect"
import {
  check,
  condition,
  facts as known,
  flowOf,
  isCold,
  listId,
  now,
  otherEmailId,
  send,
  wait,
} from "../FlowFixture.ts"
import { compiledOf, contact, MemberRun } from "../MemberFixture.ts"

const paused = { lifecycle: { status: "paused", pausedAt: now } } as const
const archivedFlow = { lifecycle: { status: "archived", archivedAt: now } } as const
const simple = {
  steps: [send("hello", "pause"), wait("pause", 3, "days", "again"), send("again", null, { email_id: otherEmailId })],
}

describe("decide drops a member", () => {
  const cold = { contact: { ...contact, leadStatus: "cold" } }
  const rules = { ...simple, disqualification_rules: isCold }

  it("before the next effect, and withdraws the message in flight", () => {
    const ann = new MemberRun(compiledOf(rules))
    ann.know(cold).apply()
    assert.deepStrictEqual([ann.where, ann.commandTexts], ["dropped disqualified", []])
    const bob = new MemberRun(compiledOf(rules))
    bob.apply()
    bob.know(cold).apply()
    assert.deepStrictEqual(
      [bob.where, bob.commandTexts],
      ["dropped disqualified", ["send_email hello 1", "withdraw_email hello 1"]],
    )
    bob.apply({ type: "settled", visit: 1, outcome: "sent", reason: null, at: now })
    assert.include(bob.entryTexts, "dropped hello, email_sent hello")
    assert.isNull(bob.apply({ type: "settled", visit: 1, outcome: "sent", reason: null, at: now }))
  })

  it("after it recorded a sent message", () => {
    const ann = new MemberRun(compiledOf(rules))
    ann.apply()
    ann.know(cold).sent()
    assert.strictEqual(ann.entryTexts, "entered_flow hello, email_sent hello, step_executed hello, dropped pause")
    assert.deepStrictEqual(ann.commandTexts, ["send_email hello 1"])
  })

  it("with the reason and an activity", () => {
    const after = (event: "removed" | "contact_deleted") => {
      const ann = new MemberRun(compiledOf(simple))
      ann.apply({ type: event })
      return ann
    }
    assert.strictEqual(after("removed").where, "dropped removed")
    assert.strictEqual(after("contact_deleted").where, "dropped contact_deleted")
    assert.deepStrictEqual(after("removed").activityTypes, ["flow_entered", "flow_dropped"])
    const ann = new MemberRun(compiledOf(simple))
    ann.flow = compiledOf(simple, archivedFlow)
    ann.apply()
    assert.strictEqual(ann.where, "dropped flow_archived")
  })

  it("but not by a rule that names an archived or deleted thing", () => {
    const rule = condition({ source: "list_membership", listId, operator: "is_not_member" })
    const flow = compileFlow(flowOf({ ...simple, disqualification_rules: rule }), { ...known, staticLists: new Set() })
    const ann = new MemberRun(flow)
    ann.apply()
    assert.strictEqual(ann.where, "active hello")
  })
})

describe("decide after a change of the flow", () => {
  it("settles messages of a paused flow, and continues after its activation", () => {
    const ann = new MemberRun(compiledOf(simple))
    ann.apply()
    ann.flow = compiledOf(simple, paused)
    ann.sent()
    assert.strictEqual(ann.where, "active pause")
    assert.isNull(ann.later({ days: 30 }).apply())
    ann.flow = compiledOf(simple)
    ann.apply()
    assert.strictEqual(ann.where, "waiting pause", "a wait begins only in an active flow")
    ann.flow = compiledOf(simple, paused)
    assert.isNull(ann.later({ days: 30 }).apply())
    ann.flow = compiledOf(simple)
    ann.apply()
    assert.strictEqual(ann.where, "active again")
  })

  it("drops members at a step that was removed or changed its type", () => {
    const ann = new MemberRun(compiledOf(simple))
    ann.apply()
    ann.flow = compiledOf({ steps: simple.steps.slice(1) }, paused)
    ann.apply()
    assert.deepStrictEqual([ann.where, ann.commandTexts.at(-1)], ["dropped step_removed", "withdraw_email hello 1"])
    const bob = new MemberRun(compiledOf({ steps: [wait("w", 1, "days")] }))
    bob.apply()
    bob.flow = compiledOf({ steps: [send("w")] }, paused)
    bob.apply()
    assert.strictEqual(bob.where, "dropped step_removed")
  })

  it("recalculates the end of a wait from its beginning", () => {
    const ann = new MemberRun(compiledOf({ steps: [wait("w", 10, "days")] }))
    ann.apply()
    ann.flow = compiledOf({ steps: [wait("w", 2, "days")] }, paused)
    ann.later({ days: 1 }).apply()
    assert.deepInclude(ann.member.state, { status: "waiting", until: DateTime.add(now, { days: 2 }) })
    assert.strictEqual(ann.entryTexts, "entered_flow w, waiting w, waiting w")
    ann.flow = compiledOf({ steps: [wait("w", 2, "days")] })
    ann.later({ days: 1 }).apply()
    assert.strictEqual(ann.where, "completed")
  })

  it("fails a member in a cycle without a wait", () => {
    const ann = new MemberRun(
      compiledOf({ steps: [check("a", isCold, { false_step_id: "b" }), check("b", isCold, { false_step_id: "a" })] }),
    )
    const events = ann.apply()?.events
    const { id, state } = ann.member
    assert.strictEqual(state.status, "failed")
    assert.deepStrictEqual(
      events?.map(({ data, type }) => [type, data["membership_id"], data["reason"]]),
      [["flow_failed", id, state.status === "failed" ? state.retry.error : null]],
    )
  })
})
