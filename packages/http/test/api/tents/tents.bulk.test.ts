// Tests of the bulk creation of tents.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { TentId } from "@tentpole/core/kernel/Ids"
import { Tents } from "@tentpole/core/tents/Tents"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Json, paths, serving, unknownId } from "../../fixtures/World.ts"

const served = Effect.gen(function* () {
  const { call, context } = yield* serving(Api, handlers)
  const workspace = yield* Context.get(context, WorkspaceStore).findFirst
  const of = workspace?.id ?? assert.fail("the first workspace is there")
  const post = (path: string, json: Json = {}) => call("POST", path, { json })
  const template = Effect.fnUntraced(function* (approve = true, html = "<h1>T</h1>") {
    const { json } = yield* post("/v1/tent-templates", { name: "t", html })
    if (approve) yield* post(`/v1/tent-templates/${json.template_id}/approve`)
    return json.template_id
  })
  const template_id = yield* template()
  const bulk = (over: Json = {}) => post("/v1/tents/bulk", { template_id, items: [{ instructions: "x" }], ...over })
  const generate = (id: string) => Context.get(context, Tents).runGeneration(of, TentId.make(id))
  const follow = (id: string) => call("GET", `/v1/bulk-jobs/${id}`)
  return { call, post, template, template_id, bulk, generate, follow }
})

it.live("jobs are listed newest first, with counts in place of items", () =>
  Effect.gen(function* () {
    const { bulk, call, follow, generate } = yield* served
    const first = yield* bulk({ items: [{ instructions: "x" }, {}], metadata: { run: 1 } })
    yield* bulk({ items: [{ instructions: "y" }] })
    yield* generate(first.json.items[0].tent_id)
    const one = yield* call("GET", "/v1/bulk-jobs?limit=1")
    const two = yield* call("GET", `/v1/bulk-jobs?limit=1&cursor=${one.json.next_cursor}`)
    assert.deepInclude(one.json.bulk_jobs[0], { status: "accepted", accepted_count: 1, rejected_count: 0 })
    const { items: _, ...job } = (yield* follow(first.json.bulk_job_id)).json
    assert.deepStrictEqual(two.json.bulk_jobs, [job])
    assert.deepInclude(job, { status: "completed", completed_count: 1, rejected_count: 1, metadata: { run: 1 } })
    assert.isNull(two.json.next_cursor)
    assert.strictEqual((yield* call("GET", "/v1/bulk-jobs?cursor=x")).json.error_code, "invalid_cursor")
  }),
)

it.live("the admission has a result for each item in order, and returns the metadata unchanged", () =>
  Effect.gen(function* () {
    const { bulk, template_id } = yield* served
    const metadata = { run: 7, tags: ["a"], deep: { x: null } }
    const items = [{ input_data: { city: "Ulm" }, client_item_id: "one" }, {}, { instructions: "blue", colour: 1 }, 5]
    const { status, json } = yield* bulk({ items, metadata, reasoning: "min", client_job_descriptor: "Cities" })
    assert.strictEqual(status, 202)
    const { bulk_job_id, created_at, items: results, ...rest } = json
    assert.match(bulk_job_id, /^[0-9a-f-]{36}$/)
    assert.match(created_at, /Z$/)
    assert.deepStrictEqual(rest, {
      status: "accepted",
      template_id,
      auto_publish: false,
      accepted_count: 1,
      rejected_count: 3,
      metadata,
    })
    const [{ tent_id, ...first }, ...others] = results
    assert.match(tent_id, /^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    assert.deepStrictEqual(first, {
      index: 0,
      client_item_id: "one",
      tent_name: "Cities (1)",
      custom_page_alias: null,
      status: "accepted",
    })
    for (const [place, item] of others.entries()) {
      assert.deepInclude(item, { index: place + 1, status: "rejected", error_code: "INVALID_ITEM", tent_id: null })
      assert.isString(item.message)
    }
  }),
)

it.live(
  "variables of a template are filled from input_data, and a tent without a value for one is refused by name",
  () =>
    Effect.gen(function* () {
      const { call, post, template, bulk, generate } = yield* served
      const template_id = yield* template(true, "<h1>Opening in {{api.city}}</h1><p>{{api.street|See the map}}</p>")
      const items = [{ input_data: { city: "Bern" }, instructions: "Write in French" }, { input_data: { town: "Ulm" } }]
      const { json } = yield* bulk({ template_id, items, auto_publish: true })
      assert.deepInclude(json.items[1], { status: "rejected", error_code: "INVALID_ITEM" })
      assert.include(json.items[1].message, "{{api.city}}")
      const tent = { name: "n", prompt: "Announce the opening", template_id }
      const refused = yield* post("/v1/tents", tent)
      assert.deepStrictEqual([refused.status, refused.json.error_code], [400, "validation_failed"])
      assert.strictEqual(refused.json.details.issues[0].path, "input_data.city")
      const single = yield* post("/v1/tents", { ...tent, input_data: { city: "Thun" } })
      assert.strictEqual(single.status, 202)
      for (const [id, city] of [
        [json.items[0].tent_id, "Bern"],
        [single.json.id, "Thun"],
      ]) {
        yield* generate(id)
        const shown = yield* call("GET", `/v1/tents/${id}`)
        assert.deepInclude(shown.json, { status: "completed", generated_by: "sample" })
        const page = (yield* call("GET", `/v1/tents/${id}/content`)).text
        for (const text of [city, "See the map"]) assert.include(page, text)
        for (const text of ["{{", "French"]) assert.notInclude(page, text)
      }
    }),
)

it.live("a job goes from accepted through running to completed, with the outcome of each item", () =>
  Effect.gen(function* () {
    const { call, bulk, generate, follow } = yield* served
    const items = ["sale", "sale", "gone"].map((custom_page_alias) => ({ instructions: "x", custom_page_alias }))
    const { json: admitted } = yield* bulk({ items: [...items, {}], auto_publish: true })
    assert.deepStrictEqual(
      admitted.items.map((item: Json) => item.custom_page_alias),
      ["sale", "sale-2", "gone", null],
    )
    const state = Effect.map(follow(admitted.bulk_job_id), ({ status, json, headers }) => [
      status,
      json.status,
      headers.get("retry-after"),
    ])
    assert.deepStrictEqual(yield* state, [200, "accepted", "10"])
    const [one, two, three] = admitted.items.map((item: Json) => item.tent_id)
    // The second item is completed before the first and is still listed second.
    yield* generate(two)
    assert.deepStrictEqual(yield* state, [200, "running", "10"])
    yield* generate(one)
    yield* call("DELETE", `/v1/tents/${three}`)
    assert.deepStrictEqual(yield* state, [200, "completed", null])
    const { json } = yield* follow(admitted.bulk_job_id)
    assert.deepStrictEqual([json.completed_count, json.failed_count, json.rejected_count], [2, 0, 1])
    assert.deepStrictEqual(
      json.items.map((item: Json) => [item.tent_status, item.publication?.applied_custom_page_alias]),
      [
        ["completed", "sale"],
        ["completed", "sale-2"],
        ["deleted", undefined],
        [undefined, undefined],
      ],
    )
    assert.deepStrictEqual(
      json.items[1].publication.warnings.map((warning: Json) => warning.code),
      ["alias_adjusted"],
    )
    assert.strictEqual("warnings" in json.items[0].publication, false)
  }),
)

it.live("a job without accepted items is completed at once", () =>
  Effect.gen(function* () {
    const { bulk, follow } = yield* served
    const { status, json } = yield* bulk({ items: [{}, { client_item_id: "x" }] })
    assert.deepStrictEqual([status, json.status, json.accepted_count, json.rejected_count], [202, "completed", 0, 2])
    const followed = yield* follow(json.bulk_job_id)
    assert.deepStrictEqual([followed.json.status, followed.headers.get("retry-after")], ["completed", null])
  }),
)

it.live("an invalid request is refused with all issues", () =>
  Effect.gen(function* () {
    const { bulk, template, follow } = yield* served
    const item = { instructions: "x" }
    for (const [over, path] of [
      [{ items: [] }, "items"],
      [{ items: Array(26).fill(item) }, "items"],
      [{ items: {} }, "items"],
      [{ template_id: "nope" }, "template_id"],
      [{ template_id: undefined }, "template_id"],
      [{ reasoning: "extreme" }, "reasoning"],
      [{ start_index: "1" }, "start_index"],
      [{ start_index: 1.5 }, "start_index"],
      [{ start_index: -1 }, "start_index"],
      [{ metadata: "x" }, "metadata"],
      [{ metadata: { x: "y".repeat(17_000) } }, "metadata"],
      [{ default_tent_name_prefix: "x".repeat(181) }, "default_tent_name_prefix"],
      [{ colour: "red" }, "colour"],
    ] as const) {
      const refused = yield* bulk(over)
      assert.deepStrictEqual([refused.status, refused.json.error_code], [400, "validation_failed"], path)
      assert.include(paths(refused), path)
    }
    assert.deepStrictEqual(paths(yield* bulk({ template_id: unknownId })), ["template_id"])
    const draft = yield* bulk({ template_id: yield* template(false) })
    assert.deepStrictEqual([draft.status, draft.json.error_code], [400, "template_not_approved"])
    assert.strictEqual((yield* follow(unknownId)).status, 404)
    assert.strictEqual((yield* follow("nope")).status, 400)
  }),
)
