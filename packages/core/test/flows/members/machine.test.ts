import { assert, describe, it } from "@effect/vitest"
import { Membership, stepsExecuted } from "@tentpole/core/flows/members/Membership"
import { ApprovalId, EmailId } from "@tentpole/core/kernel/Ids"
import { DateTime, Result, Schema } from "effect"
import {
  archived,
  at,
  check,
  condition,
  emailId,
  facts as known,
  flowOf,
  isCold,
  listId,
  now,
  opened,
  otherEmailId,
  send,
  stage,
  structureOf,
  templateId,
  wait,
} from "../FlowFixture.ts"
import { compileFlow } from "@tentpole/core/flows/definition/CompiledFlow"
import { compiledOf, contact, MemberRun, memberFacts } from "../MemberFixture.ts"

const met = (stepId: string, ...metrics: ReadonlyArray<"sent" | "opened" | "clicked">) => ({
  emailSteps: new Map([[stepId, new Set(metrics)]]),
})

const simple = {
  steps: [send("hello", "pause"), wait("pause", 3, "days", "again"), send("again", null, { email_id: otherEmailId })],
}

describe("decide", () => {
  it("advances from step to step with a timeline entry for each", () => {
    const ann = new MemberRun(compiledOf(simple))
    assert.strictEqual(ann.where, "active hello")
    ann.apply()
    assert.deepStrictEqual(ann.commandTexts, ["send_email hello 1"])
    ann.sent()
    assert.strictEqual(ann.where, "waiting pause")
    ann.later({ days: 3 }).apply()
    assert.strictEqual(ann.where, "active again")
    ann.sent()
    assert.strictEqual(ann.where, "completed")
    assert.strictEqual(
      ann.entryTexts,
      "entered_flow hello, email_sent hello, step_executed hello, waiting pause, step_executed pause, email_sent again, step_executed again, completed",
    )
    assert.deepStrictEqual(ann.activityTypes, ["flow_entered", "flow_completed"])
    assert.deepStrictEqual(
      stepsExecuted(ann.timeline).map(({ stepId, type, status }) => `${stepId} ${type} ${status}`),
      ["hello send_email executed", "pause wait executed", "again send_email executed"],
    )
  })

  it("commands a message with its approval and flow tokens", () => {
    const ann = new MemberRun(compiledOf(simple), memberFacts(), { code: "X1" })
    ann.apply()
    assert.deepStrictEqual(ann.commands, [
      {
        type: "send_email",
        stepId: "hello",
        visit: 1,
        emailId,
        approvalId: ApprovalId.make(emailId),
        operational: false,
        topicId: null,
        tokens: { code: "X1" },
      },
    ])
  })

  it("ignores repeated, late and early events", () => {
    const ann = new MemberRun(compiledOf(simple))
    ann.apply()
    assert.isNull(ann.apply(), "the message is in flight")
    ann.sent()
    assert.isNull(ann.apply({ type: "settled", visit: 1, outcome: "sent", reason: null, at: now }))
    assert.isNull(ann.later({ days: 3, milliseconds: -1 }).apply(), "a millisecond too soon")
    assert.isNotNull(ann.later({ milliseconds: 1 }).apply())
    assert.isNull(
      ann.apply({ type: "settled", visit: 1, outcome: "sent", reason: null, at: now }),
      "of an earlier visit",
    )
    assert.deepStrictEqual(ann.commandTexts, ["send_email hello 1", "send_email again 3"])
  })

  it("adds months by the calendar and days by the clock", () => {
    const until = (amount: number, unit: string, from: string) => {
      const ann = new MemberRun(compiledOf({ steps: [wait("w", amount, unit)] }), memberFacts({ now: at(from) }))
      ann.apply()
      return ann.member.state.status === "waiting" && ann.member.state.until
        ? DateTime.formatIso(ann.member.state.until)
        : ""
    }
    assert.strictEqual(until(1, "month", "2026-01-31T10:00:00.000Z"), "2026-02-28T10:00:00.000Z")
    assert.strictEqual(until(12, "months", "2024-02-29T10:00:00.000Z"), "2025-02-28T10:00:00.000Z")
    assert.strictEqual(until(90, "minutes", "2026-03-29T00:30:00.000Z"), "2026-03-29T02:00:00.000Z")
    assert.strictEqual(until(2, "weeks", "2026-03-20T10:00:00.000Z"), "2026-04-03T10:00:00.000Z")
  })
})

describe("decide at a condition_check step", () => {
  const branches = { true_step_id: "yes", false_step_id: "no", default_step_id: "else" }
  const rest = ["yes", "no", "else"].map((id) => wait(id, 1, "days"))
  const goes = (tree: unknown, edges: object = branches, over = {}) => {
    const ann = new MemberRun(compiledOf({ steps: [check("c", tree, edges), ...rest] }), memberFacts(over))
    ann.apply()
    return ann.where
  }

  it("takes the edge of the result, else the default edge, else completes", () => {
    const cold = { contact: { ...contact, leadStatus: "COLD" } }
    assert.strictEqual(goes(isCold, branches, cold), "waiting yes")
    assert.strictEqual(goes(isCold), "waiting no")
    assert.strictEqual(goes(isCold, { ...branches, false_step_id: null }), "waiting else")
    assert.strictEqual(goes(isCold, { true_step_id: "yes" }), "completed")
  })

  it("takes the default edge if the condition can't be evaluated", () => {
    const onField = condition({ source: "custom_field", fieldDefinitionId: stage.id, operator: "is_empty" })
    const onList = condition({ source: "list_membership", listId, operator: "is_not_member" })
    const where = (tree: unknown, facts: Partial<typeof known>) => {
      const flow = compileFlow(flowOf({ steps: [check("c", tree, branches), ...rest] }), { ...known, ...facts })
      const ann = new MemberRun(flow)
      ann.apply()
      return ann.where
    }
    assert.strictEqual(where(onField, {}), "waiting yes")
    assert.strictEqual(where(onField, { fields: [{ ...stage, status: "archived" }, archived] }), "waiting else")
    assert.strictEqual(where(onList, {}), "waiting yes")
    assert.strictEqual(where(onList, { staticLists: new Set() }), "waiting else")
    assert.strictEqual(where(opened("c"), {}), "waiting else")
  })

  it("evaluates engagements with the flow's messages, and time ranges that end now", () => {
    const steps = [send("hello", "c"), check("c", opened("hello"), branches), ...rest]
    const ann = new MemberRun(compiledOf({ steps }))
    ann.apply()
    ann.know(met("hello", "sent", "opened")).sent()
    assert.strictEqual(ann.where, "waiting yes")
    const recent = condition({
      source: "activity",
      activityType: "form_submission",
      operator: "has_activity",
      timeWindow: { amount: 1, unit: "day" },
    })
    const ago = (hours: number) => ({
      activities: [{ type: "form_submission", at: DateTime.subtract(now, { hours }) }] as const,
    })
    assert.strictEqual(goes(recent, branches, ago(23)), "waiting yes")
    assert.strictEqual(goes(recent, branches, ago(25)), "waiting no")
  })
})

describe("decide at a wait for a condition", () => {
  const until = (over: object = {}) => ({
    steps: [
      { type: "wait", step_id: "w", mode: "condition", condition: isCold, next_step_id: "yes", ...over },
      wait("yes", 1, "days"),
      wait("late", 1, "days"),
    ],
  })
  const timed = { timeout_amount: 2, timeout_unit: "days", timeout_step_id: "late" }
  const cold = { contact: { ...contact, leadStatus: "cold" } }

  it("adds no waiting entry if the condition holds at once", () => {
    const ann = new MemberRun(compiledOf(until()), memberFacts(cold))
    ann.apply()
    assert.strictEqual(ann.entryTexts, "entered_flow w, step_executed w, waiting yes")
  })

  it("advances when the condition holds, and takes the timeout edge after the timeout", () => {
    const ann = new MemberRun(compiledOf(until(timed)))
    ann.apply()
    assert.isNull(ann.later({ hours: 1 }).apply())
    ann.know(cold).apply()
    assert.strictEqual(ann.where, "waiting yes")
    const bob = new MemberRun(compiledOf(until(timed)))
    bob.apply()
    bob.later({ days: 2 }).apply()
    assert.strictEqual(bob.where, "waiting late")
    const eve = new MemberRun(compiledOf(until({ ...timed, timeout_step_id: null })))
    eve.apply()
    eve.later({ days: 2 }).apply()
    assert.strictEqual(eve.where, "waiting yes")
  })

  it("waits without limit if there is no timeout", () => {
    const ann = new MemberRun(compiledOf(until()))
    ann.apply()
    assert.isNull(ann.later({ years: 9 }).apply())
    assert.strictEqual(ann.where, "waiting w")
  })
})

describe("decide for a contact that can't be mailed", () => {
  const where = (over: Partial<Parameters<typeof memberFacts>[0]>, step: object = {}) => {
    const ann = new MemberRun(
      compiledOf({ steps: [send("hello", "pause", step), wait("pause", 1, "days")] }),
      memberFacts(over),
    )
    ann.apply()
    return `${ann.where} ${stepsExecuted(ann.timeline)
      .map(({ status, reason }) => `${status} ${reason}`)
      .join()}`.trim()
  }

  it("skips the step and advances", () => {
    assert.strictEqual(where({ contact: { ...contact, unsubscribed: true } }), "waiting pause skipped unsubscribed")
    assert.strictEqual(
      where({ contact: { ...contact, email: null, emailNormalized: null } }),
      "waiting pause skipped no_email",
    )
    assert.strictEqual(where({ suppression: "bounce" }), "waiting pause skipped suppressed")
    assert.strictEqual(where({ contact: { ...contact, unsubscribed: true } }, { operational: true }), "active hello")
  })

  it("advances after a blocked or failed delivery", () => {
    for (const [outcome, reason, status] of [
      ["blocked", "unsubscribed", "skipped"],
      ["failed", "hard_bounce", "failed"],
      ["failed", "unconfirmed", "failed"],
    ] as const) {
      const ann = new MemberRun(compiledOf(simple))
      ann.apply()
      ann.settled(outcome, reason)
      assert.strictEqual(ann.where, "waiting pause")
      assert.deepInclude(stepsExecuted(ann.timeline)[0], { status, reason })
      assert.notInclude(ann.entryTexts, "email_sent")
    }
  })
})

describe("decide at a failed step", () => {
  it("retries after 1 m, 5 m, 30 m, 2 h, 6 h, then hourly up to 24 h", () => {
    const ann = new MemberRun(compiledOf(simple), memberFacts({ approvals: new Map() }))
    const pauses_m: Array<number> = []
    ann.apply()
    while (ann.member.state.status === "active" && ann.member.state.doing.kind === "run") {
      const { dueAt } = ann.member.state.doing
      pauses_m.push((dueAt.epochMilliseconds - ann.facts.now.epochMilliseconds) / 60_000)
      assert.isNull(ann.apply())
      ann.know({ now: dueAt }).apply()
    }
    assert.deepStrictEqual(pauses_m, [1, 5, 30, 120, 360, ...Array.from({ length: 15 }, () => 60)])
    assert.strictEqual(ann.where, "failed hello")
    assert.deepInclude(ann.member.state, { retry: { count: 21, error: "the email is not approved" } })
    assert.isNull(ann.later({ days: 1 }).apply())
    assert.deepStrictEqual(ann.commands, [])
    assert.strictEqual(stepsExecuted(ann.timeline).length, 1)
  })

  it("advances after a successful retry", () => {
    const ann = new MemberRun(compiledOf(simple), memberFacts({ approvals: new Map() }))
    ann.apply()
    ann.later({ minutes: 1 }).know({ approvals: memberFacts().approvals }).apply()
    assert.deepStrictEqual(ann.commandTexts, ["send_email hello 1"])
    ann.sent()
    assert.deepInclude(stepsExecuted(ann.timeline)[0], { status: "executed" })
  })
})

describe("decide at a create step", () => {
  const making = {
    steps: [
      { type: "create_email", step_id: "make", template_id: templateId, next_step_id: "page" },
      { type: "create_tent", step_id: "page", prompt: "x", next_step_id: "own" },
      send("own", null, { email_id: null, email_source: "flow_step", create_email_step_id: "make" }),
    ],
  }
  const made = EmailId.make("00000000-0000-4000-8000-00000000aaaa")

  it("waits for the created email and page, and sends the email", () => {
    const ann = new MemberRun(compiledOf(making))
    ann.apply()
    assert.isNull(ann.apply({ type: "tent_live", visit: 1, url: "x" }))
    ann.apply({ type: "email_created", visit: 1, emailId: made })
    ann
      .know({ approvals: new Map([[made, ApprovalId.make(made)]]) })
      .apply({ type: "tent_live", visit: 2, url: "https://p.test/a" })
    assert.deepStrictEqual(ann.commandTexts, ["create_email make 1", "create_tent page 2", "send_email own 3"])
    assert.deepInclude(ann.commands[2], { emailId: made, tokens: { page_url: "https://p.test/a" } })
  })

  it("starts a new attempt after a failed creation", () => {
    const ann = new MemberRun(compiledOf(making))
    ann.apply()
    ann.apply({ type: "creation_failed", visit: 1, attempt: 1, error: "no credits" })
    assert.deepInclude(ann.member.state, { retry: { count: 1, error: "no credits" } })
    ann.later({ minutes: 1 }).apply()
    assert.isNull(
      ann.apply({ type: "creation_failed", visit: 1, attempt: 1, error: "no credits" }),
      "of an earlier attempt",
    )
    assert.deepStrictEqual(
      ann.commands.map((each) => ("attempt" in each ? each.attempt : 0)),
      [1, 2],
    )
  })

  it("fails the send step of a member without a created email", () => {
    const ann = new MemberRun(compiledOf({ steps: making.steps.toReversed() }))
    ann.apply()
    assert.deepInclude(ann.member.state, { retry: { count: 1, error: "no email has been created for this member" } })
  })

  it("waits with backoff for the approval of a created email", () => {
    const ann = new MemberRun(compiledOf({ steps: [making.steps[0], { ...making.steps[2], step_id: "page" }] }))
    ann.apply()
    ann.apply({ type: "email_created", visit: 1, emailId: made })
    assert.deepInclude(ann.member.state, { retry: { count: 1, error: "the email is not approved" } })
  })
})

describe("decide for an engagement", () => {
  it("records it in any status, and evaluates the waiting condition", () => {
    const steps = [
      send("hello", "w"),
      { type: "wait", step_id: "w", mode: "condition", condition: opened("hello", "clicked") },
    ]
    const ann = new MemberRun(compiledOf({ steps }))
    ann.apply()
    ann.sent()
    assert.strictEqual(ann.where, "waiting w")
    ann
      .know(met("hello", "clicked"))
      .apply({ type: "engaged", stepId: "hello", metric: "clicked", at: now, url: "https://a.test" })
    assert.strictEqual(ann.where, "completed")
    ann.apply({ type: "engaged", stepId: "hello", metric: "bounced", at: now, url: null })
    assert.strictEqual(
      ann.entryTexts.split(", ").slice(-4).join(", "),
      "email_clicked hello, step_executed w, completed, email_bounced hello",
    )
  })
})

describe("Membership", () => {
  const codec = Schema.toCodecJson(Membership)
  it("survives encoding to JSON and decoding", () => {
    const ann = new MemberRun(compiledOf(simple), memberFacts(), { a: 1, b: "x", c: true })
    for (let step = 0; step < 4; step++) {
      const json: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(codec)(ann.member)))
      assert.deepStrictEqual(Result.getOrThrow(Schema.decodeUnknownResult(codec)(json)), ann.member)
      ann.later({ days: 4 }).apply()
      ann.sent()
    }
    assert.strictEqual(ann.where, "completed")
    assert.strictEqual(structureOf(simple).steps.length, 3)
  })
})
