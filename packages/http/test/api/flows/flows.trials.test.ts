// Tests of flow simulations, which send and store nothing.
import { FlowSimulations } from "@tentpole/core/flows/simulation/FlowSimulations"
import { FlowId } from "@tentpole/core/kernel/Ids"
import { assert, it } from "@effect/vitest"
import { Clock, Context, Effect } from "effect"
import { code, days, flowWorld, missing, onList, send } from "../../fixtures/FlowWorld.ts"
import { type Json, paths, unknownId } from "../../fixtures/World.ts"

const opened = (nodeId: string) => ({
  kind: "condition",
  source: "email_step",
  nodeId,
  metric: "opened",
  operator: "has_activity",
})

/** Sends a welcome email, and after three days a reminder to contacts that have not opened it. */
const welcome = (hello: string, reminder: string) => ({
  steps: [
    send("hello", hello, "pause"),
    days("pause", 3, "which"),
    { type: "condition_check", step_id: "which", condition: opened("hello"), false_step_id: "reminder" },
    send("reminder", reminder),
  ],
})

const gap_ms = (from: string, to: string) => Date.parse(to) - Date.parse(from)
const day_ms = 86_400_000

it.live("simulates a draft with a fictitious contact and given events, and stores nothing", () =>
  Effect.gen(function* () {
    const { call, flow, at, email, get } = yield* flowWorld
    const draft = yield* flow(welcome(yield* email("Hi {{contact.first_name|you}}", false), yield* email("Again")))
    const run = (json: object) =>
      Effect.map(call("POST", at(draft, "/simulate"), { json }), (answered) => {
        assert.strictEqual(answered.status, 200, answered.text)
        return answered.json
      })
    const contact = { email: "ann@example.com", first_name: "Ann" }
    const left = yield* run({ contact })
    assert.deepStrictEqual(
      left.emails.map(({ step_id, subject }: Json) => [step_id, subject]),
      [
        ["hello", "Hi Ann"],
        ["reminder", "Again"],
      ],
    )
    assert.strictEqual(gap_ms(left.emails[0].at, left.emails[1].at), 3 * day_ms)
    assert.deepStrictEqual([left.status, left.ended_at], ["completed", left.emails[1].at])
    assert.strictEqual(left.timeline[0].type, "entered_flow")
    const after = { amount: 2, unit: "hours" }
    const read = yield* run({ contact, events: [{ after, metric: "opened", step_id: "hello" }] })
    assert.deepStrictEqual(
      read.emails.map(({ step_id }: Json) => step_id),
      ["hello"],
    )
    const early = yield* run({ contact, until: { amount: 1, unit: "day" } })
    assert.deepStrictEqual([early.status, early.ended_at, early.emails.length], ["waiting", null, 1])
    assert.deepStrictEqual((yield* get("/v1/contacts")).pagination.total, 0)
    assert.deepStrictEqual(yield* get(at(draft)), draft)
  }).pipe(Effect.scoped),
)

it.live("simulates an existing contact with its fields, lists, activities and suppression", () =>
  Effect.gen(function* () {
    const { call, flow, at, email, list, person } = yield* flowWorld
    const ann = yield* person({ email: "ann@example.com", first_name: "Ann" })
    const unsubscribed = yield* person({ email: "bob@example.com", unsubscribed: true })
    const vip = yield* list("vip", ann.contact_id)
    const created = { kind: "condition", source: "activity", activityType: "contact_created", operator: "has_activity" }
    const both = { kind: "group", operator: "and", conditions: [onList(vip), created] }
    const draft = yield* flow({
      steps: [
        { type: "condition_check", step_id: "which", condition: both, true_step_id: "yes", false_step_id: "no" },
        send("yes", yield* email("For {{contact.first_name}} {{campaign.dynamic.order}}")),
        send("no", yield* email("For others")),
      ],
    })
    const run = (json: object) => call("POST", at(draft, "/simulate"), { json })
    const { json: hers } = yield* run({ contact_id: ann.contact_id, tokens: { order: 7 } })
    assert.deepStrictEqual(
      hers.emails.map(({ step_id, subject }: Json) => [step_id, subject]),
      [["yes", "For Ann 7"]],
    )
    const { json: theirs } = yield* run({ contact_id: unsubscribed.contact_id })
    assert.deepStrictEqual([theirs.emails, theirs.status], [[], "completed"])
    const skipped = theirs.timeline.find(({ type }: Json) => type === "step_skipped")
    assert.deepInclude([skipped.step_id, skipped.metadata.reason], "unsubscribed")
    assert.deepStrictEqual(code(yield* run({ contact_id: unknownId })), [404, "not_found"])
  }).pipe(Effect.scoped),
)

it.live("refuses too long simulations, and limits cycles", () =>
  Effect.gen(function* () {
    const { call, context, workspace, flow, at } = yield* flowWorld
    const minute = { type: "wait", step_id: "a", duration_amount: 1, duration_unit: "minutes", next_step_id: "a" }
    const round = yield* flow({ steps: [minute] })
    const { json } = yield* call("POST", at(round, "/simulate"), { json: { contact: {} } })
    assert.deepStrictEqual([json.status, json.timeline.length >= 10_000], ["waiting", true])
    const clock = yield* Clock.Clock
    let now_ms = clock.currentTimeMillisUnsafe()
    // The clock advances two seconds at each reading.
    const slow: Clock.Clock = Object.create(clock, {
      currentTimeMillis: { value: Effect.sync(() => (now_ms += 2_000)) },
    })
    const { run } = Context.get(context, FlowSimulations)
    const tried = run({ id: workspace, defaultCountry: "US" }, FlowId.make(round.flow_id), { contact: {} })
    const refused = yield* Effect.flip(Effect.provideService(tried, Clock.Clock, slow))
    assert(refused._tag === "Invalid")
    assert.deepStrictEqual(
      refused.issues.map(({ path }) => path),
      ["until"],
    )
  }).pipe(Effect.scoped),
)

it.live("refuses disqualified contacts, flows without steps and invalid bodies", () =>
  Effect.gen(function* () {
    const { call, flow, at } = yield* flowWorld
    const cold = { kind: "condition", source: "contact", field: "leadStatus", operator: "equals", value: "cold" }
    const draft = yield* flow({ disqualification_rules: cold, steps: [days("a", 1)] })
    const run = (json: object, it = draft) => call("POST", at(it, "/simulate"), { json })
    const disqualified = yield* run({ contact: { email: "ann@example.com", lead_status: "cold" } })
    assert.deepStrictEqual(code(disqualified), [400, "campaign_flow_contact_disqualified"])
    assert.deepStrictEqual(missing(yield* run({ contact: {} }, yield* flow())), ["steps steps"])
    const cases: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
      [{}, ["contact_id"]],
      [{ contact: {}, contact_id: unknownId }, ["contact_id"]],
      [{ contact: { email: "no address", bogus: 1 } }, ["contact.bogus", "contact.email"]],
      [{ contact: {}, until: "2020-01-01T00:00:00Z" }, ["until"]],
      [{ contact: {}, until: { amount: 20, unit: "years" } }, ["until.unit"]],
      [
        { contact: {}, events: [{ after: { amount: 1, unit: "days" }, metric: "sent", step_id: "a" }] },
        ["events.0.metric", "events.0.step_id"],
      ],
      [{ contact: {}, tokens: { trigger: 1 } }, ["tokens.trigger"]],
    ]
    for (const [body, wrong] of cases) {
      const refused = yield* run(body)
      assert.deepStrictEqual([refused.status, [...paths(refused)].sort()], [400, wrong], refused.text)
    }
  }).pipe(Effect.scoped),
)
