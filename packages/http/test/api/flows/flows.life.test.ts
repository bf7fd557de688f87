// Tests of activating, pausing and archiving flows.
import { JobQueue, Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { TentId } from "@tentpole/core/kernel/Ids"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect } from "effect"
import { code, days, flowWorld, missing, onList, send } from "../../fixtures/FlowWorld.ts"
import { type Json, unknownId } from "../../fixtures/World.ts"

it.live("activate lists everything that is missing, and requires a paid plan", () =>
  Effect.gen(function* () {
    const { call, context, workspace, flow, at, email, get, list, post } = yield* flowWorld
    const activate = (it: Json) => call("POST", at(it, "/activate"))
    assert.deepStrictEqual(missing(yield* activate(yield* flow({ manual_membership_enabled: false }))), [
      "steps steps",
      "entry triggers",
    ])
    const incomplete = yield* flow({
      triggers: [{ type: "added_to_static_list" }, { type: "date_based" }],
      steps: [
        send("a", yield* email("draft", false), "nowhere"),
        { type: "condition_check", step_id: "b", true_step_id: "b" },
        { type: "wait", step_id: "c" },
      ],
    })
    const refused = yield* activate(incomplete)
    const before = yield* get(at(incomplete, "/readiness"))
    assert.deepStrictEqual(before.missing, refused.json.details.missing)
    assert.deepStrictEqual([before.ready, before.paid_plan_required], [false, false])
    assert.deepStrictEqual(
      before.warnings.map(({ code: warning, path }: Json) => `${warning} ${path}`),
      ["unreachable_step steps.1", "unreachable_step steps.2"],
    )
    assert.deepStrictEqual(code(refused), [400, "campaign_flow_not_ready"])
    assert.sameMembers(missing(refused), [
      "trigger_incomplete triggers.0.list_id",
      "trigger_incomplete triggers.1.field",
      "trigger_incomplete triggers.1.mode",
      "email_approval steps.0.email_id",
      "edge_target steps.0.next_step_id",
      "step_incomplete steps.1.condition",
      "step_incomplete steps.2.duration_amount",
      "step_incomplete steps.2.duration_unit",
      "cycle_without_wait steps.1",
    ])
    const { template_id } = yield* post("/v1/email-templates", { name: "t", html: "<p>{{api.price}}</p>" })
    yield* post(`/v1/email-templates/${template_id}/approve`)
    const made = { type: "create_email", step_id: "m", template_id, auto_approve: false }
    const tokens = yield* activate(yield* flow({ steps: [made] }))
    assert.deepStrictEqual(code(tokens), [400, "template_api_tokens"])
    const own = { ...send("a", null), email_source: "flow_step", create_email_step_id: "m" }
    const order = yield* activate(yield* flow({ steps: [own] }))
    assert.deepStrictEqual(code(order), [400, "create_email_step_order"])

    const deletedList = yield* list("deleted")
    const deleted = yield* flow({
      triggers: [{ type: "added_to_static_list", list_id: deletedList }],
      steps: [days("a", 1)],
    })
    yield* call("DELETE", `/v1/contact-lists/${deletedList}`)
    assert.deepStrictEqual(missing(yield* activate(deleted)), ["list_deleted triggers.0.list_id"])

    const free = yield* flow({ steps: [days("a", 1)] })
    const fit = { ready: true, missing: [], warnings: [], paid_plan_required: false }
    assert.deepStrictEqual(yield* get(at(free, "/readiness")), fit)
    yield* Effect.orDie(Context.get(context, Workspaces).update(workspace, { plan: "free" }))
    assert.deepStrictEqual(code(yield* activate(free)), [403, "paid_plan_required"])
    assert.deepStrictEqual(yield* get(at(free, "/readiness")), { ...fit, ready: false, paid_plan_required: true })
  }).pipe(Effect.scoped),
)

it.live("activate, pause and archive are idempotent, and the status determines what can change", () =>
  Effect.gen(function* () {
    const { call, flow, at, list } = yield* flowWorld
    const draft = yield* flow({ steps: [days("a", 1)] })
    const move = (verb: string) => call("POST", at(draft, `/${verb}`))
    const patch = (json: object) => Effect.map(call("PATCH", at(draft), { json }), code)
    const list_id = yield* list("l")
    assert.deepStrictEqual(code(yield* move("pause")), [409, "invalid_state"])
    const active = yield* move("activate")
    assert.strictEqual(active.json.status, "active")
    assert.deepStrictEqual((yield* move("activate")).json, active.json)
    assert.deepStrictEqual(code(yield* move("archive")), [409, "invalid_state"])
    const refused = yield* call("DELETE", at(draft))
    assert.deepStrictEqual([code(refused), refused.json.details.status], [[409, "invalid_state"], "active"])
    for (const fixed of [
      { steps: [] },
      { triggers: [{ type: "contact_created" }] },
      { reentry_policy: "no_reentry" },
    ]) {
      assert.deepStrictEqual(yield* patch(fixed), [409, "invalid_state"])
    }
    for (const free of [{ name: "n" }, { settings: { a: 1 } }, { disqualification_rules: onList(list_id) }]) {
      assert.deepStrictEqual(yield* patch(free), [200, undefined])
    }
    const inUse = yield* call("DELETE", `/v1/contact-lists/${list_id}`)
    assert.deepStrictEqual(code(inUse), [409, "contact_list_in_use"])
    assert.deepStrictEqual(inUse.json.used_by, [{ type: "flow", id: draft.flow_id, name: "n" }])
    assert.strictEqual((yield* move("pause")).json.status, "paused")
    assert.deepStrictEqual(yield* patch({ steps: [days("a", 1), days("b", 2)] }), [200, undefined])
    assert.strictEqual((yield* call("DELETE", `/v1/contact-lists/${list_id}`)).status, 204)
    assert.deepStrictEqual(missing(yield* move("activate")), [
      "list_deleted disqualification_rules.conditions.0.listId",
    ])
    const archived = yield* move("archive")
    assert.strictEqual(archived.json.status, "archived")
    assert.deepStrictEqual((yield* move("archive")).json, archived.json)
    assert.deepStrictEqual(code(yield* move("activate")), [409, "invalid_state"])
    assert.deepStrictEqual(yield* patch({ disqualification_rules: null }), [409, "invalid_state"])
    assert.strictEqual((yield* call("DELETE", at(draft))).status, 200)
  }).pipe(Effect.scoped),
)

it.live("emails and templates of an active flow can't be deleted or unapproved", () =>
  Effect.gen(function* () {
    const { call, flow, at, email, post } = yield* flowWorld
    const email_id = yield* email("Hello")
    const { template_id } = yield* post("/v1/email-templates", { name: "t", html: "<p>t</p>" })
    yield* post(`/v1/email-templates/${template_id}/approve`)
    const made = { type: "create_email", step_id: "m", template_id, auto_approve: false }
    const active = yield* flow({ steps: [send("a", email_id, "m"), made] })
    yield* post(at(active, "/activate"))
    const used_by = [{ type: "flow", id: active.flow_id, name: "Welcome" }]
    for (const [method, path] of [
      ["DELETE", `/v1/emails/${email_id}`],
      ["POST", `/v1/emails/${email_id}/unapprove`],
    ] as const) {
      const refused = yield* call(method, path)
      assert.deepStrictEqual([code(refused), refused.json.used_by], [[409, "email_in_use"], used_by])
    }
    const template = `/v1/email-templates/${template_id}`
    assert.deepStrictEqual(code(yield* call("DELETE", template)), [409, "email_in_use"])
    assert.deepStrictEqual(code(yield* call("POST", `${template}/unapprove`)), [409, "email_in_use"])
    yield* post(at(active, "/pause"))
    assert.strictEqual((yield* call("POST", `/v1/emails/${email_id}/unapprove`)).status, 200)
    assert.strictEqual((yield* call("DELETE", template)).status, 204)
    assert.deepStrictEqual(missing(yield* call("POST", at(active, "/activate"))), [
      "email_approval steps.0.email_id",
      "template_approval steps.1.template_id",
    ])
  }).pipe(Effect.scoped),
)

it.live("members are re-evaluated only when the structure, the rules or the status change", () =>
  Effect.gen(function* () {
    const { call, context, workspace, flow, at, list, post } = yield* flowWorld
    const draft = yield* flow({ steps: [days("a", 1)] })
    const list_id = yield* list("l")
    const patch = (json: object) => call("PATCH", at(draft), { json })
    yield* post(at(draft, "/activate"))
    yield* patch({ name: "n", settings: { a: 1 }, manual_membership_enabled: false })
    yield* patch({ disqualification_rules: onList(list_id) })
    yield* post(at(draft, "/pause"))
    yield* patch({ steps: [days("a", 1), days("b", 2)] })
    yield* patch({ triggers: [{ type: "contact_created" }] })
    yield* post(at(draft, "/archive"))
    const done = yield* Deferred.make<void>()
    const last = { type: "tent_generation", workspaceId: workspace, tentId: TentId.make(unknownId) } as const
    yield* Context.get(context, Transactor).transact(Context.get(context, Jobs).enqueue(last, { id: "last" }))
    const seen: Array<string> = []
    const working = Context.get(context, JobQueue).work({
      concurrency: 1,
      handle: (job) =>
        job.type === "flow_review"
          ? Effect.sync(() => seen.push(`${job.members} ${job.flowId === draft.flow_id}`))
          : Effect.asVoid(Deferred.succeed(done, undefined)),
    })
    yield* Effect.raceFirst(working, Deferred.await(done))
    assert.deepStrictEqual([...seen].sort(), ["live true", "live true", "live true", "waiting true"])
  }).pipe(Effect.scoped),
)
