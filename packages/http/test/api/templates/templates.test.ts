// Tests of the template endpoints.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { both, codeOf, emails, served, tents } from "../../fixtures/TemplatesWorld.ts"
import { type Json, paths, unknownId } from "../../fixtures/World.ts"

it.live("an email template can be created, read, updated, listed and deleted", () =>
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
      generated_by: null,
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
    const deleted = yield* call("DELETE", at)
    assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
    assert.strictEqual((yield* call("GET", at)).status, 404)
  }).pipe(Effect.scoped),
)

it.live("a tent template has a name and HTML but no sender fields", () =>
  Effect.gen(function* () {
    const { call, make } = yield* served
    const { status, json } = yield* make(tents)
    assert.strictEqual(status, 201)
    assert.deepStrictEqual(json, {
      template_id: json.template_id,
      generated_by: null,
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
      assert.deepStrictEqual([...codeOf(refused), ...paths(refused)], [400, "validation_failed", key])
    }
    assert.strictEqual((yield* call("GET", `${tents}/${json.template_id}/plain-text`)).status, 404)
    assert.strictEqual((yield* call("DELETE", `${tents}/${json.template_id}`)).status, 204)
  }).pipe(Effect.scoped),
)

it.live("without content, a template is a scaffold that can be approved", () =>
  Effect.gen(function* () {
    const { call, post } = yield* served
    for (const root of both) {
      const made = yield* post(root, { name: "bare" })
      assert.deepStrictEqual([made.status, made.json.current_version, made.json.source_type], [201, 1, "upload"])
      assert.match((yield* call("GET", made.json.content_path)).text, /^<!doctype html>[^]*<\/html>\n$/)
      assert.deepInclude((yield* post(`${root}/${made.json.template_id}/approve`)).json, {
        status: "approved",
        approved_version: 1,
      })
    }
  }).pipe(Effect.scoped),
)

it.live("an invalid body reports all issues and changes nothing", () =>
  Effect.gen(function* () {
    const { call, post, make } = yield* served
    const bad = yield* post(emails, {
      default_subject: "s".repeat(999),
      default_preview_text: "p".repeat(201),
      default_from_name: "a\nb",
      default_from_address: "unknownId",
      html: 5,
      status: "approved",
      colour: "red",
    })
    assert.strictEqual(bad.status, 400)
    const reported = new Set(paths(bad))
    for (const path of ["name", "default_subject", "default_preview_text", "default_from_name", "default_from_address"])
      assert.isTrue(reported.has(path), path)
    for (const path of ["html", "status", "colour"]) assert.isTrue(reported.has(path), path)
    for (const root of both) {
      const source = root === emails ? "email_id" : "tent_id"
      for (const [over, path] of [
        [{ name: " " }, "name"],
        [{ name: "n".repeat(201) }, "name"],
        [{ html: "" }, "html"],
        [{ html: " \n" }, "html"],
        [{ prompt: "x" }, "prompt"],
        [{ [source]: unknownId }, source],
        [{ [source]: "nope" }, source],
        [{ html: undefined, prompt: "" }, "prompt"],
        [{ html: undefined, prompt: "p".repeat(10_001) }, "prompt"],
        [{ html: undefined, prompt: "x", [source]: unknownId }, "prompt"],
        [{ template_id: unknownId }, "template_id"],
        [{ created_at: "2026-01-01T00:00:00.000Z" }, "created_at"],
      ] as const) {
        const refused = yield* make(root, over)
        assert.deepStrictEqual(codeOf(refused), [400, "validation_failed"], `${root} ${path}`)
        assert.include(paths(refused), path)
      }
      const unknown = yield* make(root, { html: undefined, [source]: unknownId })
      assert.deepStrictEqual([...codeOf(unknown), ...paths(unknown)], [404, "not_found", source])
      const tooLarge = yield* make(root, { html: `<p>${"x".repeat(2 * 1024 * 1024)}</p>` })
      assert.deepStrictEqual(codeOf(tooLarge), [413, "payload_too_large"])
      assert.deepStrictEqual((yield* call("GET", root)).json, { templates: [], next_cursor: null })
    }
    const endless = yield* make(tents, { html: "<div>".repeat(5_000) })
    assert.deepStrictEqual([...codeOf(endless), ...paths(endless)], [400, "validation_failed", "html"])
    assert.strictEqual((yield* make(emails, { name: "n".repeat(200) })).status, 201)
  }).pipe(Effect.scoped),
)

it.live("creates an email template from an email, and a tent template from a tent", () =>
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

it.live("creates a tent from an approved tent template, and refuses other templates", () =>
  Effect.gen(function* () {
    const { call, post, make, generatedTent } = yield* served
    const html = `<!doctype html><html><head><title>old</title></head><body><h1>Old</h1><p class="kept">shape</p></body></html>`
    const { template_id } = (yield* make(tents, { html })).json
    const create = (id: string) =>
      post("/v1/tents", { name: "t", prompt: "Create a landing page for chairs", template_id: id })
    const draft = yield* create(template_id)
    assert.deepStrictEqual([...codeOf(draft), ...paths(draft)], [400, "template_not_approved", "template_id"])
    const email = (yield* make(emails)).json.template_id
    for (const id of [unknownId, email]) {
      const unknown = yield* create(id)
      assert.deepStrictEqual([...codeOf(unknown), ...paths(unknown)], [404, "not_found", "template_id"])
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

it.live("templates are paged by cursor, and invalid parameters are refused", () =>
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

it.live("the OpenAPI document lists all template operations, with both responses of create", () =>
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
      "get /{templateId}/content.json",
      "put /{templateId}/content",
      "get /{templateId}/versions",
      "post /{templateId}/generations",
      "get /{templateId}/generations",
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
