import { assert, describe, it } from "@effect/vitest"
import type { SimulationFacts } from "@tentpole/core/flows/definition/CompiledFlow"
import {
  startSimulation,
  type SimulatedEvent,
  simulate as run,
  yearAfter,
} from "@tentpole/core/flows/simulation/Simulate"
import { readSimulation } from "@tentpole/core/flows/simulation/SimulationInput"
import { FlowExpectationError, simulate } from "@tentpole/core/flows/simulation/testing"
import { DateTime, Result } from "effect"
import {
  check,
  condition,
  emailId,
  facts,
  flowOf,
  isCold,
  now,
  opened,
  otherEmailId,
  send,
  stage,
  structureOf,
  templateId,
  wait,
} from "../FlowFixture.ts"
import { contact } from "../MemberFixture.ts"

const known: SimulationFacts = {
  fields: facts.fields,
  staticLists: facts.staticLists,
  topics: facts.topics,
  subjects: new Map([
    [emailId, "Hello {{contact.first_name|you}}"],
    [otherEmailId, "{{campaign.dynamic.code}} for you"],
  ]),
  templateSubjects: new Map([[templateId, "From the template"]]),
  workspaceName: "W",
}
const person = { contact, lists: new Set<never>(), topics: new Map(), activities: [], suppression: null }

const reminder = {
  steps: [
    send("hello", "pause"),
    wait("pause", 3, "days", "which"),
    check("which", opened("hello"), { true_step_id: null, false_step_id: "again" }),
    send("again", null, { email_id: otherEmailId }),
  ],
}
const events = (
  ...all: ReadonlyArray<
    readonly [amount: number, unit: "hours" | "days", metric: SimulatedEvent["metric"], stepId: string]
  >
) => all.map(([amount, unit, metric, stepId]): SimulatedEvent => ({ after: { amount, unit }, metric, stepId }))

const simulated = (body: object, more: Partial<Parameters<typeof run>[3]> = {}, who = person) =>
  Result.getOrThrow(
    run(flowOf(body, { lifecycle: { status: "draft" } }), known, who, {
      tokens: { code: "X1" },
      events: [],
      from: now,
      until: yearAfter(now),
      ...more,
    }),
  )
const iso = (at: DateTime.Utc | null) => at && DateTime.formatIso(at)

describe("simulate", () => {
  it("runs a draft to its end, and returns sent emails with their instants", () => {
    const { status, endedAt, emails, timeline } = simulated(reminder)
    assert.strictEqual(status, "completed")
    assert.strictEqual(iso(endedAt), "2026-03-04T12:00:00.000Z")
    assert.deepStrictEqual(
      emails.map(({ stepId, at, subject }) => [stepId, iso(at), subject]),
      [
        ["hello", "2026-03-01T12:00:00.000Z", "Hello Ann"],
        ["again", "2026-03-04T12:00:00.000Z", "X1 for you"],
      ],
    )
    assert.strictEqual(
      timeline.map(({ type }) => type).join(" "),
      "entered_flow email_sent email_delivered step_executed waiting step_executed step_executed email_sent email_delivered step_executed completed",
    )
  })

  it("schedules the contact's reactions from the step's message on", () => {
    assert.deepStrictEqual(simulated(reminder, { events: events([71, "hours", "opened", "hello"]) }).emails.length, 1)
    assert.deepStrictEqual(simulated(reminder, { events: events([73, "hours", "opened", "hello"]) }).emails.length, 2)
    assert.deepStrictEqual(
      simulated(reminder, { events: events([1, "days", "clicked", "hello"]) }).emails.length,
      1,
      "a click implies an open",
    )
    const leaves = simulated(reminder, { events: events([1, "days", "unsubscribed", "hello"]) })
    assert.deepStrictEqual(leaves.emails.length, 1)
    assert.include(leaves.timeline.map(({ type }) => type).join(" "), "step_skipped")
  })

  it("adds an open before a click, and removes the delivery of a bounced message", () => {
    const { timeline } = simulated(reminder, { events: events([1, "hours", "clicked", "hello"]) })
    assert.include(timeline.map(({ type }) => type).join(" "), "email_opened email_clicked")
    const delivered = {
      steps: [
        send("hello", "pause"),
        wait("pause", 1, "days", "there"),
        check("there", opened("hello", "delivered"), { true_step_id: "again", false_step_id: null }),
        send("again", null, { operational: true, email_id: otherEmailId }),
      ],
    }
    const after = (metric: SimulatedEvent["metric"]) =>
      simulated(delivered, { events: events([1, "hours", metric, "hello"]) })
    const steps = (metric: SimulatedEvent["metric"]) => after(metric).timeline.map(({ stepId }) => stepId)
    assert.include(steps("opened"), "again")
    assert.notInclude(steps("bounced"), "again")
  })

  it("stops at its end", () => {
    const { status, endedAt, timeline } = simulated(reminder, { until: DateTime.add(now, { days: 2 }) })
    assert.deepStrictEqual([status, endedAt], ["waiting", null])
    assert.isTrue(timeline.every(({ at }) => DateTime.isLessThanOrEqualTo(at, DateTime.add(now, { days: 2 }))))
  })

  it("creates emails and pages at once", () => {
    const result = simulated({
      steps: [
        { type: "create_tent", step_id: "page", prompt: "x", output_key: "link", next_step_id: "make" },
        {
          type: "create_email",
          step_id: "make",
          template_id: templateId,
          subject: "See {{campaign.dynamic.link}}",
          next_step_id: "own",
        },
        send("own", null, { email_id: null, email_source: "flow_step", create_email_step_id: "make" }),
      ],
    })
    assert.strictEqual(result.status, "completed")
    assert.match(result.emails[0]?.subject ?? "", /^See https:\/\/pages\.example\//)
  })

  it("refuses a contact that can't enter, and a flow without steps", () => {
    const cold = { ...person, contact: { ...contact, leadStatus: "cold" } }
    const request = { tokens: {}, events: [], from: now, until: yearAfter(now) }
    const refused = run(flowOf({ ...reminder, disqualification_rules: isCold }), known, cold, request)
    assert.deepInclude(Result.isFailure(refused) && refused.failure, { code: "campaign_flow_contact_disqualified" })
    const empty = run(flowOf({}), known, person, request)
    assert.deepInclude(Result.isFailure(empty) && empty.failure, { code: "campaign_flow_not_ready" })
  })

  it("returns the same result in chunks of any size", () => {
    const round = { steps: [send("hello", "rest"), wait("rest", 1, "minutes", "hello")] }
    const more = { events: events([2, "hours", "opened", "hello"]) }
    for (const body of [reminder, round]) {
      const request = { tokens: { code: "X1" }, ...more, from: now, until: yearAfter(now) }
      const draft = flowOf(body, { lifecycle: { status: "draft" } })
      for (const entries of [1, 7, 100]) {
        const running = Result.getOrThrow(startSimulation(draft, known, person, request))
        while (!running.advance(entries)) continue
        assert.deepStrictEqual(running.result, simulated(body, more))
        assert.isTrue(running.advance(entries))
      }
    }
  })

  it("cuts a subject to the maximum length", () => {
    const [sent] = simulated(
      { steps: [send("again", null, { email_id: otherEmailId })] },
      { tokens: { code: "x".repeat(60_000) } },
    ).emails
    assert.strictEqual(sent?.subject, "x".repeat(998))
  })

  it("ends for a member in a loop", () => {
    const { timeline, status } = simulated({ steps: [send("a", "b"), wait("b", 1, "minute", "a")] })
    assert.strictEqual(status, "waiting")
    assert.isBelow(timeline.length, 10_100)
  })

  it("completes a flow of a hundred steps over a year", () => {
    const steps = Array.from({ length: 50 }, (_, n) => [
      send(`s${n}`, `w${n}`),
      wait(`w${n}`, 7, "days", n < 49 ? `s${n + 1}` : null),
    ]).flat()
    assert.strictEqual(simulated({ steps }).status, "completed")
  })
})

describe("readSimulation", () => {
  const structure = structureOf(reminder)
  const wrong = (body: unknown) => {
    const read = readSimulation(structure, body, now)
    if (Result.isSuccess(read)) return []
    return read.failure._tag === "Invalid" ? read.failure.issues.map(({ path }) => path) : [read.failure._tag]
  }
  const who = { contact: { email: "ann@example.com" } }

  it("reports every issue with its path", () => {
    assert.deepStrictEqual(wrong(who), [])
    assert.deepStrictEqual(wrong({}), ["contact_id"])
    assert.deepStrictEqual(wrong({ ...who, contact_id: contact.id }), ["contact_id"])
    assert.deepStrictEqual(wrong({ ...who, tokens: { trigger: 1 } }), ["tokens.trigger"])
    assert.deepStrictEqual(wrong({ ...who, until: "tomorrow" }), ["until"])
    assert.deepStrictEqual(wrong({ ...who, until: "2020-01-01T00:00:00Z" }), ["until"])
    assert.deepStrictEqual(wrong({ ...who, until: { amount: 1, unit: "day" } }), [])
    assert.deepStrictEqual(wrong({ ...who, until: { amount: 11 * 12, unit: "month" } }), ["until.amount"])
    assert.deepStrictEqual(
      wrong({
        ...who,
        events: [{}, { after: { amount: -1, unit: "days" }, metric: "sent", step_id: "pause" }, 1],
      }).toSorted(),
      [
        "events.0.after",
        "events.0.metric",
        "events.0.step_id",
        "events.1.after.amount",
        "events.1.metric",
        "events.1.step_id",
        "events.2",
      ],
    )
  })

  it("ends after a year by default", () => {
    const { request } = Result.getOrThrow(readSimulation(structure, who, now))
    assert.strictEqual(iso(request.until), "2027-03-01T12:00:00.000Z")
  })
})

describe("the test helper simulate", () => {
  const field = { field_definition_id: stage.id, api_name: "stage", value_type: "string" } as const
  const flow = { name: "Reminder", ...reminder }
  const ann = { email: "ann@example.com", first_name: "Ann" }

  it("checks status, step, emails and subjects over time", () => {
    simulate(flow, ann)
      .expect({ status: "waiting", step: "pause", emails: ["hello"] })
      .after("2 days")
      .expect({ status: "waiting", emails: ["hello"] })
      .after("1 day")
      .expect({ status: "completed", step: null, emails: ["hello", "again"] })
    simulate(flow, ann)
      .when("hello", "opened", "2 hours")
      .after("3 days")
      .expect({ emails: ["hello"], status: "completed" })
    simulate(flow, ann, { subjects: { [emailId]: "Hi {{contact.first_name}}" } }).expect({ subjects: ["Hi Ann"] })
  })

  it("evaluates custom fields", () => {
    const rule = condition({ source: "custom_field", fieldDefinitionId: stage.id, operator: "equals", value: "gold" })
    const gold = { steps: [check("c", rule, { true_step_id: "hello" }), send("hello")] }
    simulate(gold, { ...ann, custom_fields: { stage: "Gold" } }, { fields: [field] }).expect({ emails: ["hello"] })
    simulate(gold, { ...ann, custom_fields: { stage: "tin" } }, { fields: [field] }).expect({ emails: [] })
  })

  it("reports the differences and the timeline", () => {
    try {
      simulate(flow, { ...ann, unsubscribed: true })
        .after("7 days")
        .expect({ emails: ["hello"], status: "failed" })
      assert.fail("it should have thrown")
    } catch (error) {
      assert.instanceOf(error, FlowExpectationError)
      assert.strictEqual(
        error.message,
        [
          "At 2026-01-08T09:00:00.000Z the flow is in another state:",
          '  status: expected "failed", got "completed"',
          '  emails: expected ["hello"], got []',
          "Timeline:",
          "  2026-01-01T09:00:00.000Z entered_flow hello",
          "  2026-01-01T09:00:00.000Z step_skipped hello (unsubscribed)",
          "  2026-01-01T09:00:00.000Z waiting pause",
          "  2026-01-04T09:00:00.000Z step_executed pause",
          "  2026-01-04T09:00:00.000Z step_executed which",
          "  2026-01-04T09:00:00.000Z step_skipped again (unsubscribed)",
          "  2026-01-04T09:00:00.000Z completed",
        ].join("\n"),
      )
    }
  })

  it("throws for an invalid flow, contact or duration", () => {
    assert.throws(() => simulate({ steps: [{ type: "nap" }] }, ann), /steps\.0\.type/)
    assert.throws(() => simulate(flow, { email: 1 }), /email/)
    assert.throws(() => simulate(flow, ann).after("a while"), /"a while" is not a duration/)
    assert.throws(
      () => simulate({ ...flow, disqualification_rules: isCold }, { ...ann, lead_status: "cold" }).expect({}),
      /disqualification/,
    )
  })
})
