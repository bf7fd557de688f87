// Tests of scheduling, archiving, duplicating, dry runs and retries of blasts.
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Answered, type Json, serving } from "../../fixtures/World.ts"

const B = "/v1/email-blasts"
const unknown = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"
const future = "2099-05-01T12:30:00+02:00"

const served = Effect.map(serving(Api, handlers), ({ call, context }) => {
  const at = (blast: Json, tail = "") => `${B}/${blast.blast_id}${tail}`
  const made = (path: string, json: object) => Effect.map(call("POST", path, { json }), (answered) => answered.json)
  /** A ready draft to these contacts. */
  const ready = Effect.fnUntraced(function* (people: ReadonlyArray<object> = [{}], html = "<p>Hi</p>") {
    const items = people.map((item, index) => ({ email: `p${index}@example.com`, ...item }))
    const { items: contacts } = yield* made("/v1/contacts", { items })
    const blast = yield* made(B, { name: "News", description: "of May" })
    const contact_ids = contacts.map((each: Json) => each.contact_id)
    yield* call("PUT", at(blast, "/audience"), { json: { source: "inline", kind: "static", contact_ids } })
    const email = { source: "inline", subject: "Hi {{contact.first_name}}", html }
    const { json } = yield* call("PUT", at(blast, "/email"), { json: email })
    yield* made(`/v1/emails/${json.email_id}/approve`, {})
    return { ...json, contact_ids }
  })
  const workspace = Effect.map(Context.get(context, WorkspaceStore).findFirst, (first) =>
    WorkspaceId.make(first?.id ?? ""),
  )
  /** Runs the launch job, then fails all messages with the blast. */
  const failed = (blast: Json) =>
    Effect.gen(function* () {
      const [workspaceId, id] = [yield* workspace, BlastId.make(blast.blast_id)]
      yield* Effect.orDie(Context.get(context, Deliveries).fixAudience(workspaceId, id))
      yield* Effect.orDie(Context.get(context, Blasts).fail(workspaceId, id, "authentication_refused"))
    })
  return { call, at, made, ready, failed }
})

const code = ({ status, json }: Answered) => [status, json.error_code]
const paths = ({ json }: Answered): ReadonlyArray<string> => json.details.issues.map(({ path }: Json) => path)

it.live("schedule stores UTC and the approved version; unschedule removes both", () =>
  Effect.gen(function* () {
    const { call, at, ready } = yield* served
    const draft = yield* ready()
    const json = { scheduled_at: future, operational: true }
    const scheduled = yield* call("POST", at(draft, "/schedule"), { json })
    assert.strictEqual(scheduled.status, 200)
    assert.deepInclude(scheduled.json, {
      status: "scheduled",
      scheduled_at: "2099-05-01T10:30:00.000Z",
      send_mode: "scheduled",
      operational: true,
      approved_email_version: 1,
      sent_at: null,
    })
    assert.isString(scheduled.json.approved_at)
    assert.notProperty(scheduled.json, "approval_readiness")
    assert.deepStrictEqual((yield* call("GET", at(draft))).json, scheduled.json)
    for (const [method, tail, body] of [
      ["POST", "/schedule", json],
      ["POST", "/send-now", {}],
      ["PUT", "/audience", { source: "inline", kind: "static", contact_ids: [] }],
      ["DELETE", "", undefined],
    ] as const) {
      const refused = yield* call(method, at(draft, tail), body === undefined ? {} : { json: body })
      assert.deepStrictEqual([code(refused), refused.json.details.status], [[409, "invalid_state"], "scheduled"], tail)
    }
    const back = yield* call("POST", at(draft, "/unschedule"))
    assert.strictEqual(back.status, 200)
    assert.deepInclude(back.json, {
      status: "draft",
      scheduled_at: null,
      send_mode: null,
      approved_at: null,
      approved_email_version: null,
    })
    assert.deepStrictEqual(back.json.approval_readiness.missing, ["schedule"])
    assert.deepStrictEqual(code(yield* call("POST", at(draft, "/unschedule"))), [409, "invalid_state"])
  }).pipe(Effect.scoped),
)

it.live("schedule requires a future timestamp with an offset, and lists what is missing", () =>
  Effect.gen(function* () {
    const { call, at, ready, made } = yield* served
    const draft = yield* ready()
    for (const scheduled_at of [
      "2099-05-01T12:30:00",
      "2099-05-01",
      "2099-02-30T12:30:00Z",
      "tomorrow",
      "",
      4_000_000_000_000,
      null,
      "2020-05-01T12:30:00Z",
    ]) {
      const refused = yield* call("POST", at(draft, "/schedule"), { json: { scheduled_at } })
      assert.deepStrictEqual([...code(refused), ...paths(refused)], [400, "validation_failed", "scheduled_at"])
    }
    const lacking = yield* call("POST", at(draft, "/schedule"), { json: { operational: "yes", mode: "x" } })
    assert.sameMembers([...paths(lacking)], ["scheduled_at", "operational", "mode"])
    const bare = yield* made(B, { name: "b" })
    const early = yield* call("POST", at(bare, "/schedule"), { json: { scheduled_at: future } })
    assert.deepStrictEqual(code(early), [400, "campaign_not_ready"])
    assert.deepStrictEqual(early.json.approval_readiness, bare.approval_readiness)
    for (const verb of ["schedule", "unschedule", "archive", "duplicate", "dry-run", "retry-failed"]) {
      const json = verb === "schedule" ? { scheduled_at: future } : {}
      assert.deepStrictEqual(code(yield* call("POST", `${B}/${unknown}/${verb}`, { json })), [404, "not_found"], verb)
    }
  }).pipe(Effect.scoped),
)

it.live("an archived blast is hidden, unchanged, and can't be deleted", () =>
  Effect.gen(function* () {
    const { call, at, ready } = yield* served
    const draft = yield* ready()
    yield* call("POST", at(draft, "/schedule"), { json: { scheduled_at: future } })
    const archived = yield* call("POST", at(draft, "/archive"))
    assert.strictEqual(archived.status, 200)
    assert.deepInclude(archived.json, { status: "archived", scheduled_at: "2099-05-01T10:30:00.000Z" })
    assert.deepStrictEqual((yield* call("POST", at(draft, "/archive"), { json: {} })).json, archived.json)
    assert.deepStrictEqual((yield* call("GET", B)).json.blasts, [])
    assert.deepStrictEqual((yield* call("GET", `${B}?status=archived`)).json.blasts, [archived.json])
    assert.deepStrictEqual(code(yield* call("DELETE", at(draft))), [409, "invalid_state"])
    const busy = yield* ready([{ email: "other@example.com" }])
    yield* call("POST", at(busy, "/send-now"))
    assert.deepStrictEqual(code(yield* call("POST", at(busy, "/archive"))), [409, "invalid_state"])
  }).pipe(Effect.scoped),
)

it.live("duplicate creates a draft from a blast in any status", () =>
  Effect.gen(function* () {
    const { call, at, ready } = yield* served
    const draft = yield* ready()
    yield* call("POST", at(draft, "/schedule"), { json: { scheduled_at: future } })
    const copy = yield* call("POST", at(draft, "/duplicate"))
    assert.strictEqual(copy.status, 201)
    assert.deepInclude(copy.json, {
      name: "News (copy)",
      description: "of May",
      status: "draft",
      scheduled_at: null,
      audience_source: "inline",
      email_source: "inline",
    })
    assert.deepInclude(copy.json.audience, { name: "News audience (copy)", member_count: 1 })
    assert.deepInclude(copy.json.email, { name: "News email (copy)", status: "draft", approved_version: null })
    assert.notStrictEqual(copy.json.email_id, draft.email_id)
    assert.notStrictEqual(copy.json.audience_list_id, draft.audience_list_id)
    assert.deepStrictEqual(copy.json.approval_readiness.missing, ["email_approval", "schedule"])
    assert.deepStrictEqual((yield* call("GET", at(copy.json))).json, copy.json)
  }).pipe(Effect.scoped),
)

it.live("a dry run returns the recipients and sample messages", () =>
  Effect.gen(function* () {
    const { call, at, ready } = yield* served
    const people = [{ first_name: "Ann" }, {}, { unsubscribed: true }]
    const draft = yield* ready(people, "<p>Hi {{contact.first_name}}</p>")
    const run = yield* call("POST", at(draft, "/dry-run"))
    assert.strictEqual(run.status, 200)
    const { samples, ...counts } = run.json
    const [ann, bob, away] = draft.contact_ids
    assert.deepStrictEqual(counts, {
      recipient_count: 3,
      qualified_count: 2,
      blocked: [{ reason: "unsubscribed", count: 1, sample: [{ contact_id: away, email: "p2@example.com" }] }],
      domains: [{ domain: "example.com", count: 2 }],
      unresolved_tokens: [{ token: "contact.first_name", contact_count: 1 }],
      estimated_seconds: 1,
    })
    assert.deepStrictEqual(
      samples.map(({ contact_id, subject }: Json) => [contact_id, subject]),
      [
        [ann, "Hi Ann"],
        [bob, "Hi "],
      ],
    )
    assert.include(samples[0].html, "<p>Hi Ann</p>")
    assert.include(samples[0].text, "Hi Ann")
    const operational = yield* call("POST", at(draft, "/dry-run"), { json: { operational: true } })
    assert.deepInclude(operational.json, { qualified_count: 3, blocked: [] })
    assert.notInclude(operational.json.samples[0].html, "Unsubscribe")
    assert.strictEqual((yield* call("GET", at(draft))).json.status, "draft")
    yield* call("POST", at(draft, "/send-now"))
    assert.deepStrictEqual(code(yield* call("POST", at(draft, "/dry-run"))), [409, "invalid_state"])
  }).pipe(Effect.scoped),
)

it.live("retry-failed returns 202 and the blast is sending", () =>
  Effect.gen(function* () {
    const { call, at, ready, failed } = yield* served
    const draft = yield* ready()
    assert.deepStrictEqual(code(yield* call("POST", at(draft, "/retry-failed"))), [409, "invalid_state"])
    yield* call("POST", at(draft, "/send-now"))
    yield* failed(draft)
    assert.strictEqual((yield* call("GET", at(draft))).json.failed_reason, "authentication_refused")
    const bad = yield* call("POST", at(draft, "/retry-failed"), { json: { include_unconfirmed: 1 } })
    assert.deepStrictEqual([...code(bad), ...paths(bad)], [400, "validation_failed", "include_unconfirmed"])
    const retried = yield* call("POST", at(draft, "/retry-failed"), { json: { include_unconfirmed: true } })
    assert.deepStrictEqual([retried.status, retried.json.status, retried.json.failed_reason], [202, "sending", null])
    assert.deepStrictEqual(code(yield* call("POST", at(draft, "/retry-failed"))), [409, "invalid_state"])
  }).pipe(Effect.scoped),
)
