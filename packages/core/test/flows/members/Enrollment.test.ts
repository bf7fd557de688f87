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

describe("enroll", () => {
  const noEarlier = { live: false, any: false }
  const entry = { id: membershipId, source: "contact_created", tokens: { a: 1 } } as const
  const tryEnroll = (body: object = {}, earlier = noEarlier, over: Partial<Flow> = {}, known = memberFacts()) =>
    enroll(compiledOf({ steps, ...body }, over), entry, known, earlier)

  it("creates a due member at the first step, with source and tokens", () => {
    const change = Result.getOrThrow(tryEnroll())
    assert.deepInclude(change.after, { entrySource: "contact_created", tokens: { a: 1 }, enteredAt: now })
    assert.deepInclude(change.after.state, { status: "active", visit: { stepId: "hello", number: 1 } })
    assert.deepStrictEqual(
      change.activities.map(({ type }) => type),
      ["flow_entered"],
    )
    assert.deepInclude(change.events[0], { type: "flow_entered", contactId })
    assert.strictEqual(change.events[0]?.data["entry_source"], "contact_created")
  })

  it("refuses live members, and former members under no_reentry", () => {
    const before = { live: false, any: true }
    assert.strictEqual(code(tryEnroll({}, { live: true, any: true })), "campaign_flow_already_in_flow")
    assert.strictEqual(
      code(tryEnroll({ reentry_policy: "no_reentry" }, { live: true, any: true })),
      "campaign_flow_already_in_flow",
    )
    assert.strictEqual(code(tryEnroll({ reentry_policy: "no_reentry" }, before)), "campaign_flow_reentry_denied")
    assert.strictEqual(code(tryEnroll({}, before)), "ok")
  })

  it("refuses disqualified contacts, and flows that are not active", () => {
    const cold = memberFacts({ contact: { ...contact, leadStatus: "cold" } })
    assert.strictEqual(
      code(tryEnroll({ disqualification_rules: isCold }, noEarlier, {}, cold)),
      "campaign_flow_contact_disqualified",
    )
    for (const lifecycle of [
      { status: "draft" },
      { status: "paused", pausedAt: now },
      { status: "archived", archivedAt: now },
    ] as const) {
      assert.strictEqual(code(tryEnroll({}, noEarlier, { lifecycle })), "invalid_state")
    }
  })

  it("requires a service_api trigger for apiEntry and manual_membership_enabled for manualEntry", () => {
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

describe("flow tokens", () => {
  it("readTokens accepts scalars of the declared types, with names that merge tokens can contain", () => {
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

  it("readTokens refuses 64 KB of JSON", () => {
    const of = (length: number) => code(readTokens({ a: "x".repeat(length) }))
    assert.deepStrictEqual([of(64 * 1024 - 9), of(64 * 1024 - 8)], ["ok", "campaign_flow_trigger_payload_too_large"])
    assert.strictEqual(code(readTokens({ a: "ü".repeat(33_000) })), "campaign_flow_trigger_payload_too_large")
  })

  it("formTokens converts answers, and replaces invalid characters of names", () => {
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

describe("entriesOf", () => {
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

  it("matches list triggers by their list", () => {
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

  it("returns each active flow once, by the first trigger that fires", () => {
    const both = [{ type: "contact_created" }, { type: "contact_created" }]
    assert.deepStrictEqual(matched([flow(both)], event("contact_created")), ["one contact_created"])
    assert.deepStrictEqual(
      matched([flow(both, { lifecycle: { status: "paused", pausedAt: now } })], event("contact_created")),
      [],
    )
    const withoutContact = { ...event("contact_created"), contactId: null }
    assert.deepStrictEqual(entriesOf(indexTriggers([flow(both)], []), withoutContact), [])
  })

  it("matches a field trigger if the field changed and its new value satisfies the operator", () => {
    const on = (trigger: object, ...changes: ReadonlyArray<Change>) =>
      matched([flow([{ type: "contact_updated", ...trigger }])], updated(...changes)).length === 1
    assert.isTrue(on({ field: "leadStatus" }, ["city", null, "Rome"], ["lead_status", "a", null]))
    assert.isFalse(on({ field: "leadStatus" }, ["city", null, "Rome"]))
    const satisfied: ReadonlyArray<readonly [trigger: object, field: string, to: unknown, isSatisfied: boolean]> = [
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
    for (const [trigger, name, to, isSatisfied] of satisfied) {
      assert.strictEqual(on(trigger, [name, "before", to]), isSatisfied, JSON.stringify([trigger, to]))
    }
  })

  it("does not match triggers on archived fields", () => {
    const archivedNow = [{ ...stage, status: "archived" as const }]
    const index = indexTriggers([flow([{ type: "contact_updated", field: "stage" }])], archivedNow)
    assert.deepStrictEqual(entriesOf(index, updated(["custom_fields.stage", null, "x"])), [])
  })

  it("matches form triggers, with the answers as tokens", () => {
    const submitted = (form_id: string) =>
      event("form_submission", { tent_id: tentId, form_id, fields: { "Your name": "Ann" } })
    const flows = [
      flow([{ type: "form_submitted", tent_id: tentId, form_id: "signup" }]),
      flow([{ type: "form_submitted", tent_id: tentId }], { id: other }),
    ]
    assert.deepStrictEqual(matched(flows, submitted("signup")), ["one form_submitted", "other form_submitted"])
    assert.deepStrictEqual(matched(flows, submitted("contact")), ["other form_submitted"])
    const elsewhere = event("form_submission", { tent_id: nowhere, form_id: "signup", fields: {} })
    assert.deepStrictEqual(matched(flows, elsewhere), [])
    const anywhere = [
      flow([{ type: "form_submitted", form_id: "signup" }]),
      flow([{ type: "form_submitted" }, { type: "form_submitted", tent_id: tentId }], { id: other }),
    ]
    for (const each of [elsewhere, submitted("signup")])
      assert.deepStrictEqual(matched(anywhere, each).sort(), ["one form_submitted", "other form_submitted"])
    assert.deepStrictEqual(matched(anywhere, submitted("contact")), ["other form_submitted"])
    assert.deepStrictEqual(entriesOf(indexTriggers(flows, []), submitted("signup"))[0]?.tokens, { Your_name: "Ann" })
  })

  it("does not match events that flows write", () => {
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
