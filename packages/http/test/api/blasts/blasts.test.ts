// Tests of the blast endpoints: answers, error codes and status changes.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Answered, type Json, serving, paths } from "../../fixtures/World.ts"

const B = "/v1/email-blasts"
const unknown = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const served = Effect.map(serving(Api, handlers), ({ call, context }) => {
  const at = (blast: Json, tail = "") => `${B}/${blast.blast_id}${tail}`
  const get = (path: string) => Effect.map(call("GET", path), ({ json }) => json)
  const make = (name = "News") => Effect.map(call("POST", B, { json: { name } }), ({ json }) => json)
  const put = (blast: Json, part: "audience" | "email", json: object) => call("PUT", at(blast, `/${part}`), { json })
  const people = (...items: ReadonlyArray<object>) =>
    Effect.map(
      call("POST", "/v1/contacts", {
        json: { items: items.map((item, index) => ({ email: `p${index}@example.com`, ...item })) },
      }),
      ({ json }): ReadonlyArray<string> => json.items.map((item: Json) => item.contact_id),
    )
  /** An inline email, approved. */
  const write = (blast: Json) =>
    Effect.gen(function* () {
      const { json } = yield* put(blast, "email", { source: "inline", subject: "Hi", html: "<p>Hi</p>" })
      yield* call("POST", `/v1/emails/${json.email_id}/approve`, { json: {} })
    })
  /** Runs the job, as the worker does. */
  const fixAudience = (blast: Json) =>
    Effect.gen(function* () {
      const workspace = yield* Context.get(context, WorkspaceStore).findFirst
      yield* Context.get(context, Deliveries).fixAudience(
        WorkspaceId.make(workspace?.id ?? ""),
        BlastId.make(blast.blast_id),
      )
    })
  return { call, at, get, make, put, people, write, fixAudience }
})

const code = ({ status, json }: Answered) => [status, json.error_code]
const noDetails = {
  blast_recipient_count: 0,
  blast_qualified_count: 0,
  blast_sent_count: 0,
  blast_failed_count: 0,
  blast_blocked_count: 0,
  blast_audience_truncated: false,
  blast_delivered_count: 0,
  blast_opened_count: 0,
  blast_clicked_count: 0,
  blast_bounced_count: 0,
  blast_spam_count: 0,
  blast_unsubscribed_count: 0,
}

it.live("a new blast is a draft and can be read, updated and deleted", () =>
  Effect.gen(function* () {
    const { call, at, get } = yield* served
    const made = yield* call("POST", B, { json: { name: "News", description: "d" } })
    assert.strictEqual(made.status, 201)
    const { blast_id, created_at, updated_at, ...rest } = made.json
    assert.match(blast_id, /^[0-9a-f-]{36}$/)
    assert.match(created_at, instant)
    assert.match(updated_at, instant)
    assert.deepStrictEqual(rest, {
      type: "email_blast",
      topic_id: null,
      name: "News",
      description: "d",
      status: "draft",
      paused: false,
      audience_list_id: null,
      audience_source: null,
      approved_header: null,
      audience: null,
      email_id: null,
      email_source: null,
      email: null,
      operational: false,
      scheduled_at: null,
      approved_at: null,
      approved_email_version: null,
      sent_at: null,
      send_mode: null,
      details: noDetails,
      queued_count: 0,
      deferred_count: 0,
      next_attempt_at: null,
      messages_per_second: null,
      estimated_end_at: null,
      approval_readiness: {
        ready: false,
        missing: ["audience", "email", "schedule"],
        warnings: ["no_postal_address"],
      },
      cancelled_at: null,
      cancelled_reason: null,
      failed_reason: null,
    })
    assert.deepStrictEqual(yield* get(at(made.json)), made.json)
    const renamed = yield* call("PATCH", at(made.json), { json: { name: "Other", description: null } })
    assert.deepInclude(renamed.json, { name: "Other", description: null })
    const deleted = yield* call("DELETE", at(made.json))
    assert.deepStrictEqual([deleted.status, deleted.json], [200, { blast_id, deleted: true }])
    assert.deepStrictEqual(code(yield* call("GET", at(made.json))), [404, "not_found"])
  }).pipe(Effect.scoped),
)

it.live("blasts can be paged, filtered, searched and sorted; listings have no readiness", () =>
  Effect.gen(function* () {
    const { call, make, get } = yield* served
    const listed = ({ approval_readiness, ...blast }: Json): Json => {
      assert.deepInclude(approval_readiness, { ready: false })
      return blast
    }
    const first = listed(yield* make("Ärger"))
    const second = listed(yield* make("beta"))
    const { blasts, pagination } = yield* get(`${B}?sort_by=name&sort_order=asc`)
    assert.deepStrictEqual(blasts, [second, first])
    assert.deepStrictEqual(pagination, { page: 1, limit: 25, total: 2, totalPages: 1 })
    assert.deepStrictEqual((yield* get(`${B}?search=${encodeURIComponent("ÄRG")}`)).blasts, [first])
    assert.deepStrictEqual((yield* get(`${B}?status=sent`)).blasts, [])
    assert.deepStrictEqual((yield* get(`${B}?status=any&limit=1&page=2&sort_by=name`)).blasts, [second])
    const bad = yield* call("GET", `${B}?status=gone&limit=500&page=0&sort=name`)
    assert.deepStrictEqual(code(bad), [400, "validation_failed"])
    assert.sameMembers([...paths(bad)], ["status", "limit", "page", "sort"])
  }).pipe(Effect.scoped),
)

it.live("malformed ids are 400, unknown ids 404, and all issues of a body are reported", () =>
  Effect.gen(function* () {
    const { call, make, at, put } = yield* served
    assert.deepStrictEqual(code(yield* call("GET", `${B}/nope`)), [400, "invalid_id"])
    for (const [method, tail] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/send-now"],
      ["POST", "/pause"],
      ["POST", "/resume"],
      ["POST", "/cancel"],
      ["GET", "/contacts"],
    ] as const) {
      assert.deepStrictEqual(code(yield* call(method, `${B}/${unknown}${tail}`)), [404, "not_found"], tail)
    }
    const bad = yield* call("POST", B, { json: { description: "x".repeat(1001), colour: 1 } })
    assert.deepStrictEqual(code(bad), [400, "validation_failed"])
    assert.sameMembers([...paths(bad)], ["name", "description", "colour"])
    const draft = yield* make()
    assert.deepStrictEqual(code(yield* call("PATCH", at(draft), { json: {} })), [400, "validation_failed"])
    assert.deepStrictEqual(code(yield* call("PATCH", at(draft), { json: { name: " " } })), [400, "validation_failed"])
    for (const json of [
      {},
      { source: "existing" },
      { source: "inline" },
      { source: "inline", kind: "static" },
      { source: "inline", kind: "dynamic" },
      { source: "inline", kind: "static", contact_ids: ["x"] },
      { source: "inline", kind: "static", contact_ids: Array.from({ length: 501 }, () => unknown) },
      { source: "inline", kind: "static", contact_ids: [], rules: {} },
      { source: "inline", kind: "dynamic", rules: null },
      { source: "existing", list_id: "x" },
      { source: "existing", list_id: unknown, name: "x" },
    ]) {
      assert.deepStrictEqual(
        code(yield* put(draft, "audience", json)),
        [400, "validation_failed"],
        JSON.stringify(json),
      )
    }
    for (const json of [
      {},
      { source: "existing" },
      { source: "inline", subject: "s".repeat(999) },
      { source: "inline", from_address: "nobody" },
      { source: "inline", html: "<p>x</p>", template_id: unknown },
      { source: "inline", html: 5 },
      { source: "inline", html: `<script></script>${"<div>".repeat(5_000)}` },
    ]) {
      assert.deepStrictEqual(code(yield* put(draft, "email", json)), [400, "validation_failed"], JSON.stringify(json))
    }
    const notFound = [
      yield* put(draft, "audience", { source: "existing", list_id: unknown }),
      yield* put(draft, "audience", { source: "inline", kind: "static", contact_ids: [unknown] }),
      yield* put(draft, "email", { source: "existing", email_id: unknown }),
      yield* put(draft, "email", { source: "inline", template_id: unknown }),
    ]
    for (const answered of notFound) assert.deepStrictEqual(code(answered), [404, "not_found"])
    assert.deepStrictEqual(notFound.map(paths), [["list_id"], ["contact_ids.0"], ["email_id"], ["template_id"]])
    const large = yield* put(draft, "email", { source: "inline", html: "x".repeat(2 * 1024 * 1024 + 1) })
    assert.deepStrictEqual(code(large), [413, "payload_too_large"])
  }).pipe(Effect.scoped),
)

it.live("inline audiences and emails get derived names and are returned with the blast", () =>
  Effect.gen(function* () {
    const { call, make, put, people, at } = yield* served
    const [ann] = yield* people({ first_name: "Ann" })
    const draft = yield* make()
    const addressed = yield* put(draft, "audience", { source: "inline", kind: "static", contact_ids: [ann] })
    assert.strictEqual(addressed.status, 200)
    assert.deepStrictEqual(addressed.json.audience, {
      list_id: addressed.json.audience_list_id,
      source: "inline",
      name: "News audience",
      kind: "static",
      member_count: 1,
    })
    const list = yield* call("GET", `/v1/contact-lists/${addressed.json.audience_list_id}`)
    assert.strictEqual(list.json.owner_campaign_id, draft.blast_id)
    const html = `<p onclick="x()">Hi</p><script>x()</script>`
    const written = yield* put(draft, "email", { source: "inline", subject: "Hi", html })
    const content = yield* call("GET", `/v1/emails/${written.json.email.email_id}/content`)
    assert.include(content.text, "<p>Hi</p>")
    assert.notMatch(content.text, /script|onclick/)
    assert.deepStrictEqual(written.json.email, {
      email_id: written.json.email_id,
      source: "inline",
      name: "News email",
      status: "draft",
      subject: "Hi",
      current_version: 1,
      approved_version: null,
      changed_since_approval: [],
    })
    assert.deepStrictEqual(written.json.approval_readiness.missing, ["email_approval", "schedule"])
    const approved = yield* call("POST", `/v1/emails/${written.json.email_id}/approve`, { json: {} })
    assert.strictEqual(approved.status, 200)
    const shown = yield* call("GET", at(draft))
    assert.deepStrictEqual(shown.json.approval_readiness, {
      ready: true,
      missing: ["schedule"],
      warnings: ["no_postal_address"],
    })
    assert.deepInclude(shown.json.email, { status: "approved", approved_version: 1 })
    yield* call("PATCH", `/v1/emails/${written.json.email_id}`, { json: { subject: "Changed" } })
    const changed = yield* call("GET", at(draft))
    assert.deepInclude(changed.json.email, { subject: "Changed", changed_since_approval: ["subject"] })
    assert.strictEqual(changed.json.approved_header.subject, "Hi")
    const own = yield* call("GET", `/v1/emails/${written.json.email_id}`)
    assert.deepStrictEqual(own.json.changed_since_approval, ["subject"])
    const approvedAgain = yield* call("POST", `/v1/emails/${written.json.email_id}/approve`, { json: {} })
    assert.deepStrictEqual(approvedAgain.json.changed_since_approval, [])
    assert.include(changed.json.approval_readiness.warnings, "email_changed_since_approval")
    const taken = yield* call("POST", "/v1/contact-lists", { json: { name: "Taken", kind: "static" } })
    assert.strictEqual(taken.status, 201)
    const again = { source: "inline", kind: "static", contact_ids: [], name: "taken" }
    assert.deepStrictEqual(code(yield* put(draft, "audience", again)), [409, "contact_list_name_exists"])
    const rules = {
      kind: "group",
      conditions: [{ kind: "condition", source: "contact", field: "nope", operator: "eq" }],
    }
    const dynamic = yield* put(draft, "audience", { source: "inline", kind: "dynamic", rules })
    assert.deepStrictEqual(code(dynamic), [400, "validation_failed"])
    assert.isTrue(paths(dynamic).every((path) => path.startsWith("rules")))
  }).pipe(Effect.scoped),
)

it.live("send-now lists what is missing, otherwise returns 202 and freezes the blast", () =>
  Effect.gen(function* () {
    const { call, make, put, people, write, at } = yield* served
    const draft = yield* make()
    const early = yield* call("POST", at(draft, "/send-now"))
    assert.deepStrictEqual(code(early), [400, "campaign_not_ready"])
    assert.deepStrictEqual(early.json.approval_readiness, draft.approval_readiness)
    const contact_ids = yield* people({})
    yield* put(draft, "audience", { source: "inline", kind: "static", contact_ids })
    yield* write(draft)
    const sent = yield* call("POST", at(draft, "/send-now"), { json: { operational: true } })
    assert.strictEqual(sent.status, 202)
    assert.deepInclude(sent.json, {
      status: "sending",
      operational: true,
      send_mode: "send_now",
      scheduled_at: null,
      approved_email_version: 1,
      sent_at: null,
      details: noDetails,
    })
    assert.match(sent.json.approved_at, instant)
    assert.notProperty(sent.json, "approval_readiness")
    assert.deepStrictEqual((yield* call("GET", at(draft))).json, sent.json)
    const frozen = [
      yield* call("POST", at(draft, "/send-now")),
      yield* put(draft, "audience", { source: "inline", kind: "static", contact_ids: [] }),
      yield* put(draft, "email", { source: "inline" }),
      yield* call("DELETE", at(draft)),
    ]
    for (const answered of frozen) {
      assert.deepStrictEqual(code(answered), [409, "invalid_state"])
      assert.strictEqual(answered.json.details.status, "sending")
    }
    assert.strictEqual((yield* call("PATCH", at(draft), { json: { name: "Still mine" } })).json.name, "Still mine")
  }).pipe(Effect.scoped),
)

it.live("a blast can be paused, resumed and cancelled, and its recipients listed", () =>
  Effect.gen(function* () {
    const { call, make, put, people, write, fixAudience, at, get } = yield* served
    yield* get("/v1/events")
    const draft = yield* make()
    const contact_ids = yield* people({ first_name: "Ann", display_name: "Ann" }, { unsubscribed: true })
    yield* put(draft, "audience", { source: "inline", kind: "static", contact_ids })
    yield* write(draft)
    assert.deepStrictEqual(code(yield* call("POST", at(draft, "/pause"))), [409, "invalid_state"])
    yield* call("POST", at(draft, "/send-now"), { json: {} })
    yield* fixAudience(draft)
    assert.deepInclude((yield* call("POST", at(draft, "/pause"))).json, { status: "sending", paused: true })
    assert.deepInclude((yield* call("POST", at(draft, "/resume"), { json: {} })).json, { paused: false })
    const { contacts, pagination } = yield* get(at(draft, "/contacts?sort=display_name&order=asc"))
    assert.strictEqual(pagination.total, 2)
    const { recipient_id, ...ann } = contacts[0]
    assert.match(recipient_id, /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual(ann, {
      contact_id: contact_ids[0],
      display_name: "Ann",
      email: "p0@example.com",
      contact_deleted: false,
      status: "queued",
      reason: null,
      sent_at: null,
      delivered_at: null,
      opened_at: null,
      clicked_at: null,
      clicked_url: null,
      bounced_at: null,
      unsubscribed_at: null,
      complained_at: null,
    })
    assert.deepInclude(contacts[1], { status: "blocked", reason: "unsubscribed" })
    assert.deepStrictEqual((yield* get(at(draft, "/contacts?category=sent"))).contacts, [])
    assert.deepStrictEqual(code(yield* call("GET", at(draft, "/contacts?category=x"))), [400, "validation_failed"])
    const cancelled = yield* call("POST", at(draft, "/cancel"))
    assert.deepInclude(cancelled.json, { status: "cancelled", cancelled_reason: null, paused: false })
    assert.match(cancelled.json.cancelled_at, instant)
    const details = {
      blast_recipient_count: 2,
      blast_qualified_count: 1,
      blast_sent_count: 0,
      blast_failed_count: 0,
      blast_blocked_count: 2,
    }
    assert.deepInclude(cancelled.json.details, details)
    assert.deepStrictEqual((yield* get("/v1/events?type=blast.cancelled")).events[0].data.details, details)
    assert.deepStrictEqual(code(yield* call("POST", at(draft, "/cancel"))), [409, "invalid_state"])
    assert.strictEqual((yield* call("DELETE", at(draft))).status, 200)
  }).pipe(Effect.scoped),
)

it.live("an inline email copies the approved version of a template, not its draft", () =>
  Effect.gen(function* () {
    const { call, get, make, put } = yield* served
    const made = yield* call("POST", "/v1/email-templates", {
      json: { name: "Season", html: "<p>Frozen</p>", default_subject: "From the template" },
    })
    const { template_id } = made.json
    const draft = yield* make()
    const choice = { source: "inline", template_id, from_name: "Given" }
    const refused = yield* put(draft, "email", choice)
    assert.deepStrictEqual([...code(refused), paths(refused)], [400, "template_not_approved", ["template_id"]])
    yield* call("POST", `/v1/email-templates/${template_id}/approve`, { json: {} })
    yield* call("PUT", `/v1/email-templates/${template_id}/content`, { json: { html: "<p>Later</p>" } })
    const { json } = yield* put(draft, "email", choice)
    const email = yield* get(`/v1/emails/${json.email.email_id}`)
    assert.deepStrictEqual([email.subject, email.from_name, email.status], ["From the template", "Given", "draft"])
    const content = yield* call("GET", email.content_path)
    assert.strictEqual(content.text, "<p>Frozen</p>")
  }).pipe(Effect.scoped),
)
