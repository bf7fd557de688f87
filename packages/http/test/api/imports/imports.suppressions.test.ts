// Tests of suppressions: reading and changing them, and imports of other tools' files, directly and by an import session.
import { ImportRunId } from "@tentpole/core/kernel/Ids"
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Json, paths, servingOver, world } from "../../fixtures/World.ts"

const suppressions = "/v1/suppressions"
const importing = `${suppressions}/import`
const imports = "/v1/contacts/imports"

const begin = Effect.gen(function* () {
  const { call, context } = yield* servingOver(world, Api, handlers)
  const completed = Effect.fnUntraced(function* (answer: Json) {
    const workspace = yield* Context.get(context, WorkspaceStore).findFirst
    if (workspace === null) return assert.fail("no workspace")
    yield* Context.get(context, ImportRuns).run(workspace.id, ImportRunId.make(answer.import_run_id))
    const run = yield* call("GET", `${imports}/${answer.import_run_id}`)
    const results = yield* call("GET", `${imports}/${answer.import_run_id}/results`)
    return {
      run: run.json,
      rows: results.json.items.map((row: Json) => [row.row_number, row.status, row.field_issues[0]?.code ?? null]),
    }
  })
  const reasons = Effect.map(call("GET", suppressions), ({ json }) =>
    Object.fromEntries(json.suppressions.map(({ email, reason }: Json) => [email, reason])),
  )
  return { call, completed, reasons }
})

it.live("suppressions are added, searched, filtered, paged and removed", () =>
  Effect.gen(function* () {
    const { call } = yield* begin
    const add = (json: Json) => call("POST", suppressions, { json })
    const added = yield* add({ email: " Ann@X.TEST " })
    assert.deepStrictEqual([added.status, added.json.email, added.json.reason], [201, "ann@x.test", "manual"])
    assert.strictEqual((yield* add({ email: "ann@x.test", reason: "bounce" })).json.reason, "manual")
    yield* add({ email: "bob@y.test", reason: "bounce" })
    yield* add({ email: "cat@y.test", reason: "unsubscribe" })
    assert.deepStrictEqual(paths(yield* add({ email: "ann" })), ["email"])
    const found = (query: string) =>
      Effect.map(call("GET", `${suppressions}${query}`), ({ json }) =>
        json.suppressions.map(({ email }: Json) => email),
      )
    assert.deepStrictEqual(yield* found("?search=Y.Test&reason=bounce"), ["bob@y.test"])
    const first = yield* call("GET", `${suppressions}?limit=2`)
    const rest = yield* found(`?cursor=${first.json.next_cursor}`)
    assert.sameMembers(
      [...first.json.suppressions.map(({ email }: Json) => email), ...rest],
      ["ann@x.test", "bob@y.test", "cat@y.test"],
    )
    assert.strictEqual((yield* call("GET", `${suppressions}?cursor=x`)).json.error_code, "invalid_cursor")
    assert.strictEqual((yield* call("DELETE", `${suppressions}/ANN%40x.test`)).status, 204)
    assert.strictEqual((yield* call("DELETE", `${suppressions}/ann%40x.test`)).status, 404)
  }),
)

it.live("rows are suppressed with their reasons or the given one, and contacts with these addresses change", () =>
  Effect.gen(function* () {
    const { call, completed, reasons } = yield* begin
    const items = ["ann", "bob", "cat"].map((name) => ({ email: `${name}@x.test` }))
    yield* call("POST", "/v1/contacts", { json: { items } })
    const rows = [
      { Email: "Ann@x.test" },
      { Email: "bob@x.test", Reason: "Cleaned" },
      { Email: "nobody" },
      { Email: "new@x.test", Reason: "complaint" },
      { Email: "ann@x.test" },
    ]
    const begun = yield* call("POST", importing, { json: { rows, reason: "unsubscribe" } })
    assert.deepStrictEqual([begun.status, begun.json.status, begun.json.as], [202, "queued", "suppressions"])
    const { run, rows: results } = yield* completed(begun.json)
    assert.deepInclude(run, { status: "completed", created_count: 3, skipped_count: 1, error_count: 1, total_rows: 5 })
    assert.deepStrictEqual(results, [
      [2, "created", null],
      [3, "created", null],
      [4, "failed", "invalid_email"],
      [5, "created", null],
      [6, "skipped", "already_suppressed"],
    ])
    assert.deepStrictEqual(yield* reasons, {
      "ann@x.test": "unsubscribe",
      "bob@x.test": "bounce",
      "new@x.test": "complaint",
    })
    const states = yield* call("GET", "/v1/contacts?sort=normalized_email&order=asc")
    assert.deepStrictEqual(
      states.json.items.map((each: Json) => [each.email, each.unsubscribed, each.marketing_email_invalid]),
      [
        ["ann@x.test", true, false],
        ["bob@x.test", false, true],
        ["cat@x.test", false, false],
      ],
    )
  }),
)

it.live("Mailchimp's unsubscribed members are suppressed from their CSV text as it is", () =>
  Effect.gen(function* () {
    const { call, completed, reasons } = yield* begin
    const csv =
      '\ufeff"Email Address","First Name","MEMBER_RATING","UNSUB_TIME","UNSUB_REASON","LEID","EUID","TAGS"\r\n' +
      'ann@x.test,Ann,2,"2026-01-01 10:00:00","No longer interested",1,a,"""VIP"""\r\n'
    const { run } = yield* completed((yield* call("POST", importing, { json: { csv } })).json)
    assert.deepInclude(run, { status: "completed", created_count: 1 })
    assert.deepStrictEqual(yield* reasons, { "ann@x.test": "unsubscribe" })
  }),
)

it.live("an import session suppresses listmonk's blocklisted subscribers and creates no contact", () =>
  Effect.gen(function* () {
    const { call, completed, reasons } = yield* begin
    const rows = [
      { uuid: "1", email: "ann@x.test", name: "Ann", status: "blocklisted" },
      { uuid: "2", email: "bob@x.test", name: "Bob", status: "enabled" },
    ]
    const session = yield* call("POST", imports, { json: { source: "rows", rows } })
    const at = `${imports}/${session.json.import_session_id}`
    const preview = yield* call("POST", `${at}/preview`)
    const executed = yield* call("POST", `${at}/execute`, {
      json: { as: "suppressions", mappings: preview.json.proposed_mappings },
    })
    const { rows: results } = yield* completed(executed.json)
    assert.deepStrictEqual(results, [
      [2, "created", null],
      [3, "skipped", "not_suppressed"],
    ])
    assert.deepStrictEqual(yield* reasons, { "ann@x.test": "manual" })
    assert.strictEqual((yield* call("GET", "/v1/contacts")).json.pagination.total, 0)
  }),
)

it.live("imports of suppressions without an address column or a reason are refused, with all issues", () =>
  Effect.gen(function* () {
    const { call } = yield* begin
    const refused = (json: Json) => call("POST", importing, { json })
    assert.deepStrictEqual(paths(yield* refused({ rows: [{ Email: "a@x.test" }] })), ["reason"])
    assert.deepStrictEqual(paths(yield* refused({ rows: [{ Name: "Ann" }] })), ["rows", "reason"])
    assert.deepStrictEqual(paths(yield* refused({ csv: "Name\nAnn\n", reason: "manual" })), ["csv"])
    assert.strictEqual((yield* refused({ csv: " \n", reason: "manual" })).json.error_code, "import_unreadable")
    assert.strictEqual((yield* refused({ rows: [{ Email: "a@x.test" }], csv: "x" })).status, 400)
    assert.strictEqual((yield* refused({ rows: [], reason: "manual" })).status, 400)

    const session = yield* call("POST", imports, { json: { source: "rows", rows: [{ Email: "a", Phone: "1" }] } })
    const path = `${imports}/${session.json.import_session_id}/execute`
    const list = yield* call("POST", "/v1/contact-lists", { json: { name: "L", kind: "static" } })
    const phone = { header: "Phone", target_field: "phone" }
    const wizard = { as: "suppressions", mappings: [phone], list_ids: [list.json.list_id] }
    assert.deepStrictEqual(paths(yield* call("POST", path, { json: wizard })), ["mappings", "list_ids", "reason"])
    const contacts = { mappings: [phone], reason: "bounce" }
    assert.deepStrictEqual(paths(yield* call("POST", path, { json: contacts })), ["reason"])
  }),
)
