// Tests of generations, previews, test sends, duplicates and deletions of emails.
import { decide } from "@tentpole/core/blasts/machine"
import { BlastStore } from "@tentpole/core/blasts/BlastStore"
import { Tracking } from "@tentpole/core/tracking/Tracking"
import { BlastId } from "@tentpole/core/kernel/Ids"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { tests_per_hour_max } from "@tentpole/core/sending/TestMails"
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Effect } from "effect"
import { at, started } from "../../fixtures/EmailsWorld.ts"
import { type Json, paths, unknownId } from "../../fixtures/World.ts"

it.live("an email with a prompt is accepted, polled and generated", () =>
  Effect.gen(function* () {
    const { call, written } = yield* started
    const accepted = yield* call("POST", "/v1/emails", { json: { name: "G", prompt: "A letter about chairs" } })
    assert.strictEqual(accepted.status, 202)
    assert.deepInclude(accepted.json, { current_version: 0, latest_generation_status: "generating", status: "draft" })
    const generation = at(accepted.json, `/generations/${accepted.json.generation_id}`)
    const going = yield* call("GET", generation)
    assert.deepStrictEqual([going.status, going.headers.get("retry-after")], [200, "10"])
    const { created_at, ...rest } = going.json
    assert.match(created_at, /^\d{4}-.*\.\d{3}Z$/)
    assert.deepStrictEqual(rest, {
      generation_id: accepted.json.generation_id,
      email_id: accepted.json.email_id,
      status: "generating",
      prompt: "A letter about chairs",
      version: null,
      error: null,
      completed_at: null,
      created_by_name: "first key",
    })
    for (const [method, tail] of [
      ["POST", "/approve"],
      ["GET", "/preview"],
      ["POST", "/duplicate"],
    ] as const) {
      const early = yield* call(method, at(accepted.json, tail))
      assert.deepStrictEqual([early.status, early.json.error_code], [409, "template_not_ready"], tail)
    }
    yield* written(accepted.json)
    const done = yield* call("GET", generation)
    assert.isNull(done.headers.get("retry-after"))
    assert.deepInclude(done.json, { status: "completed", version: 1, error: null })
    const email = yield* call("GET", at(accepted.json))
    assert.deepInclude(email.json, { current_version: 1, latest_generation_status: "completed" })
    assert.notProperty(email.json, "generation_id")
    assert.match((yield* call("GET", email.json.content_path)).text, /<html/i)
  }).pipe(Effect.scoped),
)

it.live("one generation runs at a time and costs a credit", () =>
  Effect.gen(function* () {
    const { call, context, make, workspace, written } = yield* started
    yield* Context.get(context, Workspaces).update(workspace, { credits: 1 })
    const { json } = yield* make()
    const ask = (prompt: unknown = "shorter") => call("POST", at(json, "/generations"), { json: { prompt } })
    for (const prompt of ["", " ", 4, null, "p".repeat(10_001)]) {
      const refused = yield* ask(prompt)
      assert.deepStrictEqual([refused.status, ...paths(refused)], [400, "prompt"])
    }
    const accepted = yield* ask()
    assert.strictEqual(accepted.status, 202)
    const second = yield* ask()
    assert.deepStrictEqual([second.status, second.json.error_code], [409, "generation_in_progress"])
    yield* written(accepted.json)
    const third = yield* ask()
    assert.deepStrictEqual([third.status, third.json.error_code], [429, "insufficient_credits"])
    const prompted = yield* call("POST", "/v1/emails", { json: { name: "G", prompt: "p" } })
    assert.deepStrictEqual([prompted.status, prompted.json.error_code], [429, "insufficient_credits"])
    const other = yield* make()
    const elsewhere = yield* call("GET", at(other.json, `/generations/${accepted.json.generation_id}`))
    assert.strictEqual(elsewhere.status, 404)
  }).pipe(Effect.scoped),
)

it.live("refuses several sources of content and unknown templates", () =>
  Effect.gen(function* () {
    const { make } = yield* started
    const both = yield* make({ prompt: "p", template_id: unknownId })
    assert.deepStrictEqual([both.status, ...paths(both)], [400, "template_id", "prompt"])
    const unknown = yield* make({ html: undefined, template_id: unknownId })
    assert.deepStrictEqual([unknown.status, ...paths(unknown)], [404, "template_id"])
    const malformed = yield* make({ html: undefined, template_id: "x" })
    assert.deepStrictEqual([malformed.status, ...paths(malformed)], [400, "template_id"])
    const unclean = yield* make({ html: `<script></script>${"<div>".repeat(5_000)}` })
    assert.deepStrictEqual([unclean.status, ...paths(unclean)], [400, "html"])
  }).pipe(Effect.scoped),
)

it.live("a preview uses a contact or a sample, and its unsubscribe link is inactive", () =>
  Effect.gen(function* () {
    const { call, context, make } = yield* started
    const ann = yield* call("POST", "/v1/contacts", {
      json: { items: [{ email: "ann@example.com", first_name: "Ann" }] },
    })
    const { contact_id } = ann.json.items[0]
    const { json } = yield* make({ html: "<p>Yo {{contact.first_name}} {{foo.bar|x}}</p>", subject: null })
    const seen = yield* call("GET", at(json, `/preview?contact_id=${contact_id}`))
    assert.strictEqual(seen.status, 200)
    assert.hasAllKeys(seen.json, ["subject", "html", "text", "unresolved_tokens"])
    assert.include(seen.json.html, "<p>Yo Ann x</p>")
    assert.include(seen.json.text, "Yo Ann x")
    assert.deepStrictEqual([seen.json.subject, seen.json.unresolved_tokens], ["", ["foo.bar"]])
    const [, token = ""] = /\/u\/([\w-]+)/.exec(seen.json.html) ?? []
    const ended = yield* Effect.flip(
      Context.get(context, Tracking).unsubscribe(token, "all", { ipPrefix: null, userAgent: null }),
    )
    assert.strictEqual(ended._tag, "NotFound")
    assert.include((yield* call("GET", at(json, "/preview"))).json.html, "Yo Sample x")
    for (const [id, status] of [
      ["x", 400],
      [unknownId, 404],
    ] as const) {
      assert.strictEqual((yield* call("GET", at(json, `/preview?contact_id=${id}`))).status, status)
    }
  }).pipe(Effect.scoped),
)

it.live("a preview of unsaved values cleans the HTML as a save does, reports its issues and stores nothing", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const { json } = yield* make({ html: "<p>saved</p>", subject: "Saved", preview_text: "pre" })
    const html = `<p onclick="x()">Yo {{contact.first_name}}</p>\n<a href="https://a.example/">{{contact.frist_name}}</a>`
    const seen = yield* call("POST", at(json, "/preview"), { json: { html, subject: "New {{contact.city}}" } })
    assert.strictEqual(seen.status, 200, seen.text)
    assert.deepStrictEqual(seen.json.subject, "New Sample City")
    assert.include(seen.json.html, "<p>Yo Sample</p>")
    assert.match(seen.json.html, /<div data-preheader[^>]*>pre<\/div>/)
    assert.deepStrictEqual(seen.json.unresolved_tokens, ["contact.frist_name"])
    assert.deepStrictEqual(seen.json.issues, [
      { line: 1, column: 4, message: "Active content is removed: onclick of <p>" },
      { line: 2, column: 30, message: "{{contact.frist_name}} has no value. Probably {{contact.first_name}}" },
    ])
    assert.deepInclude(seen.json.links[0], { url: "https://a.example/", text: "" })
    assert.deepStrictEqual(
      seen.json.links.slice(-2).map(({ text }: Json) => text),
      ["Unsubscribe", "Preferences"],
    )
    assert.strictEqual(seen.json.bytes, new TextEncoder().encode(seen.json.html).length)
    const stored = yield* call("POST", at(json, "/preview"), { json: {} })
    assert.include(stored.json.html, "<p>saved</p>")
    assert.deepStrictEqual([stored.json.subject, stored.json.issues], ["Saved", []])
    const cleared = yield* call("POST", at(json, "/preview"), { json: { preview_text: null } })
    assert.notInclude(cleared.json.html, "data-preheader")
    assert.deepInclude((yield* call("GET", at(json, ""))).json, { subject: "Saved", current_version: 1 })
    for (const [body, status, path] of [
      [{ html: " " }, 400, "html"],
      [{ subject: "a\nb" }, 400, "subject"],
      [{ contact_id: unknownId }, 404, undefined],
    ] as const) {
      const refused = yield* call("POST", at(json, "/preview"), { json: body })
      assert.deepStrictEqual([refused.status, refused.json.details?.issues?.[0]?.path], [status, path], refused.text)
    }
  }).pipe(Effect.scoped),
)

it.live("the listed merge tokens have values in a preview, and a flow adds its own", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const field = { display_name: "Shoe size", api_name: "shoe_size", value_type: "string" }
    assert.strictEqual((yield* call("POST", "/v1/contact-fields", { json: field })).status, 201)
    const triggers = [{ type: "service_api", fields: [{ name: "plan", type: "string" }] }]
    const steps = [{ type: "create_tent", step_id: "page-1", prompt: "A page" }]
    const flow = yield* call("POST", "/v1/email-flows", { json: { name: "Welcome", triggers, steps } })
    assert.strictEqual(flow.status, 201, flow.text)
    const listed = yield* call("GET", `/v1/merge-tokens?flow_id=${flow.json.flow_id}`)
    assert.deepStrictEqual(listed.json.formats, ["uppercase", "lowercase", "capitalize", "titlecase"])
    const tokens: ReadonlyArray<{ token: string; source: string; sample: string | null }> = listed.json.tokens
    const city = { token: "contact.city", label: "City", source: "contact", sample: "Sample City" }
    assert.deepStrictEqual(
      tokens.find(({ token }) => token === "contact.city"),
      city,
    )
    assert.deepStrictEqual(
      tokens.filter(({ source }) => source === "custom_field" || source === "flow").map(({ token }) => token),
      ["contact.custom_fields.shoe_size", "campaign.dynamic.plan", "campaign.dynamic.page_1_url"],
    )
    const { json } = yield* make({})
    const html = tokens.map(({ token }) => `<p>${token}={{${token}}}</p>`).join("")
    const seen = yield* call("POST", at(json, "/preview"), { json: { html } })
    assert.deepStrictEqual(seen.json.unresolved_tokens, [])
    for (const { token, sample } of tokens) {
      if (sample !== null) assert.include(seen.json.html, `<p>${token}=${sample}</p>`)
    }
    const without = yield* call("GET", "/v1/merge-tokens")
    assert.strictEqual(without.json.tokens.length, tokens.length - 2)
    assert.strictEqual((yield* call("GET", `/v1/merge-tokens?flow_id=${unknownId}`)).status, 404)
  }).pipe(Effect.scoped),
)

it.live("a preview and a test send refuse a message that a contact's values make too large", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const ann = yield* call("POST", "/v1/contacts", {
      json: { items: [{ email: "ann@example.com", address: '"'.repeat(500) }] },
    })
    const { contact_id } = ann.json.items[0]
    const { json } = yield* make({ html: `<p>${"{{contact.address}}".repeat(6_000)}</p>` })
    const refusals = [
      yield* call("GET", at(json, `/preview?contact_id=${contact_id}`)),
      yield* call("POST", at(json, "/test-send"), { json: { to: ["ann@example.com"], contact_id } }),
    ]
    for (const refused of refusals) {
      assert.deepStrictEqual([refused.status, refused.json.error_code], [422, "message_too_large"], refused.text)
      assert.deepInclude(refused.json, { error: "Unprocessable Content", limit: 15 * 2 ** 20 })
    }
    assert.strictEqual((yield* call("GET", at(json, "/preview"))).status, 200)
  }).pipe(Effect.scoped),
)

it.live("a test send accepts one to five addresses for a sendable email", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const { json } = yield* make()
    const test = (body: Json) => call("POST", at(json, "/test-send"), { json: body })
    for (const [to, path] of [
      [[], "to"],
      [Array.from({ length: 6 }, (_, nth) => `t${nth}@example.com`), "to"],
      [["ann@example.com", "nope"], "to.1"],
      [[5], "to.0"],
      ["ann@example.com", "to"],
      [undefined, "to"],
    ] as const) {
      const refused = yield* test({ to })
      assert.deepStrictEqual([refused.status, ...paths(refused)], [400, path])
    }
    const missing = yield* test({ to: ["ann@example.com"], contact_id: unknownId })
    assert.deepStrictEqual([missing.status, ...paths(missing)], [404, "contact_id"])
    const accepted = yield* test({ to: ["ann@example.com"] })
    assert.deepStrictEqual([accepted.status, accepted.json], [202, json])
    yield* call("PATCH", at(json), { json: { from_address: "a@unverified.example", subject: null } })
    const unready = yield* test({ to: ["ann@example.com"] })
    assert.deepStrictEqual(
      [unready.status, unready.json.error_code, unready.json.details.missing],
      [400, "email_not_ready", ["subject", "sender_domain"]],
    )
    assert.include(unready.json.message, "before sending a test")
  }).pipe(Effect.scoped),
)

it.live("a workspace can request sixty test sends at once; further ones wait, and refused requests do not count", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const { json } = yield* make()
    const test = (to: ReadonlyArray<string>) => call("POST", at(json, "/test-send"), { json: { to } })
    for (let nth = 0; nth < 10; nth++) assert.strictEqual((yield* test(["nope"])).status, 400)
    // More than the bucket refills in some minutes.
    const answers = yield* Effect.all(Array.from({ length: tests_per_hour_max + 5 }, () => test(["ann@example.com"])))
    assert.deepStrictEqual(
      answers.slice(0, tests_per_hour_max).map(({ status }) => status),
      Array.from({ length: tests_per_hour_max }, () => 202),
    )
    const last = answers.at(-1)
    assert.deepStrictEqual([last?.status, last?.json.error_code], [429, "rate_limited"])
    assert.isAtLeast(Number(last?.headers.get("retry-after")), 1)
  }).pipe(Effect.scoped),
)

it.live("duplicate creates a draft, and a deleted email is 404", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const { json } = yield* make({ preview_text: "pre" })
    yield* call("POST", at(json, "/approve"))
    const copy = yield* call("POST", at(json, "/duplicate"))
    assert.strictEqual(copy.status, 201)
    assert.deepInclude(copy.json, {
      name: "An email (copy)",
      status: "draft",
      approved_version: null,
      subject: "Hello",
    })
    const deleted = yield* call("DELETE", at(json))
    assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
    for (const tail of ["", "/content", "/preview"])
      assert.strictEqual((yield* call("GET", at(json, tail))).status, 404)
    assert.strictEqual((yield* call("DELETE", at(json))).status, 404)
    assert.strictEqual((yield* call("GET", at(copy.json, "/content"))).status, 200)
  }).pipe(Effect.scoped),
)

it.live("an email of a sending blast can't be deleted or unapproved, and the refusal names the blast", () =>
  Effect.gen(function* () {
    const { call, context, make, workspace } = yield* started
    const { json } = yield* make()
    yield* call("POST", at(json, "/approve"))
    const ann = yield* call("POST", "/v1/contacts", { json: { items: [{ email: "ann@example.com" }] } })
    const blast = yield* call("POST", "/v1/email-blasts", { json: { name: "May" } })
    const blastAt = `/v1/email-blasts/${blast.json.blast_id}`
    const audience = { source: "inline", kind: "static", contact_ids: [ann.json.items[0].contact_id] }
    yield* call("PUT", `${blastAt}/audience`, { json: audience })
    yield* call("PUT", `${blastAt}/email`, { json: { source: "existing", email_id: json.email_id } })
    yield* Effect.gen(function* () {
      const store = yield* BlastStore
      const { transact } = yield* Transactor
      const now = yield* DateTime.now
      const id = BlastId.make(blast.json.blast_id)
      yield* transact(
        Effect.gen(function* () {
          const locked = yield* store.lockForLaunch(workspace, id, { now })
          const change = decide(
            locked.blast,
            { _tag: "launch", by: "worker", facts: locked.facts, operational: false },
            now,
          )
          yield* store.apply(workspace, yield* Effect.fromResult(change))
        }),
      )
    }).pipe(Effect.provide(context))
    for (const [method, tail] of [
      ["DELETE", ""],
      ["POST", "/unapprove"],
    ] as const) {
      const refused = yield* call(method, at(json, tail))
      assert.deepStrictEqual([refused.status, refused.json.error_code], [409, "email_in_use"])
      assert.deepStrictEqual(refused.json.used_by, [{ type: "blast", id: blast.json.blast_id, name: "May" }])
      assert.strictEqual(refused.json.used_by_count, 1)
    }
    assert.strictEqual((yield* call("GET", at(json))).json.status, "approved")
  }).pipe(Effect.scoped),
)

it.live("the design of a block editor stays with its version, and copies have it", () =>
  Effect.gen(function* () {
    const { call, make } = yield* started
    const { json } = yield* make()
    const design = { editor: "blocks", document: { blocks: [{ text: "é ☃ 🦊" }] } }
    const html = "<html><body><p>Built</p></body></html>"
    const put = (body: object) => call("PUT", at(json, "/content"), { json: { html, ...body } })
    const first = yield* put({ design })
    assert.strictEqual(first.status, 200, first.text)
    const read = (of: Json, query = "") => Effect.map(call("GET", at(of, `/content.json${query}`)), (it) => it.json)
    assert.deepStrictEqual(yield* read(json), { version: 2, html, design })
    assert.deepInclude(yield* read(json, "?version=1"), { version: 1, design: null })

    const copy = yield* call("POST", at(json, "/duplicate"))
    assert.deepStrictEqual(yield* read(copy.json), { version: 1, html, design })
    const template = yield* call("POST", "/v1/email-templates", { json: { name: "T", email_id: json.email_id } })
    const path = `/v1/email-templates/${template.json.template_id}`
    assert.deepInclude((yield* call("GET", `${path}/content.json`)).json, { version: 1, design })
    yield* call("POST", `${path}/approve`)
    const used = yield* call("POST", "/v1/emails", { json: { name: "U", template_id: template.json.template_id } })
    assert.deepInclude(yield* read(used.json), { version: 1, design })

    const large = yield* put({ design: { editor: "blocks", document: "x".repeat(1_000_000) } })
    assert.deepStrictEqual([large.status, ...paths(large)], [400, "design"])
    assert.deepStrictEqual([(yield* put({ design: { document: 1 } })).status], [400])
    assert.strictEqual((yield* put({})).status, 200)
    assert.deepStrictEqual(yield* read(json), { version: 3, html, design: null })
  }).pipe(Effect.scoped),
)
