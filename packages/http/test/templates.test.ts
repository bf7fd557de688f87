// Templates over the wire: shapes, codes and statuses, of email templates and of tent templates.
import { EmailTemplateId, GenerationId, TentId, TentTemplateId } from "@tentpole/core/Ids"
import { EmailTemplates } from "@tentpole/core/templates/EmailTemplates"
import { TentTemplates } from "@tentpole/core/templates/TentTemplates"
import { Tents } from "@tentpole/core/tents/Tents"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Json, serving } from "./World.ts"

const emails = "/v1/email-templates"
const tents = "/v1/tent-templates"
const both = [emails, tents] as const
const nobody = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"

const served = Effect.gen(function* () {
  const { call, context } = yield* serving(Api, handlers)
  const [workspace] = yield* Context.get(context, WorkspaceStore).all
  const id = workspace?.id ?? assert.fail("the first workspace is there")
  const post = (path: string, json: Json = {}) => call("POST", path, { json })
  const make = (root: string, over: Json = {}) => post(root, { name: "A template", html: "<p>one</p>", ...over })
  /** What a worker does. */
  const written = (root: string, { template_id, generation_id }: Json) => {
    const generation = GenerationId.make(generation_id)
    return root === emails
      ? Context.get(context, EmailTemplates).runGeneration(id, EmailTemplateId.make(template_id), generation)
      : Context.get(context, TentTemplates).runGeneration(id, TentTemplateId.make(template_id), generation)
  }
  const generatedTent = (tent: string) => Context.get(context, Tents).generate(id, TentId.make(tent))
  return { call, post, make, written, generatedTent }
})

const paths = (json: Json): ReadonlyArray<string> =>
  json.details.issues.map((issue: { readonly path: string }) => issue.path)
const codeOf = ({ status, json }: { readonly status: number; readonly json: Json }) => [status, json.error_code]

it.live("an email template is made, read, changed, listed and deleted", () =>
  Effect.gen(function* () {
    const { call, make } = yield* served
    const made = yield* make(emails, { default_subject: "S", default_preview_text: "P" })
    assert.strictEqual(made.status, 201)
    const { template_id, created_at } = made.json
    assert.deepStrictEqual(made.json, {
      template_id,
      name: "A template",
      status: "draft",
      current_version: 1,
      approved_version: null,
      number_of_iterations: 1,
      created_at,
      updated_at: created_at,
      created_by_name: "first key",
      latest_generation_status: "completed",
      content_path: `${emails}/${template_id}/content`,
      source_type: "upload",
      source_email_id: null,
      default_subject: "S",
      default_preview_text: "P",
      default_from_name: null,
      default_from_address: null,
      default_reply_to_email: null,
      plain_text_overridden: false,
      plain_text_overridden_at: null,
      plain_text_stale_after_html_iteration: false,
      plain_text_path: `${emails}/${template_id}/plain-text`,
    })
    const at = `${emails}/${template_id}`
    assert.deepStrictEqual((yield* call("GET", at)).json, made.json)
    const patched = yield* call("PATCH", at, { json: { name: "B", default_subject: null, default_from_name: "F" } })
    assert.deepInclude(patched.json, {
      name: "B",
      default_subject: null,
      default_preview_text: "P",
      default_from_name: "F",
      current_version: 1,
    })
    assert.deepStrictEqual((yield* call("PATCH", at, { json: {} })).json, patched.json)
    const listed = yield* call("GET", `${emails}?status=draft&search=b`)
    assert.deepStrictEqual(listed.json, { templates: [patched.json], next_cursor: null })
    const gone = yield* call("DELETE", at)
    assert.deepStrictEqual([gone.status, gone.text], [204, ""])
    assert.strictEqual((yield* call("GET", at)).status, 404)
  }).pipe(Effect.scoped),
)

it.live("a tent template has a name and HTML, and nothing of a sender", () =>
  Effect.gen(function* () {
    const { call, make } = yield* served
    const { status, json } = yield* make(tents)
    assert.strictEqual(status, 201)
    assert.deepStrictEqual(json, {
      template_id: json.template_id,
      name: "A template",
      status: "draft",
      current_version: 1,
      approved_version: null,
      number_of_iterations: 1,
      created_at: json.created_at,
      updated_at: json.created_at,
      created_by_name: "first key",
      latest_generation_status: "completed",
      content_path: `${tents}/${json.template_id}/content`,
      source_type: "upload",
      source_tent_id: null,
    })
    const renamed = yield* call("PATCH", `${tents}/${json.template_id}`, { json: { name: "B" } })
    assert.deepInclude(renamed.json, { name: "B", current_version: 1 })
    for (const key of ["subject", "default_subject", "from_name", "email_id", "plain_text"]) {
      const refused = yield* make(tents, { [key]: "x" })
      assert.deepStrictEqual([...codeOf(refused), ...paths(refused.json)], [400, "validation_failed", key])
    }
    assert.strictEqual((yield* call("GET", `${tents}/${json.template_id}/plain-text`)).status, 404)
    assert.strictEqual((yield* call("DELETE", `${tents}/${json.template_id}`)).status, 204)
  }).pipe(Effect.scoped),
)

it.live("with nothing but a name it is a branded scaffold that can be approved at once", () =>
  Effect.gen(function* () {
    const { call, post } = yield* served
    for (const root of both) {
      const made = yield* post(root, { name: "bare" })
      assert.deepStrictEqual([made.status, made.json.current_version, made.json.source_type], [201, 1, "upload"])
      assert.match((yield* call("GET", made.json.content_path)).text, /^<!doctype html>[^]*default[^]*<\/html>\n$/)
      assert.deepInclude((yield* post(`${root}/${made.json.template_id}/approve`)).json, {
        status: "approved",
        approved_version: 1,
      })
    }
  }).pipe(Effect.scoped),
)

it.live("everything that is wrong with a body is told, and nothing is changed", () =>
  Effect.gen(function* () {
    const { call, post, make } = yield* served
    const bad = yield* post(emails, {
      default_subject: "s".repeat(999),
      default_preview_text: "p".repeat(201),
      default_from_name: "a\nb",
      default_from_address: "nobody",
      html: 5,
      status: "approved",
      colour: "red",
    })
    assert.strictEqual(bad.status, 400)
    const told = new Set(paths(bad.json))
    for (const path of ["name", "default_subject", "default_preview_text", "default_from_name", "default_from_address"])
      assert.isTrue(told.has(path), path)
    for (const path of ["html", "status", "colour"]) assert.isTrue(told.has(path), path)
    for (const root of both) {
      const source = root === emails ? "email_id" : "tent_id"
      for (const [over, path] of [
        [{ name: " " }, "name"],
        [{ name: "n".repeat(201) }, "name"],
        [{ html: "" }, "html"],
        [{ html: " \n" }, "html"],
        [{ prompt: "x" }, "prompt"],
        [{ [source]: nobody }, source],
        [{ [source]: "nope" }, source],
        [{ html: undefined, prompt: "" }, "prompt"],
        [{ html: undefined, prompt: "p".repeat(10_001) }, "prompt"],
        [{ html: undefined, prompt: "x", [source]: nobody }, "prompt"],
        [{ template_id: nobody }, "template_id"],
        [{ created_at: "2026-01-01T00:00:00.000Z" }, "created_at"],
      ] as const) {
        const refused = yield* make(root, over)
        assert.deepStrictEqual(codeOf(refused), [400, "validation_failed"], `${root} ${path}`)
        assert.include(paths(refused.json), path)
      }
      const unknown = yield* make(root, { html: undefined, [source]: nobody })
      assert.deepStrictEqual([...codeOf(unknown), ...paths(unknown.json)], [404, "not_found", source])
      const tooLarge = yield* make(root, { html: `<p>${"x".repeat(2 * 1024 * 1024)}</p>` })
      assert.deepStrictEqual(codeOf(tooLarge), [413, "payload_too_large"])
      assert.deepStrictEqual((yield* call("GET", root)).json, { templates: [], next_cursor: null })
    }
    const endless = yield* make(tents, { html: "<div>".repeat(5_000) })
    assert.deepStrictEqual([...codeOf(endless), ...paths(endless.json)], [400, "validation_failed", "html"])
    assert.strictEqual((yield* make(emails, { name: "n".repeat(200) })).status, 201)
  }).pipe(Effect.scoped),
)

it.live("each version's HTML reads back byte for byte in a sandbox, and what could act is taken out", () =>
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

it.live("the plain text is made from the HTML until it is overridden, and again when that is taken back", () =>
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

it.live("a prompt is answered with 202 and a generation that is polled until its version is there", () =>
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

it.live(
  "one generation at a time; while it goes on an email template's approval wants the version, a tent template's not",
  () =>
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

it.live("an approval stays what it was until the next one, and is taken back", () =>
  Effect.gen(function* () {
    const { call, post, make } = yield* served
    for (const root of both) {
      const { json } = yield* make(root)
      const at = `${root}/${json.template_id}`
      for (const version of [0, -1, 1.5, "1", null]) {
        assert.strictEqual((yield* post(`${at}/approve`, { version })).status, 400)
      }
      // A body may be left out altogether.
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

it.live("an email template of an email, and a tent template of a tent", () =>
  Effect.gen(function* () {
    const { call, post, generatedTent } = yield* served
    const email = (yield* post("/v1/emails", { name: "e", subject: "S", html: "<p>of the email</p>" })).json
    const ofEmail = yield* post(emails, { name: "t", email_id: email.email_id, default_from_name: "Mine" })
    assert.strictEqual(ofEmail.status, 201)
    assert.deepInclude(ofEmail.json, {
      source_type: "email",
      source_email_id: email.email_id,
      default_subject: "S",
      default_from_name: "Mine",
      default_from_address: email.from_address,
    })
    assert.strictEqual((yield* call("GET", ofEmail.json.content_path)).text, "<p>of the email</p>")
    const tent = (yield* post("/v1/tents", { name: "t", prompt: "Create a landing page for chairs" })).json
    const early = yield* post(tents, { name: "t", tent_id: tent.id })
    assert.deepStrictEqual([...codeOf(early), early.json.details.status], [409, "tent_not_ready", "queued"])
    yield* generatedTent(tent.id)
    const ofTent = yield* post(tents, { name: "t", tent_id: tent.id })
    assert.deepInclude(ofTent.json, { source_type: "tent", source_tent_id: tent.id, current_version: 1 })
    const page = (yield* call("GET", `/v1/tents/${tent.id}/content`)).text
    assert.strictEqual((yield* call("GET", ofTent.json.content_path)).text, page)
  }).pipe(Effect.scoped),
)

it.live("a tent is made of an approved template, and is refused one that is a draft, unknown, or an email's", () =>
  Effect.gen(function* () {
    const { call, post, make, generatedTent } = yield* served
    const html = `<!doctype html><html><head><title>old</title></head><body><h1>Old</h1><p class="kept">shape</p></body></html>`
    const { template_id } = (yield* make(tents, { html })).json
    const create = (id: string) =>
      post("/v1/tents", { name: "t", prompt: "Create a landing page for chairs", template_id: id })
    const draft = yield* create(template_id)
    assert.deepStrictEqual([...codeOf(draft), ...paths(draft.json)], [400, "template_not_approved", "template_id"])
    const email = (yield* make(emails)).json.template_id
    for (const id of [nobody, email]) {
      const unknown = yield* create(id)
      assert.deepStrictEqual([...codeOf(unknown), ...paths(unknown.json)], [404, "not_found", "template_id"])
    }
    yield* post(`${tents}/${template_id}/approve`)
    const { status, json } = yield* create(template_id)
    assert.strictEqual(status, 202)
    yield* generatedTent(json.id)
    const page = (yield* call("GET", `/v1/tents/${json.id}/content`)).text
    assert.include(page, `<p class="kept">shape</p>`)
    assert.notInclude(page, "Old")
  }).pipe(Effect.scoped),
)

it.live("a listing is walked by cursors, and odd parameters are refused", () =>
  Effect.gen(function* () {
    const { call, make } = yield* served
    for (const root of both) {
      const made: Array<string> = []
      for (let at = 0; at < 5; at++) made.push((yield* make(root, { name: `Pager ${at}` })).json.template_id)
      const seen: Array<string> = []
      let cursor: string | null = ""
      while (cursor !== null) {
        const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
        const { json }: { readonly json: Json } = yield* call("GET", `${root}?limit=2${query}`)
        seen.push(...json.templates.map((each: { readonly template_id: string }) => each.template_id))
        cursor = json.next_cursor
      }
      assert.lengthOf(seen, 5)
      assert.sameMembers(seen, made)
      for (const query of ["limit=0", "limit=101", "status=bogus", "page=1", "limit=2&limit=3", "search="]) {
        const refused = yield* call("GET", `${root}?${query}`)
        assert.deepStrictEqual(codeOf(refused), [400, "validation_failed"], query)
      }
      assert.deepStrictEqual(codeOf(yield* call("GET", `${root}?cursor=%21broken`)), [400, "invalid_cursor"])
    }
  }).pipe(Effect.scoped),
)

it.live("the description has every call on templates, with both answers of a create", () =>
  Effect.gen(function* () {
    const { call } = yield* served
    const { json } = yield* call("GET", "/openapi.json")
    const calls = (root: string) =>
      Object.entries<Record<string, unknown>>(json.paths)
        .filter(([path]) => path === root || path.startsWith(`${root}/`))
        .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path.slice(root.length)}`))
    const shared = [
      "get ",
      "post ",
      "get /{templateId}",
      "patch /{templateId}",
      "delete /{templateId}",
      "post /{templateId}/duplicate",
      "get /{templateId}/content",
      "put /{templateId}/content",
      "post /{templateId}/generations",
      "get /{templateId}/generations/{generationId}",
      "post /{templateId}/approve",
      "post /{templateId}/unapprove",
    ]
    assert.sameMembers(calls(tents), shared)
    assert.sameMembers(calls(emails), [
      ...shared,
      "get /{templateId}/plain-text",
      "put /{templateId}/plain-text",
      "delete /{templateId}/plain-text",
    ])
    for (const root of both) assert.containsAllKeys(json.paths[root].post.responses, ["201", "202"])
  }).pipe(Effect.scoped),
)
