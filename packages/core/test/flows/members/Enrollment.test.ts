import { assert, describe, it } from "@effect/vitest"
import { formTokens, readTokens } from "@tentpole/core/flows/members/EntryTokens"
import { apiEntry, manualEntry } from "@tentpole/core/flows/members/Enrollment"
import { enroll } from "@tentpole/core/flows/members/machine"
import type { Flow } from "@tentpole/core/flows/definition/Flow"
import { entriesOf, indexTriggers } from "@tentpole/core/flows/engine/TriggerMatch"
import { FlowId } from "@tentpole/core/kernel/Ids"
import { Result } from "effect"
import { birthday, facts, flowId, flowOf, isCold, listId, nowhere, now, send, stage, tentId } from "../FlowFixture.ts"
import { compiledOf, contact, contactId, memberFacts, membershipId } from "../MemberFixture.ts"

const steps = [send("hello")]
const code = (result: Result.Result<unknown, { readonly code: string }>) =>
  Result.isFailure(result) ? result.failure.code : "ok"

describe("who enters", () => {
  const nobody = { live: false, any: false }
  const entry = { id: membershipId, source: "contact_created", tokens: { a: 1 } } as const
  const enter = (body: object = {}, earlier = nobody, over: Partial<Flow> = {}, known = memberFacts()) =>
    enroll(compiledOf({ steps, ...body }, over), entry, known, earlier)

  it("stands at the first step, due, with what they brought", () => {
    const change = Result.getOrThrow(enter())
    assert.deepInclude(change.after, { entrySource: "contact_created", tokens: { a: 1 }, enteredAt: now })
    assert.deepInclude(change.after.state, { status: "active", visit: { stepId: "hello", number: 1 } })
    assert.deepStrictEqual(
      change.activities.map(({ type }) => type),
      ["flow_entered"],
    )
    assert.deepInclude(change.events[0], { type: "flow_entered", contactId })
  })

  it("is refused while in it, and for good where nobody re-enters", () => {
    const before = { live: false, any: true }
    assert.strictEqual(code(enter({}, { live: true, any: true })), "campaign_flow_already_in_flow")
    assert.strictEqual(
      code(enter({ reentry_policy: "no_reentry" }, { live: true, any: true })),
      "campaign_flow_already_in_flow",
    )
    assert.strictEqual(code(enter({ reentry_policy: "no_reentry" }, before)), "campaign_flow_reentry_denied")
    assert.strictEqual(code(enter({}, before)), "ok")
  })

  it("is refused when disqualified, and when the flow does not run", () => {
    const cold = memberFacts({ contact: { ...contact, leadStatus: "cold" } })
    assert.strictEqual(
      code(enter({ disqualification_rules: isCold }, nobody, {}, cold)),
      "campaign_flow_contact_disqualified",
    )
    for (const lifecycle of [
      { status: "draft" },
      { status: "paused", pausedAt: now },
      { status: "archived", archivedAt: now },
    ] as const) {
      assert.strictEqual(code(enter({}, nobody, { lifecycle })), "invalid_state")
    }
  })

  it("by the API needs a trigger for it, by hand needs leave", () => {
    const fields = [{ name: "order", type: "number" }]
    const flow = compiledOf({ steps, triggers: [{ type: "service_api", fields }], manual_membership_enabled: false })
    assert.deepStrictEqual(
      apiEntry(flow, { order: 1 }),
      Result.succeed({ source: "service_api", tokens: { order: 1 } }),
    )
    assert.strictEqual(code(apiEntry(flow, { other: 1 })), "campaign_flow_trigger_unknown_token")
    assert.strictEqual(code(apiEntry(compiledOf({ steps }), {})), "flow_api_trigger_not_configured")
    assert.strictEqual(code(manualEntry(flow, {})), "campaign_flow_manual_membership_disabled")
    assert.deepStrictEqual(
      manualEntry(compiledOf({ steps }), { any: true }),
      Result.succeed({ source: "manual", tokens: { any: true } }),
    )
  })
})

describe("tokens", () => {
  it("are scalars by names that templates can spell, of the declared types", () => {
    const declared = [
      { name: "n", type: "number" },
      { name: "s", type: "string" },
      { name: "b", type: "boolean" },
    ] as const
    assert.deepStrictEqual(readTokens(undefined, declared), Result.succeed({}))
    assert.deepStrictEqual(readTokens({ n: 1, s: "", b: false }, declared), Result.succeed({ n: 1, s: "", b: false }))
    const codes = (tokens: unknown, fields: Parameters<typeof readTokens>[1] = []) => code(readTokens(tokens, fields))
    assert.strictEqual(codes({ n: "1" }, declared), "campaign_flow_trigger_invalid_token_type")
    assert.strictEqual(codes({ x: 1 }, declared), "campaign_flow_trigger_unknown_token")
    for (const value of [null, [], {}, NaN])
      assert.strictEqual(codes({ x: value }), "campaign_flow_trigger_invalid_token_type")
    for (const name of ["trigger", "1st", "a-b", "", "ä", "__proto__"]) {
      assert.strictEqual(codes(JSON.parse(`{${JSON.stringify(name)}: 1}`)), "validation_failed", name)
    }
    assert.deepStrictEqual([codes([]), codes("x")], ["validation_failed", "validation_failed"])
  })

  it("have less than 64 KB of JSON", () => {
    const of = (length: number) => code(readTokens({ a: "x".repeat(length) }))
    assert.deepStrictEqual([of(64 * 1024 - 9), of(64 * 1024 - 8)], ["ok", "campaign_flow_trigger_payload_too_large"])
    assert.strictEqual(code(readTokens({ a: "ü".repeat(33_000) })), "campaign_flow_trigger_payload_too_large")
  })

  it("of a form are its answers, by names with what tokens can't spell replaced", () => {
    const answers = JSON.parse(
      '{"first name": "Ann", "first-name": "Bob", "size": ["S", "M"], "trigger": "x", "__proto__": "y", "---": "z", "age": 5, "odd": {}}',
    )
    assert.deepStrictEqual(formTokens(answers), { first_name: "Ann", size: "S, M", age: "5" })
    const long = formTokens({ a: "x".repeat(60_000), b: "x".repeat(60_000), c: "short" })
    assert.deepStrictEqual(Object.keys(long), ["a", "c"])
    assert.isTrue(Result.isSuccess(readTokens(long)))
    for (const odd of [null, 1, "x", []]) assert.deepStrictEqual(formTokens(odd), {})
  })
})

describe("which flows an event brings its contact into", () => {
  const other = FlowId.make("00000000-0000-4000-8000-000000000002")
  const flow = (triggers: ReadonlyArray<object>, over: Partial<Flow> = {}) => flowOf({ steps, triggers }, over)
  const event = (type: string, data: object = {}) => ({ type, contactId, at: now, data: { ...data } })
  const matched = (flows: ReadonlyArray<Flow>, it: ReturnType<typeof event>) =>
    entriesOf(indexTriggers(flows, facts.fields), it).map(
      ({ flowId: id, source }) => `${id === flowId ? "one" : "other"} ${source}`,
    )
  type Change = readonly [field: string, from: unknown, to: unknown]
  const updated = (...changes: ReadonlyArray<Change>) =>
    event("contact_updated", { changes: changes.map(([field, from, to]) => ({ field, from, to })) })

  it("those of lists, by their list", () => {
    const flows = [
      flow([{ type: "added_to_static_list", list_id: listId }]),
      flow([{ type: "removed_from_static_list", list_id: listId }], { id: other }),
    ]
    assert.deepStrictEqual(matched(flows, event("list_added", { list_id: listId })), ["one added_to_static_list"])
    assert.deepStrictEqual(matched(flows, event("list_removed", { list_id: listId })), [
      "other removed_from_static_list",
    ])
    assert.deepStrictEqual(matched(flows, event("list_added", { list_id: nowhere })), [])
  })

  it("each once, by the first trigger that fires; only those that are active", () => {
    const both = [{ type: "contact_created" }, { type: "contact_created" }]
    assert.deepStrictEqual(matched([flow(both)], event("contact_created")), ["one contact_created"])
    assert.deepStrictEqual(
      matched([flow(both, { lifecycle: { status: "paused", pausedAt: now } })], event("contact_created")),
      [],
    )
    const ofNobody = { ...event("contact_created"), contactId: null }
    assert.deepStrictEqual(entriesOf(indexTriggers([flow(both)], []), ofNobody), [])
  })

  it("those of a field when it changes, and its new value satisfies the operator", () => {
    const on = (trigger: object, ...changes: ReadonlyArray<Change>) =>
      matched([flow([{ type: "contact_updated", ...trigger }])], updated(...changes)).length === 1
    assert.isTrue(on({ field: "leadStatus" }, ["city", null, "Rome"], ["lead_status", "a", null]))
    assert.isFalse(on({ field: "leadStatus" }, ["city", null, "Rome"]))
    const satisfied: ReadonlyArray<readonly [trigger: object, field: string, to: unknown, held: boolean]> = [
      [{ field: "leadStatus", operator: "equals", value: "Hot" }, "lead_status", "HOT", true],
      [{ field: "leadStatus", operator: "equals", value: "Hot" }, "lead_status", "cold", false],
      [{ field: "leadStatus", operator: "not_equals", value: "Hot" }, "lead_status", null, true],
      [{ field: "leadStatus", operator: "contains", value: "o" }, "lead_status", "hot", true],
      [{ field: "leadStatus", operator: "not_contains", value: "o" }, "lead_status", "hot", false],
      [{ field: "leadStatus", operator: "starts_with", value: "h" }, "lead_status", "hot", true],
      [{ field: "leadStatus", operator: "ends_with", value: "h" }, "lead_status", "hot", false],
      [{ field: "leadStatus", operator: "is_empty" }, "lead_status", null, true],
      [{ field: "leadStatus", operator: "is_not_empty" }, "lead_status", null, false],
      [{ field: "serviceScore", operator: "gt", value: 5 }, "service_score", 6, true],
      [{ field: "serviceScore", operator: "gte", value: 5 }, "service_score", 5, true],
      [{ field: "serviceScore", operator: "lt", value: 5 }, "service_score", 5, false],
      [{ field: "serviceScore", operator: "lte", value: 5 }, "service_score", null, false],
      [{ field: "unsubscribed", operator: "is_true" }, "unsubscribed", true, true],
      [{ field: "unsubscribed", operator: "is_false" }, "unsubscribed", true, false],
      [{ field: stage.apiName, operator: "eq", value: "x" }, "custom_fields.stage", "X", true],
      [
        { field: birthday.apiName, operator: "eq", value: "2026-05-01" },
        "custom_fields.birthday",
        "2026-05-01T10:00:00.000Z",
        true,
      ],
      [{ field: birthday.apiName, operator: "gt", value: "2026-05-01" }, "custom_fields.birthday", "2026-05-01", false],
    ]
    for (const [trigger, name, to, held] of satisfied) {
      assert.strictEqual(on(trigger, [name, "before", to]), held, JSON.stringify([trigger, to]))
    }
  })

  it("a field that has been archived since fires for nobody", () => {
    const archivedNow = [{ ...stage, status: "archived" as const }]
    const index = indexTriggers([flow([{ type: "contact_updated", field: "stage" }])], archivedNow)
    assert.deepStrictEqual(entriesOf(index, updated(["custom_fields.stage", null, "x"])), [])
  })

  it("those of a form, with its answers as tokens", () => {
    const submitted = (form_id: string) =>
      event("form_submission", { tent_id: tentId, form_id, fields: { "Your name": "Ann" } })
    const flows = [
      flow([{ type: "form_submitted", tent_id: tentId, form_id: "signup" }]),
      flow([{ type: "form_submitted", tent_id: tentId }], { id: other }),
    ]
    assert.deepStrictEqual(matched(flows, submitted("signup")), ["one form_submitted", "other form_submitted"])
    assert.deepStrictEqual(matched(flows, submitted("contact")), ["other form_submitted"])
    assert.deepStrictEqual(entriesOf(indexTriggers(flows, []), submitted("signup"))[0]?.tokens, { Your_name: "Ann" })
  })

  it("none for what flows themselves do: they can't chase each other round", () => {
    const triggers = [
      { type: "contact_created" },
      { type: "contact_updated", field: "leadStatus" },
      { type: "added_to_static_list", list_id: listId },
      { type: "form_submitted", tent_id: tentId },
      { type: "service_api" },
    ]
    const index = indexTriggers([flow(triggers)], [])
    for (const type of [
      "flow_entered",
      "flow_completed",
      "flow_dropped",
      "email_sent",
      "email_delivered",
      "email_opened",
      "email_bounced",
    ]) {
      assert.deepStrictEqual(entriesOf(index, event(type, { flow_id: flowId })), [])
    }
  })
})
