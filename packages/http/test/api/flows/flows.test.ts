// Tests of the flow endpoints.
import { Api } from "@tentpole/http/Api"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { code, days, F, flowWorld, missing, onList, send } from "../../fixtures/FlowWorld.ts"
import { type Json, paths, unknownId } from "../../fixtures/World.ts"

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const noDetails = {
  total_entered: 0,
  active_count: 0,
  waiting_count: 0,
  completed_count: 0,
  dropped_count: 0,
  failed_count: 0,
  most_recent_entry_at: null,
}

it.live("a new flow is a draft and can be read, updated and deleted", () =>
  Effect.gen(function* () {
    const { call, at, get } = yield* flowWorld
    const made = yield* call("POST", F, { json: { name: "Welcome" } })
    assert.strictEqual(made.status, 201)
    const { flow_id, created_at, updated_at, ...rest } = made.json
    assert.match(flow_id, /^[0-9a-f-]{36}$/)
    assert.match(created_at, instant)
    assert.match(updated_at, instant)
    assert.deepStrictEqual(rest, {
      type: "triggered_flow",
      name: "Welcome",
      description: null,
      status: "draft",
      triggers: [],
      steps: [],
      disqualification_rules: null,
      reentry_policy: "allow",
      manual_membership_enabled: true,
      settings: {},
      details: noDetails,
      archived_at: null,
    })
    assert.deepStrictEqual(yield* get(at(made.json)), made.json)
    const settings = { color: "red", nested: [1, { deep: null }] }
    const patched = yield* call("PATCH", at(made.json), { json: { name: "Other", description: "d", settings } })
    assert.deepInclude(patched.json, { name: "Other", description: "d", settings })
    const same = yield* call("PATCH", at(made.json), { json: {} })
    assert.deepStrictEqual(same.json, patched.json)
    const deleted = yield* call("DELETE", at(made.json))
    assert.deepStrictEqual([deleted.status, deleted.json], [200, { flow_id, deleted: true }])
    assert.deepStrictEqual(code(yield* call("GET", at(made.json))), [404, "not_found"])
  }).pipe(Effect.scoped),
)

it.live("triggers and steps are returned as sent, with defaults", () =>
  Effect.gen(function* () {
    const { flow, list, email, post } = yield* flowWorld
    const list_id = yield* list("l")
    const email_id = yield* email("Hello")
    const { template_id } = yield* post("/v1/email-templates", { name: "t", html: "<p>t</p>" })
    const { id: tent_id } = yield* post("/v1/tents", { name: "t", prompt: "Create a landing page for chairs" })
    yield* post("/v1/contact-fields", { display_name: "Born", api_name: "born", value_type: "date" })
    const opened = { kind: "condition", source: "email_step", nodeId: "a", metric: "opened", operator: "has_activity" }
    const { triggers, steps, disqualification_rules } = yield* flow({
      disqualification_rules: onList(list_id),
      triggers: [
        { type: "added_to_static_list", list_id },
        { type: "contact_created" },
        { type: "contact_updated", field: "leadStatus", operator: "eq", value: "hot" },
        { type: "date_based", field: "born", mode: "on_date" },
        { type: "form_submitted", tent_id },
        { type: "service_api" },
      ],
      steps: [
        send("a", email_id, "b"),
        { type: "wait", step_id: "b", duration_amount: 1, duration_unit: "day" },
        { type: "wait", step_id: "c", mode: "condition", condition: opened },
        { type: "condition_check", step_id: "d", condition: opened, true_step_id: "a" },
        { type: "create_email", step_id: "e", template_id },
        { type: "create_tent", step_id: "f", prompt: "A page" },
      ],
    })
    const group = (condition: object) => ({ kind: "group", operator: "and", conditions: [condition] })
    assert.deepStrictEqual(disqualification_rules, group(onList(list_id)))
    assert.deepStrictEqual(triggers, [
      { type: "added_to_static_list", list_id },
      { type: "contact_created" },
      { type: "contact_updated", field: "leadStatus", operator: "equals", value: "hot" },
      {
        type: "date_based",
        field: "born",
        mode: "on_date",
        days_before: 0,
        days_after: 0,
        include_anniversaries: false,
        trigger_time: "09:00",
        timezone: "UTC",
      },
      { type: "form_submitted", tent_id, form_id: null },
      { type: "service_api", fields: [] },
    ])
    assert.deepStrictEqual(
      steps.map((step: Json) => step.step_id),
      ["a", "b", "c", "d", "e", "f"],
    )
    assert.deepStrictEqual(steps[0], {
      type: "send_email",
      step_id: "a",
      label: null,
      email_id,
      operational: false,
      topic_id: null,
      email_source: "existing",
      create_email_step_id: null,
      next_step_id: "b",
    })
    assert.deepInclude(steps[1], { mode: "duration", duration_amount: 1, duration_unit: "days" })
    assert.deepInclude(steps[2], { condition: group(opened), timeout_amount: null, timeout_step_id: null })
    assert.deepInclude(steps[4], { template_mode: "copy_only", auto_approve: true, subject: null })
  }).pipe(Effect.scoped),
)

it.live("rules of flows name custom fields by their api_name, and return the id", () =>
  Effect.gen(function* () {
    const { call, flow, at, post } = yield* flowWorld
    const field = { display_name: "Stage", api_name: "stage", value_type: "string" }
    const [{ field_definition_id }] = (yield* post("/v1/contact-fields", field)).items
    const named = (name: string) => ({
      kind: "condition",
      source: "custom_field",
      api_name: name,
      operator: "equals",
      value: "x",
    })
    const check = { type: "condition_check", step_id: "a", condition: named("stage") }
    const made = yield* flow({ steps: [check], disqualification_rules: named("stage") })
    const ids = (json: Json) => [
      json.steps[0].condition.conditions[0].fieldDefinitionId,
      json.disqualification_rules.conditions[0].fieldDefinitionId,
    ]
    assert.deepStrictEqual(ids(made), [field_definition_id, field_definition_id])
    const patched = yield* call("PATCH", at(made, "/steps/a"), { json: { step: { condition: named("stage") } } })
    assert.deepStrictEqual(ids(patched.json), [field_definition_id, field_definition_id])
    const waiting = { type: "wait", step_id: "b", mode: "condition", condition: named("stage") }
    assert.strictEqual((yield* call("POST", at(made, "/steps"), { json: { step: waiting } })).status, 201)
    const unknown = yield* call("PATCH", at(made), { json: { disqualification_rules: named("nothing") } })
    assert.deepStrictEqual([...paths(unknown)], ["disqualification_rules.api_name"])
  }).pipe(Effect.scoped),
)

it.live("reports all issues of a body, including unknown references", () =>
  Effect.gen(function* () {
    const { call, flow, at } = yield* flowWorld
    const wrong = yield* call("POST", F, {
      json: {
        flow_id: unknownId,
        bogus: 1,
        reentry_policy: "sometimes",
        triggers: [{ type: "date_based", trigger_time: "09:10" }],
        steps: [{ type: "wait", step_id: "a", duration_unit: "years" }, { type: "wait" }],
        disqualification_rules: { kind: "condition", source: "email_step", nodeId: "a", metric: "opened" },
      },
    })
    assert.deepStrictEqual(code(wrong), [400, "validation_failed"])
    assert.deepStrictEqual([...paths(wrong)].sort(), [
      "bogus",
      "disqualification_rules.source",
      "flow_id",
      "name",
      "reentry_policy",
      "steps.0.duration_unit",
      "steps.1.step_id",
      "triggers.0.trigger_time",
    ])
    const unheard = yield* call("POST", F, { json: { name: "x", steps: [send("a", unknownId)] } })
    assert.deepStrictEqual([code(unheard), paths(unheard)], [[404, "not_found"], ["steps.0.email_id"]])
    const twice = yield* call("POST", F, { json: { name: "x", steps: [days("a", 1), days("a", 2)] } })
    assert.deepStrictEqual([code(twice), paths(twice)], [[409, "campaign_flow_duplicate_step_id"], ["steps.1.step_id"]])
    const draft = yield* flow()
    const replaced = yield* call("PUT", at(draft, "/steps"), { json: { triggers: [] } })
    assert.deepStrictEqual([...paths(replaced)].sort(), ["steps", "triggers"])
  }).pipe(Effect.scoped),
)

it.live("flows can be paged, filtered, searched and sorted; archived ones on request", () =>
  Effect.gen(function* () {
    const { call, get, flow, at, post } = yield* flowWorld
    const first = yield* flow({ name: "Ärger" })
    const second = yield* flow({ name: "beta" })
    const archived = yield* post(at(yield* flow({ name: "gamma" }), "/archive"))
    const named = (query: string) => Effect.map(get(`${F}${query}`), ({ flows }) => flows.map(({ name }: Json) => name))
    const whole = yield* get(`${F}?sort_by=name&sort_order=asc`)
    assert.deepStrictEqual(whole.flows, [second, first])
    assert.deepStrictEqual(whole.pagination, { page: 1, limit: 25, total: 2, totalPages: 1 })
    assert.match(archived.archived_at, instant)
    assert.deepStrictEqual(yield* named(`?search=${encodeURIComponent("ÄRG")}`), ["Ärger"])
    assert.deepStrictEqual(yield* named("?limit=1&page=2&sort_by=created_at&sort_order=asc"), ["beta"])
    assert.deepStrictEqual(yield* named("?sort_by=name&archived=any"), ["Ärger", "gamma", "beta"])
    assert.deepStrictEqual(yield* named("?sort_by=name&status=any"), ["Ärger", "gamma", "beta"])
    for (const query of ["?archived=true", "?status=archived", "?status=archived&archived=any"]) {
      assert.deepStrictEqual(yield* named(query), ["gamma"], query)
    }
    for (const query of ["?status=active", "?status=archived&archived=false", "?status=draft&archived=true"]) {
      assert.deepStrictEqual(yield* named(query), [], query)
    }
    assert.deepStrictEqual(yield* named("?status=any&archived=false&sort_by=name"), ["Ärger", "beta"])
    assert.deepStrictEqual(paths(yield* call("GET", `${F}?archived=yes&sort_by=age`)), ["archived", "sort_by"])
  }).pipe(Effect.scoped),
)

it.live("steps can be inserted, merged, and removed with repaired edges", () =>
  Effect.gen(function* () {
    const { call, flow, at } = yield* flowWorld
    const draft = yield* flow({ steps: [days("a", 1, "c"), days("c", 3)] })
    const ids = (answered: { readonly json: Json }) => answered.json.steps.map(({ step_id }: Json) => step_id)
    const put = (json: object) => call("POST", at(draft, "/steps"), { json })
    const inserted = yield* put({ step: days("b", 2, "c"), before_step_id: "c" })
    assert.deepStrictEqual([inserted.status, ids(inserted)], [201, ["a", "b", "c"]])
    assert.deepStrictEqual(ids(yield* put({ step: days("0", 1), position: "start" })), ["0", "a", "b", "c"])
    assert.deepStrictEqual(code(yield* put({ step: days("a", 1) })), [409, "campaign_flow_duplicate_step_id"])
    const nowhere = yield* put({ step: days("d", 1), after_step_id: "nowhere" })
    assert.deepStrictEqual([code(nowhere), paths(nowhere)], [[404, "not_found"], ["after_step_id"]])
    const two = yield* put({ step: days("d", 1), after_step_id: "a", position: "end" })
    assert.deepStrictEqual(code(two), [400, "validation_failed"])

    const patched = yield* call("PATCH", at(draft, "/steps/b"), {
      json: { step: { duration_amount: 9, label: "rest" } },
    })
    assert.deepInclude(patched.json.steps[2], { duration_amount: 9, label: "rest", next_step_id: "c" })
    const renamed = yield* call("PATCH", at(draft, "/steps/b"), { json: { step: { step_id: "z" } } })
    assert.deepStrictEqual([code(renamed), paths(renamed)], [[400, "validation_failed"], ["step.step_id"]])
    assert.deepStrictEqual(code(yield* call("PATCH", at(draft, "/steps/z"), { json: { step: {} } })), [
      404,
      "not_found",
    ])

    const refused = yield* call("DELETE", at(draft, "/steps/c"))
    assert.deepStrictEqual(code(refused), [409, "campaign_flow_step_referenced"])
    assert.deepStrictEqual(paths(refused), ["steps.1.next_step_id", "steps.2.next_step_id"])
    const repair = (replacement_step_id: string | null) => ({ json: { repair_edges: { replacement_step_id } } })
    assert.deepStrictEqual(code(yield* call("DELETE", at(draft, "/steps/c"), repair("z"))), [404, "not_found"])
    const repaired = yield* call("DELETE", at(draft, "/steps/c"), repair("0"))
    assert.deepStrictEqual(
      repaired.json.steps.map(({ step_id, next_step_id }: Json) => [step_id, next_step_id]),
      [
        ["0", null],
        ["a", "0"],
        ["b", "0"],
      ],
    )
    assert.deepStrictEqual(ids(yield* call("DELETE", at(draft, "/steps/b"))), ["0", "a"])
  }).pipe(Effect.scoped),
)

it.live("a step id can contain any characters of a path segment", () =>
  Effect.gen(function* () {
    const { call, flow, at } = yield* flowWorld
    const name = "Ä/?#%2f {}😀 __proto__"
    const draft = yield* flow({ steps: [days(name, 1)] })
    const one = at(draft, `/steps/${encodeURIComponent(name)}`)
    const patched = yield* call("PATCH", one, { json: { step: { label: "l" } } })
    assert.deepInclude(patched.json.steps[0], { step_id: name, label: "l" })
    assert.deepStrictEqual((yield* call("DELETE", one)).json.steps, [])
  }).pipe(Effect.scoped),
)

it.live("a step gets an existing email, or an inline one that needs approval", () =>
  Effect.gen(function* () {
    const { call, flow, at, email, get, post } = yield* flowWorld
    const draft = yield* flow({ steps: [send("a", null, "b"), days("b", 1)] })
    const set = (step: string, json: object) => call("PUT", at(draft, `/steps/${step}/email`), { json })
    const email_id = yield* email("Hello")
    const existing = yield* set("a", { source: "existing", email_id })
    assert.deepInclude(existing.json.steps[0], { email_id, email_source: "existing", next_step_id: "b" })
    const inline = yield* set("a", { source: "inline", subject: "Hi", html: "<p onclick='x()'>Hi</p>" })
    const [step] = inline.json.steps
    assert.strictEqual(step.email_source, "inline")
    assert.deepInclude(yield* get(`/v1/emails/${step.email_id}`), { name: "Welcome email", status: "draft" })
    const content = yield* call("GET", `/v1/emails/${step.email_id}/content`)
    assert.notInclude(content.text, "onclick")
    assert.deepStrictEqual(missing(yield* call("POST", at(draft, "/activate"))), ["email_approval steps.0.email_id"])
    yield* post(`/v1/emails/${step.email_id}/approve`)
    assert.strictEqual((yield* post(at(draft, "/activate"))).status, "active")
    assert.deepStrictEqual(code(yield* set("b", { source: "existing", email_id })), [
      400,
      "campaign_flow_step_type_invalid",
    ])
    assert.deepStrictEqual(code(yield* set("z", { source: "existing", email_id })), [404, "not_found"])
    const unheard = yield* set("a", { source: "existing", email_id: unknownId })
    assert.deepStrictEqual([code(unheard), paths(unheard)], [[404, "not_found"], ["email_id"]])
    assert.deepStrictEqual(code(yield* set("a", { source: "existing", email_id })), [409, "invalid_state"])
  }).pipe(Effect.scoped),
)

it.live("the graph has nodes and edges, and its image is inert", () =>
  Effect.gen(function* () {
    const { call, flow, at, get } = yield* flowWorld
    const check = { type: "condition_check", step_id: "b", true_step_id: "a", false_step_id: "nowhere" }
    const draft = yield* flow({ steps: [{ ...days("a", 1, "b"), label: "<script>" }, check] })
    assert.deepStrictEqual(yield* get(at(draft, "/graph")), {
      nodes: [
        { step_id: "a", type: "wait", label: "<script>", count: 0 },
        { step_id: "b", type: "condition_check", label: null, count: 0 },
      ],
      edges: [
        { from: "a", to: "b", kind: "next" },
        { from: "b", to: "a", kind: "true" },
      ],
    })
    const drawn = yield* call("GET", at(draft, "/graph.svg"))
    assert.strictEqual(drawn.status, 200)
    assert.match(drawn.headers.get("content-type") ?? "", /^image\/svg\+xml/)
    assert.strictEqual(drawn.headers.get("content-security-policy"), "sandbox")
    assert.strictEqual(drawn.headers.get("x-content-type-options"), "nosniff")
    assert.isTrue(drawn.text.startsWith("<svg "))
    assert.include(drawn.text, "&lt;script&gt;")
    assert.notInclude(drawn.text, "<script")
  }).pipe(Effect.scoped),
)

it.live("the examples of the OpenAPI document are valid", () =>
  Effect.gen(function* () {
    const { call, email } = yield* flowWorld
    const { paths: described }: Json = OpenApi.fromApi(Api)
    const exampleOf = (method: string, path: string): Json => {
      const { schema } = described[`${F}${path}`][method].requestBody.content["application/json"]
      return (schema.anyOf?.[0] ?? schema).examples[0]
    }
    const whole = exampleOf("post", "")
    // The example references an email that this workspace does not have.
    const email_id = yield* email("Hello")
    const named = JSON.parse(JSON.stringify(whole).replaceAll(whole.steps[0].email_id, email_id))
    const made = yield* call("POST", F, { json: named })
    assert.strictEqual(made.status, 201, made.text)
    const steps = JSON.parse(
      JSON.stringify(exampleOf("put", "/{flowId}/steps")).replaceAll(whole.steps[0].email_id, email_id),
    )
    const requests: ReadonlyArray<readonly [string, string, string, Json]> = [
      ["PATCH", "/{flowId}", "", exampleOf("patch", "/{flowId}")],
      ["PUT", "/{flowId}/triggers", "/triggers", exampleOf("put", "/{flowId}/triggers")],
      ["PUT", "/{flowId}/steps", "/steps", steps],
      ["POST", "/{flowId}/steps", "/steps", exampleOf("post", "/{flowId}/steps")],
      ["PATCH", "/{flowId}/steps/{stepId}", "/steps/pause", exampleOf("patch", "/{flowId}/steps/{stepId}")],
      ["POST", "/{flowId}/simulate", "/simulate", exampleOf("post", "/{flowId}/simulate")],
      ["DELETE", "/{flowId}/steps/{stepId}", "/steps/opened", exampleOf("delete", "/{flowId}/steps/{stepId}")],
    ]
    for (const [method, path, tail, json] of requests) {
      const answered = yield* call(method, `${F}/${made.json.flow_id}${tail}`, { json })
      assert.isBelow(answered.status, 300, `${method} ${path}: ${answered.text}`)
    }
  }).pipe(Effect.scoped),
)
