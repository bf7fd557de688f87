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
import { compiledOf, contact, Followed } from "../MemberFixture.ts"

const paused = { lifecycle: { status: "paused", pausedAt: now } } as const
const archivedFlow = { lifecycle: { status: "archived", archivedAt: now } } as const
const simple = {
  steps: [send("hello", "pause"), wait("pause", 3, "days", "again"), send("again", null, { email_id: otherEmailId })],
}

describe("who is dropped", () => {
  const cold = { contact: { ...contact, leadStatus: "cold" } }
  const rules = { ...simple, disqualification_rules: isCold }

  it("is stopped before the next effect, and what was on its way is withdrawn", () => {
    const ann = new Followed(compiledOf(rules))
    ann.know(cold).tell()
    assert.deepStrictEqual([ann.where, ann.asked], ["dropped disqualified", []])
    const bob = new Followed(compiledOf(rules))
    bob.tell()
    bob.know(cold).tell()
    assert.deepStrictEqual(
      [bob.where, bob.asked],
      ["dropped disqualified", ["send_email hello 1", "withdraw_email hello 1"]],
    )
    bob.tell({ type: "settled", visit: 1, outcome: "sent", reason: null, at: now })
    assert.include(bob.told, "dropped hello, email_sent hello")
    assert.isNull(bob.tell({ type: "settled", visit: 1, outcome: "sent", reason: null, at: now }))
  })

  it("after a message had left, is dropped with the message told of", () => {
    const ann = new Followed(compiledOf(rules))
    ann.tell()
    ann.know(cold).sent()
    assert.strictEqual(ann.told, "entered_flow hello, email_sent hello, step_executed hello, dropped pause")
    assert.deepStrictEqual(ann.asked, ["send_email hello 1"])
  })

  it("by whom and by what is told", () => {
    const after = (event: "removed" | "contact_deleted") => {
      const ann = new Followed(compiledOf(simple))
      ann.tell({ type: event })
      return ann
    }
    assert.strictEqual(after("removed").where, "dropped removed")
    assert.strictEqual(after("contact_deleted").where, "dropped contact_deleted")
    assert.deepStrictEqual(after("removed").news, ["flow_entered", "flow_dropped"])
    const ann = new Followed(compiledOf(simple))
    ann.flow = compiledOf(simple, archivedFlow)
    ann.tell()
    assert.strictEqual(ann.where, "dropped flow_archived")
  })

  it("whose rules name what is archived or gone is nobody", () => {
    const rule = condition({ source: "list_membership", listId, operator: "is_not_member" })
    const flow = compileFlow(flowOf({ ...simple, disqualification_rules: rule }), { ...known, staticLists: new Set() })
    const ann = new Followed(flow)
    ann.tell()
    assert.strictEqual(ann.where, "active hello")
  })
})

describe("a flow that changes under its members", () => {
  it("paused: messages settle, nothing else goes on, and what ran out meanwhile runs when it is active again", () => {
    const ann = new Followed(compiledOf(simple))
    ann.tell()
    ann.flow = compiledOf(simple, paused)
    ann.sent()
    assert.strictEqual(ann.where, "active pause")
    assert.isNull(ann.later({ days: 30 }).tell())
    ann.flow = compiledOf(simple)
    ann.tell()
    assert.strictEqual(ann.where, "waiting pause", "a wait begins when it is come to by a flow that runs")
    ann.flow = compiledOf(simple, paused)
    assert.isNull(ann.later({ days: 30 }).tell())
    ann.flow = compiledOf(simple)
    ann.tell()
    assert.strictEqual(ann.where, "active again")
  })

  it("a step that is removed, or has become another type's, drops whoever is at it", () => {
    const ann = new Followed(compiledOf(simple))
    ann.tell()
    ann.flow = compiledOf({ steps: simple.steps.slice(1) }, paused)
    ann.tell()
    assert.deepStrictEqual([ann.where, ann.asked.at(-1)], ["dropped step_removed", "withdraw_email hello 1"])
    const bob = new Followed(compiledOf({ steps: [wait("w", 1, "days")] }))
    bob.tell()
    bob.flow = compiledOf({ steps: [send("w")] }, paused)
    bob.tell()
    assert.strictEqual(bob.where, "dropped step_removed")
  })

  it("a wait is reckoned anew from its beginning", () => {
    const ann = new Followed(compiledOf({ steps: [wait("w", 10, "days")] }))
    ann.tell()
    ann.flow = compiledOf({ steps: [wait("w", 2, "days")] }, paused)
    ann.later({ days: 1 }).tell()
    assert.deepInclude(ann.member.state, { status: "waiting", until: DateTime.add(now, { days: 2 }) })
    assert.strictEqual(ann.told, "entered_flow w, waiting w, waiting w")
    ann.flow = compiledOf({ steps: [wait("w", 2, "days")] })
    ann.later({ days: 1 }).tell()
    assert.strictEqual(ann.where, "completed")
  })

  it("a circle without a wait, which none that was activated has, fails its members", () => {
    const ann = new Followed(
      compiledOf({ steps: [check("a", isCold, { false_step_id: "b" }), check("b", isCold, { false_step_id: "a" })] }),
    )
    ann.tell()
    assert.strictEqual(ann.member.state.status, "failed")
  })
})
