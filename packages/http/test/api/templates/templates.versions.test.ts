// Tests of versions, generations and approvals of templates.
import { assert, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect } from "effect"
import { both, codeOf, emails, served } from "../../fixtures/TemplatesWorld.ts"

const pageScriptTest = tagged(it.live, "attack/page-script", "attack/html-sandbox")
pageScriptTest("the HTML of each version is returned byte for byte, sandboxed and without active content", () =>
  Effect.gen(function* () {
    const { call, make } = yield* served
    for (const root of both) {
      const html = "<P Class=x>é ☃</P>\r\n\t<!-- c --><br/>"
      const { json } = yield* make(root, { html })
      const at = `${root}/${json.template_id}/content`
      const put = yield* call("PUT", at, { json: { html: `<p onclick="x()">two</p><script>x()</script>` } })
      assert.deepStrictEqual([put.status, put.json.current_version, put.json.number_of_iterations], [200, 2, 2])
      const read = yield* call("GET", `${at}?version=1`)
      assert.deepStrictEqual([read.status, read.text], [200, html])
      assert.strictEqual(read.headers.get("content-type"), "text/html; charset=utf-8")
      assert.strictEqual(read.headers.get("content-security-policy"), "sandbox")
      assert.strictEqual(read.headers.get("x-content-type-options"), "nosniff")
      const cleaned = (yield* call("GET", at)).text
      assert.include(cleaned, "two")
      assert.notMatch(cleaned, /script|onclick/)
      assert.strictEqual((yield* call("GET", `${at}?version=3`)).status, 404)
      for (const body of [{}, { html: 4 }, { html: "<p>", x: 1 }, { html: "" }]) {
        assert.strictEqual((yield* call("PUT", at, { json: body })).status, 400)
      }
      assert.strictEqual((yield* call("GET", `${root}/${json.template_id}`)).json.current_version, 2)
    }
  }).pipe(Effect.scoped),
)

it.live("the plain text is derived from the HTML unless it is overridden", () =>
  Effect.gen(function* () {
    const { call, make } = yield* served
    const { json } = yield* make(emails, { html: "<p>Big &amp; bold</p>" })
    const text = () => Effect.map(call("GET", json.plain_text_path), (read) => read.text)
    assert.strictEqual(yield* text(), "Big & bold")
    const set = yield* call("PUT", json.plain_text_path, { json: { text: "mine\né" } })
    assert.deepInclude(set.json, { plain_text_overridden: true, current_version: 1 })
    const read = yield* call("GET", json.plain_text_path)
    assert.deepStrictEqual([read.text, read.headers.get("content-type")], ["mine\né", "text/plain; charset=utf-8"])
    const later = yield* call("PUT", json.content_path, { json: { html: "<p>new</p>" } })
    assert.isTrue(later.json.plain_text_stale_after_html_iteration)
    assert.strictEqual(yield* text(), "mine\né")
    const back = yield* call("DELETE", json.plain_text_path)
    assert.deepStrictEqual([back.status, back.json.plain_text_overridden, yield* text()], [200, false, "new"])
  }).pipe(Effect.scoped),
)

it.live("a prompt returns 202 and a generation that creates the version", () =>
  Effect.gen(function* () {
    const { call, post, written } = yield* served
    for (const root of both) {
      const prompt = "A landing page for a bakery"
      const { status, json } = yield* post(root, { name: "t", prompt })
      assert.strictEqual(status, 202)
      assert.deepInclude(json, {
        current_version: 0,
        number_of_iterations: 0,
        status: "draft",
        source_type: "upload",
        latest_generation_status: "generating",
      })
      const at = `${root}/${json.template_id}`
      const generation = `${at}/generations/${json.generation_id}`
      const polled = yield* call("GET", generation)
      assert.strictEqual(polled.headers.get("retry-after"), "10")
      assert.deepStrictEqual(polled.json, {
        generation_id: json.generation_id,
        template_id: json.template_id,
        status: "generating",
        prompt,
        version: null,
        error: null,
        created_at: json.created_at,
        completed_at: null,
        created_by_name: "first key",
      })
      for (const sent of [{}, { version: 1 }])
        assert.deepStrictEqual(codeOf(yield* post(`${at}/approve`, sent)), [409, "template_not_ready"])
      assert.deepStrictEqual(codeOf(yield* post(`${at}/duplicate`)), [409, "template_not_ready"])
      assert.strictEqual((yield* call("GET", `${at}/content`)).status, 404)
      yield* written(root, json)
      const done = yield* call("GET", generation)
      assert.deepInclude(done.json, { status: "completed", version: 1, error: null })
      assert.isString(done.json.completed_at)
      assert.isNull(done.headers.get("retry-after"))
      assert.match((yield* call("GET", `${at}/content`)).text, /<html/)
      const read = (yield* call("GET", at)).json
      assert.deepInclude(read, { current_version: 1, latest_generation_status: "completed" })
      assert.notProperty(read, "generation_id")
    }
  }).pipe(Effect.scoped),
)

it.live("one generation runs at a time; meanwhile only email templates need the version for approve", () =>
  Effect.gen(function* () {
    const { post, make, written } = yield* served
    for (const root of both) {
      const { json } = yield* make(root)
      const at = `${root}/${json.template_id}`
      const begun = yield* post(`${at}/generations`, { prompt: "Make it bolder" })
      assert.deepStrictEqual(
        [begun.status, begun.json.status, begun.json.template_id],
        [202, "generating", json.template_id],
      )
      const second = yield* post(`${at}/generations`, { prompt: "And bolder" })
      assert.deepStrictEqual(codeOf(second), [409, "generation_in_progress"])
      const unnamed = yield* post(`${at}/approve`)
      assert.deepStrictEqual(
        root === emails ? codeOf(unnamed) : [unnamed.status, unnamed.json.approved_version],
        root === emails ? [409, "generation_in_progress"] : [200, 1],
      )
      const pinned = yield* post(`${at}/approve`, { version: 1 })
      assert.deepInclude(pinned.json, { approved_version: 1, latest_generation_status: "generating" })
      yield* written(root, begun.json)
      const stale = yield* post(`${at}/approve`, { version: 1 })
      assert.deepStrictEqual(codeOf(stale), [409, "approval_version_stale"])
      assert.deepInclude((yield* post(`${at}/approve`, { version: 2 })).json, { approved_version: 2 })
    }
  }).pipe(Effect.scoped),
)

it.live("the approved version is frozen until the next approval, and can be unapproved", () =>
  Effect.gen(function* () {
    const { call, post, make } = yield* served
    for (const root of both) {
      const { json } = yield* make(root)
      const at = `${root}/${json.template_id}`
      for (const version of [0, -1, 1.5, "1", null]) {
        assert.strictEqual((yield* post(`${at}/approve`, { version })).status, 400)
      }
      // The body may be omitted.
      assert.deepInclude((yield* call("POST", `${at}/approve`)).json, { status: "approved", approved_version: 1 })
      const edited = yield* call("PUT", `${at}/content`, { json: { html: "<p>two</p>" } })
      assert.deepInclude(edited.json, { status: "approved", approved_version: 1, current_version: 2 })
      assert.strictEqual((yield* call("GET", `${root}?status=approved`)).json.templates.length, 1)
      const back = yield* post(`${at}/unapprove`)
      assert.deepInclude(back.json, { status: "draft", approved_version: null, current_version: 2 })
      const again = yield* post(`${at}/unapprove`)
      assert.deepStrictEqual([...codeOf(again), again.json.details.status], [409, "invalid_state", "draft"])
      const copy = yield* post(`${at}/duplicate`)
      assert.strictEqual(copy.status, 201)
      assert.deepInclude(copy.json, { name: "A template (copy)", status: "draft", current_version: 1 })
      assert.strictEqual((yield* call("GET", copy.json.content_path)).text, "<p>two</p>")
    }
  }).pipe(Effect.scoped),
)
