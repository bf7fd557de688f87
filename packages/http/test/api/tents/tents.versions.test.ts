// Tests of changing a page: from the upload over versions and revisions to what visitors see.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { GenerationId, TentId } from "@tentpole/core/kernel/Ids"
import { AuditLog } from "@tentpole/core/kernel/changes/AuditLog"
import { TentVersions } from "@tentpole/core/tents/TentVersions"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { tagged } from "@tentpole/core/contract"
import { assert, it } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import { type Parts, servedBy } from "../../fixtures/PagesWorld.ts"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { paths, servingOver, unknownId, world } from "../../fixtures/World.ts"

const pageOf = (heading: string) =>
  `<!doctype html><html lang="en"><head><title>T</title></head><body><h1>${heading}</h1></body></html>`

const begin = Effect.fnUntraced(function* <E>(over: Layer.Layer<Parts, E>) {
  const { call, context } = yield* servingOver(over, Api, handlers)
  const workspaces = Context.get(context, WorkspaceStore)
  const workspace = (yield* workspaces.findFirst)?.id ?? assert.fail("there is no workspace")
  const { visit } = yield* servedBy(context, workspace)
  const post = (path: string, json: object = {}) => call("POST", path, { json })
  const upload = Effect.fnUntraced(function* (heading: string, more: object = {}) {
    const { json, status } = yield* post("/v1/tents", { name: "n", html: pageOf(heading), ...more })
    return { status, json, at: `/v1/tents/${json.id}` }
  })
  const put = (at: string, html: string) => call("PUT", `${at}/content`, { json: { html } })
  const get = (path: string) => call("GET", path)
  const numbers = Effect.fnUntraced(function* (at: string) {
    const { json } = yield* get(at)
    return [json.current_version, json.live_version]
  })
  const revised = Effect.fnUntraced(function* (at: string, instruction: string) {
    const accepted = yield* post(`${at}/revise`, { instruction })
    const { tent_id, generation_id } = accepted.json
    yield* Context.get(context, TentVersions).runGeneration(
      workspace,
      TentId.make(tent_id),
      GenerationId.make(generation_id),
    )
    return { accepted, path: `${at}/generations/${generation_id}` }
  })
  const credits = Effect.map(workspaces.get(workspace), (found) => found.credits)
  return { call, context, workspace, visit, post, upload, put, get, numbers, revised, credits }
})

for (const [name, over] of [
  ["memory", world],
  ["postgres", postgresWorld],
] as const) {
  it.live(`${name}: an uploaded page is changed, published, restored, renamed and revised`, () =>
    Effect.gen(function* () {
      const { call, visit, post, upload, put, get, numbers, revised, credits } = yield* begin(over)
      const before = yield* credits
      const { at, json: created, status } = yield* upload("One", { auto_publish: true, custom_page_alias: "sale" })
      assert.deepStrictEqual([status, created.status, created.prompt], [201, "completed", null])
      const url: string = created.publication.published_url
      const seen = Effect.map(visit(url), ({ text }) => /<h1>(.*?)<\/h1>/.exec(text)?.[1])
      assert.strictEqual(yield* seen, "One")

      const set = yield* put(at, pageOf("Two"))
      assert.deepStrictEqual([set.status, set.json.current_version, set.json.live_version], [200, 2, 1])
      assert.strictEqual(yield* seen, "One")
      const published = (yield* post(`${at}/publish`)).json
      assert.deepStrictEqual([published.current_version, published.live_version], [2, 2])
      assert.strictEqual(published.publication.published_url, url)
      assert.strictEqual(yield* seen, "Two")

      const restored = yield* post(`${at}/versions/1/restore`)
      assert.deepStrictEqual([restored.status, restored.json.current_version], [200, 3])
      assert.strictEqual((yield* post(`${at}/versions/3/restore`)).json.current_version, 3)
      assert.include((yield* get(`${at}/content`)).text, "<h1>One</h1>")
      assert.include((yield* get(`${at}/content?version=2`)).text, "<h1>Two</h1>")
      assert.strictEqual(yield* seen, "Two")

      const renamed = yield* call("PATCH", at, { json: { name: "Spring" } })
      assert.deepStrictEqual([renamed.status, renamed.json.name], [200, "Spring"])
      assert.strictEqual(yield* credits, before)

      const { accepted, path } = yield* revised(at, "Mention garden chairs")
      assert.deepStrictEqual([accepted.status, accepted.json.status], [202, "generating"])
      const done = (yield* get(path)).json
      assert.deepStrictEqual([done.status, done.version, done.prompt], ["completed", 4, "Mention garden chairs"])
      const { text } = yield* get(`${at}/content`)
      assert.include(text, "Garden chairs.")
      assert.notInclude(text, "Mention")
      assert.deepStrictEqual(yield* numbers(at), [4, 2])
      assert.strictEqual(yield* credits, before - 1)

      const { json } = yield* get(`${at}/versions?limit=2`)
      const rest = (yield* get(`${at}/versions?cursor=${json.next_cursor}`)).json
      const shown = [...json.versions, ...rest.versions].map(
        (each: { version: number; made_by: string; approved: boolean }) => [each.version, each.made_by, each.approved],
      )
      assert.deepStrictEqual(shown, [
        [4, "generation", false],
        [3, "upload", false],
        [2, "upload", true],
        [1, "upload", false],
      ])
      const keys = ["approved", "by_name", "bytes", "created_at", "made_by", "version"]
      assert.deepStrictEqual(Object.keys(json.versions[0]).sort(), keys)
    }),
  )
}

it.live("every change of a page is audited with its actor", () =>
  Effect.gen(function* () {
    const { call, context, workspace, upload, put, post, revised } = yield* begin(postgresWorld)
    const { at } = yield* upload("One", { auto_publish: true })
    yield* put(at, pageOf("Two"))
    yield* call("PATCH", at, { json: { name: "Spring" } })
    yield* post(`${at}/versions/1/restore`)
    yield* revised(at, "Make it blue")
    const { items } = yield* Context.get(context, AuditLog).list({ workspaceId: workspace, after: null, limit: 50 })
    const ofTents = items.filter(({ action }) => action.startsWith("tent."))
    const kinds = ofTents.map(({ action, actor, details }) => [action, actor.replace(/:.*/, ""), details["version"]])
    assert.sameDeepMembers(kinds, [
      ["tent.created", "key", undefined],
      ["tent.published", "key", undefined],
      ["tent.updated", "key", 2],
      ["tent.updated", "key", 2],
      ["tent.updated", "key", 3],
      ["tent.updated", "key", 3],
      ["tent.updated", "worker", 4],
    ])
  }),
)

it.live("create takes exactly one of prompt and html, and with html nothing that only the AI uses", () =>
  Effect.gen(function* () {
    const { post, upload } = yield* begin(world)
    assert.deepStrictEqual([...paths(yield* post("/v1/tents", { name: "n" }))], ["prompt"])
    for (const over of [
      { prompt: "a page" },
      { template_id: unknownId },
      { include_brand: true },
      { tent_id: unknownId, asset_ids: [unknownId] },
    ]) {
      const { json, status } = yield* upload("One", over)
      assert.deepStrictEqual([status, json.error_code], [400, "validation_failed"])
    }
    assert.deepStrictEqual([...paths(yield* post("/v1/tents", { name: "n", html: " " }))], ["html"])
    const { at, status } = yield* upload("One")
    assert.strictEqual(status, 201)
    assert.strictEqual((yield* post(`${at}/publish`)).json.live_version, 1)
  }),
)

const sanitizing = tagged(it.live, "attack/html-sandbox")
sanitizing("uploaded and set pages are cleaned as the AI's pages are", () =>
  Effect.gen(function* () {
    const { upload, put, get } = yield* begin(world)
    const hostile = '<h1 onclick="x()">One</h1><script>x()</script><form action="https://example.com"></form>'
    const { at } = yield* upload(hostile)
    yield* put(at, hostile)
    for (const version of [1, 2]) {
      const { text } = yield* get(`${at}/content?version=${version}`)
      assert.notMatch(text, /onclick|<script|example\.com/)
      assert.match(text, /^<!doctype html>/i)
    }
    const large = yield* put(at, "x".repeat(3 * 2 ** 20))
    assert.deepStrictEqual([large.status, large.json.error_code], [413, "payload_too_large"])
    assert.strictEqual((yield* put(at, "")).status, 400)
  }),
)

it.live("a page can't be changed while its generation runs, nor revised before it exists", () =>
  Effect.gen(function* () {
    const { call, post, put } = yield* begin(world)
    const { json } = yield* post("/v1/tents", { name: "n", prompt: "Create a landing page for chairs" })
    const at = `/v1/tents/${json.id}`
    assert.deepStrictEqual((yield* put(at, "<p>x</p>")).json.error_code, "generation_in_progress")
    assert.deepStrictEqual((yield* post(`${at}/revise`, { instruction: "blue" })).json.error_code, "tent_not_ready")
    assert.strictEqual((yield* call("GET", at)).json.prompt, "Create a landing page for chairs")
    assert.strictEqual((yield* post(`${at}/versions/1/restore`)).status, 404)
    assert.strictEqual((yield* call("GET", `${at}/content?version=1`)).status, 404)
  }),
)

it.live("a revision runs alone, reports an invalid instruction at its path, and needs a credit", () =>
  Effect.gen(function* () {
    const { call, post, upload, context, workspace } = yield* begin(world)
    const { at } = yield* upload("One")
    assert.deepStrictEqual([...paths(yield* post(`${at}/revise`, { instruction: " " }))], ["instruction"])
    const first = yield* post(`${at}/revise`, { instruction: "blue" })
    const polled = yield* call("GET", `${at}/generations/${first.json.generation_id}`)
    assert.deepStrictEqual([polled.json.status, polled.headers.get("retry-after")], ["generating", "10"])
    const shown = yield* call("GET", at)
    assert.deepStrictEqual([shown.json.status, shown.json.revision_status], ["completed", "generating"])
    assert.strictEqual(shown.headers.get("retry-after"), "10")
    const second = yield* post(`${at}/revise`, { instruction: "red" })
    assert.deepStrictEqual([second.status, second.json.error_code], [409, "generation_in_progress"])
    const versions = Context.get(context, TentVersions)
    const id = GenerationId.make(first.json.generation_id)
    yield* versions.abandonGeneration(workspace, TentId.make(first.json.tent_id), id)
    yield* versions.runGeneration(workspace, TentId.make(first.json.tent_id), id)
    const failed = yield* call("GET", at)
    assert.deepStrictEqual([failed.json.revision_status, failed.json.current_version], ["failed", 1])
  }),
)
