// Tests of the email endpoints with the memory adapter.
import { assert, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect } from "effect"
import { at, started } from "../../fixtures/EmailsWorld.ts"
import { type Call, type Json, paths, unknownId } from "../../fixtures/World.ts"

it.live("an email can be created, read, updated and listed", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const made = yield* make({ preview_text: "pre" })
    assert.strictEqual(made.status, 201)
    assert.deepInclude(made.json, {
      name: "An email",
      status: "draft",
      current_version: 1,
      number_of_iterations: 1,
      approved_version: null,
      preview_text: "pre",
      plain_text_overridden: false,
      plain_text_overridden_at: null,
      plain_text_stale_after_html_iteration: false,
      latest_generation_status: "completed",
      created_by_name: "first key",
      content_path: at(made.json, "/content"),
      plain_text_path: at(made.json, "/plain-text"),
    })
    assert.deepStrictEqual((yield* call("GET", at(made.json))).json, made.json)
    const patched = yield* call("PATCH", at(made.json), { json: { subject: "New", from_name: null } })
    assert.strictEqual(patched.status, 200)
    assert.deepInclude(patched.json, { subject: "New", from_name: null, preview_text: "pre" })
    const listed = yield* call("GET", "/v1/emails?status=draft&search=AN%20EM")
    assert.deepStrictEqual(listed.json, { emails: [patched.json], next_cursor: null })
  }).pipe(Effect.scoped),
)

it.live("without content, an email is a branded scaffold with the workspace's sender; null clears the sender", () =>
  Effect.gen(function* () {
    const { call } = yield* started
    const made = yield* call("POST", "/v1/emails", { json: { name: "bare" } })
    assert.strictEqual(made.status, 201)
    assert.deepInclude(made.json, { from_name: "Tentpole", from_address: "hello@example.test", subject: null })
    assert.match((yield* call("GET", made.json.content_path)).text, /^<!doctype html>[^]*Your headline[^]*<\/html>\n$/)
    const none = yield* call("POST", "/v1/emails", { json: { name: "none", from_name: null } })
    assert.isNull(none.json.from_name)
  }).pipe(Effect.scoped),
)

it.live("an invalid body reports all issues and changes nothing", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const bad = yield* call("POST", "/v1/emails", {
      json: { subject: "s".repeat(999), from_name: "a\nb", from_address: "nobody", html: 5, colour: "red" },
    })
    assert.strictEqual(bad.status, 400)
    assert.sameMembers([...paths(bad)], ["name", "subject", "from_name", "from_address", "html", "colour"])
    const { json } = yield* make()
    for (const patch of [
      { name: null },
      { subject: "" },
      { status: "approved" },
      { from_address: "a@example.test\r" },
    ]) {
      const refused = yield* call("PATCH", at(json), { json: patch })
      assert.strictEqual(refused.status, 400)
      assert.include(paths(refused), Object.keys(patch)[0])
    }
    assert.deepStrictEqual((yield* call("GET", at(json))).json, json)
    const tooLarge = yield* make({ html: "x".repeat(2 * 1024 * 1024 + 1) })
    assert.deepStrictEqual([tooLarge.status, tooLarge.json.error_code], [413, "payload_too_large"])
  }).pipe(Effect.scoped),
)

const htmlSandboxTest = tagged(it.live, "attack/html-sandbox")
htmlSandboxTest("the HTML of each version is returned byte for byte, sandboxed", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const html = "<P Class=x>é ☃</P>\r\n\t<!-- c --><br/>"
    const { json } = yield* make({ html })
    const put = yield* call("PUT", at(json, "/content"), { json: { html: "<p>two</p>" } })
    assert.deepStrictEqual([put.status, put.json.current_version], [200, 2])
    const read = yield* call("GET", at(json, "/content?version=1"))
    assert.deepStrictEqual([read.status, read.text], [200, html])
    assert.strictEqual((yield* call("GET", at(json, "/content"))).text, "<p>two</p>")
    assert.strictEqual(read.headers.get("content-type"), "text/html; charset=utf-8")
    assert.strictEqual(read.headers.get("content-security-policy"), "sandbox")
    assert.strictEqual(read.headers.get("x-content-type-options"), "nosniff")
    assert.strictEqual((yield* call("GET", at(json, "/content?version=3"))).status, 404)
    for (const version of ["0", "abc", "-1", "1.5", ""]) {
      assert.strictEqual((yield* call("GET", at(json, `/content?version=${version}`))).status, 400)
    }
    for (const body of [{}, { html: 4 }, { html: "<p>", x: 1 }, { html: "" }]) {
      assert.strictEqual((yield* call("PUT", at(json, "/content"), { json: body })).status, 400)
    }
    assert.strictEqual((yield* call("GET", at(json))).json.current_version, 2)
  }).pipe(Effect.scoped),
)

it.live("the plain text is derived from the HTML unless it is overridden", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const { json } = yield* make({ html: "<p>Big &amp; bold</p>" })
    const text = () => Effect.map(call("GET", at(json, "/plain-text")), (read) => read.text)
    assert.strictEqual(yield* text(), "Big & bold")
    const set = yield* call("PUT", at(json, "/plain-text"), { json: { text: "mine\né" } })
    assert.deepInclude(set.json, { plain_text_overridden: true, current_version: 1 })
    const read = yield* call("GET", at(json, "/plain-text"))
    assert.deepStrictEqual([read.text, read.headers.get("content-type")], ["mine\né", "text/plain; charset=utf-8"])
    const later = yield* call("PUT", at(json, "/content"), { json: { html: "<p>new</p>" } })
    assert.isTrue(later.json.plain_text_stale_after_html_iteration)
    assert.strictEqual(yield* text(), "mine\né")
    const back = yield* call("DELETE", at(json, "/plain-text"))
    assert.deepStrictEqual([back.status, back.json.plain_text_overridden, yield* text()], [200, false, "new"])
  }).pipe(Effect.scoped),
)

const missing = (call: Call, json: Json, patch: Record<string, unknown>) =>
  Effect.gen(function* () {
    yield* call("PATCH", at(json), { json: patch })
    const refused = yield* call("POST", at(json, "/approve"), { json: {} })
    assert.deepStrictEqual([refused.status, refused.json.error_code], [400, "email_not_ready"])
    return refused.json.details.missing
  })

it.live("a token that looks misspelt stops an approval, unless unknown tokens are allowed", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const { json } = yield* make({ html: "<p>{{contact.frist_name}} {{contact.nonsense}}</p>" })
    const refused = yield* call("POST", at(json, "/approve"), { json: {} })
    assert.deepStrictEqual([refused.status, refused.json.error_code], [400, "unknown_token"])
    assert.deepStrictEqual(refused.json.unknown_tokens, [
      { token: "contact.frist_name", nearest: "contact.first_name" },
    ])
    assert.strictEqual((yield* call("GET", at(json))).json.status, "draft")
    const approved = yield* call("POST", at(json, "/approve?allow_unknown_tokens=true"), { json: {} })
    assert.strictEqual(approved.status, 200)
    assert.deepStrictEqual(approved.json.unresolved_tokens, ["contact.frist_name", "contact.nonsense"])
  }).pipe(Effect.scoped),
)

it.live("approve lists what is missing and unknown tokens; unapprove reverts it", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const { json } = yield* make({
      html: "<p>{{contact.nope}} {{contact.custom_fields.size}} {{contact.first_name}}</p>",
    })
    assert.deepStrictEqual(yield* missing(call, json, { subject: null, from_address: "a@unverified.example" }), [
      "subject",
      "sender_domain",
    ])
    yield* call("PATCH", at(json), { json: { subject: "S {{foo.bar}}", from_address: "news@example.test" } })
    const stale = yield* call("POST", at(json, "/approve"), { json: { version: 2 } })
    assert.deepStrictEqual([stale.status, stale.json.error_code], [409, "approval_version_stale"])
    for (const version of [0, -1, 1.5, "2"]) {
      assert.strictEqual((yield* call("POST", at(json, "/approve"), { json: { version } })).status, 400)
    }
    const approved = yield* call("POST", at(json, "/approve"))
    assert.strictEqual(approved.status, 200)
    assert.deepInclude(approved.json, {
      status: "approved",
      approved_version: 1,
      unresolved_tokens: ["foo.bar", "contact.nope", "contact.custom_fields.size"],
    })
    const edited = yield* call("PUT", at(json, "/content"), { json: { html: "<p>2</p>" } })
    assert.deepInclude(edited.json, { status: "approved", approved_version: 1, current_version: 2 })
    assert.deepInclude((yield* call("POST", at(json, "/approve"), { json: { version: 2 } })).json, {
      approved_version: 2,
    })
    const back = yield* call("POST", at(json, "/unapprove"), { json: {} })
    assert.deepInclude(back.json, { status: "draft", approved_version: null })
    const again = yield* call("POST", at(json, "/unapprove"))
    assert.deepStrictEqual(
      [again.status, again.json.error_code, again.json.details.status],
      [409, "invalid_state", "draft"],
    )
  }).pipe(Effect.scoped),
)

it.live("emails are paged by cursor, and invalid parameters are refused", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const made: Array<string> = []
    for (let at = 0; at < 5; at++) made.push((yield* make({ name: `Pager ${at}` })).json.email_id)
    const seen: Array<string> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
      const { json }: { readonly json: Json } = yield* call("GET", `/v1/emails?limit=2${query}`)
      seen.push(...json.emails.map((email: { readonly email_id: string }) => email.email_id))
      cursor = json.next_cursor
    }
    assert.lengthOf(seen, 5)
    assert.sameMembers(seen, made)
    for (const query of ["limit=0", "limit=101", "limit=x", "status=bogus", "page=1", "limit=2&limit=3", "search="]) {
      const refused = yield* call("GET", `/v1/emails?${query}`)
      assert.deepStrictEqual([refused.status, refused.json.error_code], [400, "validation_failed"], query)
    }
    assert.strictEqual((yield* call("GET", "/v1/emails?cursor=%21broken")).status, 400)
  }).pipe(Effect.scoped),
)

it.live("malformed ids are 400 and unknown ids 404 for every operation", () =>
  Effect.gen(function* () {
    const { call } = yield* started
    const calls = [
      ["GET", "", undefined],
      ["PATCH", "", { name: "x" }],
      ["GET", "/content", undefined],
      ["PUT", "/content", { html: "<p>" }],
      ["GET", "/plain-text", undefined],
      ["PUT", "/plain-text", { text: "x" }],
      ["DELETE", "/plain-text", undefined],
      ["POST", "/approve", {}],
      ["POST", "/unapprove", {}],
    ] as const
    for (const [method, tail, json] of calls) {
      const sent = json === undefined ? {} : { json }
      const malformed = yield* call(method, `/v1/emails/not-an-id${tail}`, sent)
      assert.deepStrictEqual([malformed.status, malformed.json.error_code], [400, "invalid_id"], method + tail)
      const unknown = yield* call(method, `/v1/emails/${unknownId}${tail}`, sent)
      assert.deepStrictEqual([unknown.status, unknown.json.error_code], [404, "not_found"], method + tail)
    }
  }).pipe(Effect.scoped),
)

it.live("the OpenAPI document lists all email operations", () =>
  Effect.gen(function* () {
    const { call } = yield* started
    const { json } = yield* call("GET", "/openapi.json")
    const calls = Object.entries<Record<string, unknown>>(json.paths)
      .filter(([path]) => path === "/v1/emails" || path.startsWith("/v1/emails/"))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
    assert.sameMembers(calls, [
      "get /v1/emails",
      "post /v1/emails",
      "get /v1/emails/{emailId}",
      "patch /v1/emails/{emailId}",
      "delete /v1/emails/{emailId}",
      "post /v1/emails/{emailId}/duplicate",
      "get /v1/emails/{emailId}/content",
      "get /v1/emails/{emailId}/content.json",
      "put /v1/emails/{emailId}/content",
      "get /v1/emails/{emailId}/plain-text",
      "put /v1/emails/{emailId}/plain-text",
      "delete /v1/emails/{emailId}/plain-text",
      "post /v1/emails/{emailId}/approve",
      "post /v1/emails/{emailId}/unapprove",
      "get /v1/emails/{emailId}/versions",
      "post /v1/emails/{emailId}/generations",
      "get /v1/emails/{emailId}/generations",
      "get /v1/emails/{emailId}/generations/{generationId}",
      "get /v1/emails/{emailId}/preview",
      "post /v1/emails/{emailId}/preview",
      "post /v1/emails/{emailId}/test-send",
    ])
  }).pipe(Effect.scoped),
)
