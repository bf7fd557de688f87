// Tests of the flow membership endpoints.
import { Flows } from "@tentpole/core/flows/Flows"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Answered, serving, unknownId } from "../../fixtures/World.ts"

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const steps = [{ type: "wait", step_id: "rest", duration_amount: 1, duration_unit: "days" }]

const served = Effect.map(serving(Api, handlers), ({ call, context }) => {
  /** Creates an active flow with one wait step and the given fields, and returns its path. */
  const flow = (more: object = {}) =>
    Effect.gen(function* () {
      const flows = Context.get(context, Flows)
      const workspace = yield* Context.get(context, WorkspaceStore).findFirst
      const workspaceId = WorkspaceId.make(workspace?.id ?? "")
      const made = yield* flows.create(workspaceId, { name: "Welcome", steps, ...more })
      yield* flows.activate(workspaceId, made.flow.id)
      return {
        path: `/v1/email-flows/${made.flow.id}`,
        id: made.flow.id,
        pause: flows.pause(workspaceId, made.flow.id),
      }
    }).pipe(Effect.orDie)
  const person = Effect.fnUntraced(function* (email: string, more: object = {}) {
    const { json } = yield* call("POST", "/v1/contacts", { json: { items: [{ email, ...more }] } })
    const id: string = json.items[0].contact_id
    return id
  })
  return { call, flow, person }
})

const code = ({ status, json }: Answered) => [status, json.error_code]

it.live("a membership has the same fields when added, listed, read and removed", () =>
  Effect.gen(function* () {
    const { call, flow, person } = yield* served
    const { id, path } = yield* flow()
    const ann = yield* person("ann@example.com", { display_name: "Ann", phone: "+12025550123" })
    const added = yield* call("POST", `${path}/contacts/${ann}`, {
      json: { tokens: { color: "red", n: 1, yes: true } },
    })
    assert.strictEqual(added.status, 201)
    const { created_at, entered_at, membership_id, updated_at, ...rest } = added.json
    for (const at of [created_at, entered_at, updated_at]) assert.match(at, instant)
    assert.match(membership_id, /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual(rest, {
      flow_id: id,
      contact_id: ann,
      contact: { contact_id: ann, display_name: "Ann", email: "ann@example.com", phone: "+12025550123" },
      status: "active",
      current_step_id: "rest",
      entry_source: "manual",
      tokens: { color: "red", n: 1, yes: true },
      waiting_until: null,
      completed_at: null,
      dropped_at: null,
      drop_reason: null,
      last_error: null,
      retry_count: 0,
      steps_executed: [],
    })
    const listed = yield* call("GET", `${path}/members?status=active&search=ann&sort=updated_at&order=asc`)
    assert.deepStrictEqual(listed.json, {
      members: [added.json],
      pagination: { page: 1, limit: 25, total: 1, totalPages: 1 },
    })
    const shown = yield* call("GET", `${path}/members/${membership_id}`)
    assert.deepStrictEqual(shown.json, {
      ...added.json,
      timeline: [
        { type: "entered_flow", timestamp: entered_at, step_id: "rest", metadata: { entry_source: "manual" } },
      ],
    })
    const removed = yield* call("DELETE", `${path}/contacts/${ann}`)
    assert.strictEqual(removed.status, 200)
    assert.deepInclude(removed.json, { membership_id, status: "dropped", drop_reason: "removed" })
    assert.match(removed.json.dropped_at, instant)
    const again = yield* call("DELETE", `${path}/contacts/${ann}`)
    assert.deepStrictEqual([again.status, again.text], [204, ""])
  }).pipe(Effect.scoped),
)

it.live("each reason against entering a flow has its code", () =>
  Effect.gen(function* () {
    const { call, flow, person } = yield* served
    const ann = yield* person("ann@example.com", { city: "Rome" })
    const add = (path: string, contact = ann, json: object = {}) =>
      call("POST", `${path}/contacts/${contact}`, { json })
    const { path, pause } = yield* flow({ reentry_policy: "no_reentry" })
    assert.deepStrictEqual(code(yield* add(path, unknownId)), [404, "not_found"])
    assert.deepStrictEqual(code(yield* add(`/v1/email-flows/${unknownId}`)), [404, "not_found"])
    assert.deepStrictEqual(code(yield* add(path, "ann")), [400, "invalid_id"])
    assert.strictEqual((yield* add(path)).status, 201)
    assert.deepStrictEqual(code(yield* add(path)), [409, "campaign_flow_already_in_flow"])
    yield* call("DELETE", `${path}/contacts/${ann}`)
    assert.deepStrictEqual(code(yield* add(path)), [409, "campaign_flow_reentry_denied"])
    yield* pause
    const paused = yield* add(path)
    assert.deepStrictEqual([...code(paused), paused.json.details.status], [409, "invalid_state", "paused"])
    const condition = { kind: "condition", source: "contact", field: "city", operator: "equals", value: "Rome" }
    const disqualification_rules = { kind: "group", operator: "and", conditions: [condition] }
    const picky = yield* flow({ disqualification_rules })
    assert.deepStrictEqual(code(yield* add(picky.path)), [400, "campaign_flow_contact_disqualified"])
    const closed = yield* flow({ manual_membership_enabled: false, triggers: [{ type: "contact_created" }] })
    assert.deepStrictEqual(code(yield* add(closed.path)), [409, "campaign_flow_manual_membership_disabled"])
    assert.strictEqual((yield* call("POST", `${(yield* flow()).path}/contacts/${ann}`)).status, 201)
  }).pipe(Effect.scoped),
)

it.live("the trigger requires one contact and only declared tokens", () =>
  Effect.gen(function* () {
    const { call, flow, person } = yield* served
    const ann = yield* person("ann@example.com", { phone: "+12025550123" })
    const bare = yield* flow()
    const trigger = (path: string, json: object) => call("POST", `${path}/trigger`, { json })
    assert.deepStrictEqual(code(yield* trigger(bare.path, { contact_id: ann })), [
      409,
      "flow_api_trigger_not_configured",
    ])
    const fields = [
      { name: "plan", type: "string" },
      { name: "seats", type: "number" },
    ]
    const { path } = yield* flow({ triggers: [{ type: "service_api", fields }] })
    for (const json of [{}, { contact_id: ann, email: "ann@example.com" }]) {
      assert.deepStrictEqual(code(yield* trigger(path, json)), [400, "validation_failed"])
    }
    const unknown = yield* trigger(path, { contact_id: unknownId })
    assert.deepStrictEqual([...code(unknown), unknown.json.details.issues[0].path], [404, "not_found", "contact_id"])
    assert.deepStrictEqual(code(yield* trigger(path, { email: "unknown@example.com" })), [404, "not_found"])
    const refused = (tokens: object) => Effect.map(trigger(path, { contact_id: ann, tokens }), code)
    assert.deepStrictEqual(yield* refused({ other: "x" }), [400, "campaign_flow_trigger_unknown_token"])
    assert.deepStrictEqual(yield* refused({ seats: "5" }), [400, "campaign_flow_trigger_invalid_token_type"])
    assert.deepStrictEqual(yield* refused({ "1plan": "x" }), [400, "validation_failed"])
    assert.deepStrictEqual(yield* refused({ plan: "x".repeat(70_000) }), [
      413,
      "campaign_flow_trigger_payload_too_large",
    ])
    const entered = yield* trigger(path, { email: "Ann@Example.com", tokens: { plan: "pro", seats: 5 } })
    assert.strictEqual(entered.status, 201)
    assert.deepInclude(entered.json, {
      contact_id: ann,
      entry_source: "service_api",
      tokens: { plan: "pro", seats: 5 },
    })
    assert.deepStrictEqual(code(yield* trigger(path, { phone: "202-555-0123" })), [
      409,
      "campaign_flow_already_in_flow",
    ])
  }).pipe(Effect.scoped),
)
