// Tests of mappings over HTTP: a preview's proposals are executed as they are, with notations, values and left out cells.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { ImportRunId } from "@tentpole/core/kernel/Ids"
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Json, serving } from "../../fixtures/World.ts"

const begin = Effect.gen(function* () {
  const { call, context } = yield* serving(Api, handlers)
  const workspace = yield* Effect.fromNullishOr(yield* Context.get(context, WorkspaceStore).findFirst)
  const previewed = Effect.fnUntraced(function* (rows: ReadonlyArray<Record<string, string>>) {
    const begun = yield* call("POST", "/v1/contacts/imports", { json: { source: "rows", rows } })
    const session = begun.json.import_session_id
    return { session, preview: (yield* call("POST", `/v1/contacts/imports/${session}/preview`)).json }
  })
  const executed = Effect.fnUntraced(function* (session: string, json: Json) {
    const started = yield* call("POST", `/v1/contacts/imports/${session}/execute`, { json })
    assert.strictEqual(started.status, 202, JSON.stringify(started.json))
    const id = started.json.import_run_id
    yield* Context.get(context, ImportRuns).run(workspace.id, ImportRunId.make(id))
    return (yield* call("GET", `/v1/contacts/imports/${id}`)).json
  })
  const found = Effect.fnUntraced(function* (email: string) {
    return (yield* call("GET", `/v1/contacts?email=${encodeURIComponent(email)}`)).json.items[0]
  })
  const field = (api_name: string, value_type: string) =>
    call("POST", "/v1/contact-fields", { json: { api_name, display_name: api_name, value_type } })
  return { call, previewed, executed, found, field }
})

const rows = [
  { "E-mail": "ann@b.co", Birthday: "17.05.1990", Spent: "€ 1.234,50", Extra: "x" },
  { "E-mail": "bob@b.co", Birthday: "somewhen", Spent: "€ 99", Extra: "y" },
  { "E-mail": "nobody", Birthday: "01.02.2000", Spent: "€ 12,5", Extra: "z" },
]

it.live("a preview's proposals are executed as they are", () =>
  Effect.gen(function* () {
    const { call, previewed, executed, found, field } = yield* begin
    yield* field("birthday", "date")
    yield* field("spent", "number")
    const { preview, session } = yield* previewed(rows)
    assert.deepStrictEqual(
      preview.proposed_mappings.map((each: Json) => [
        each.target_field,
        each.date_format,
        each.decimal_separator,
        each.currency_sign,
      ]),
      [
        ["email", null, null, null],
        ["birthday", "DD.MM.YYYY", null, null],
        ["spent", null, ",", "€"],
        [null, null, null, null],
      ],
    )
    const company = { target_field: "company", value: "Acme" }
    const run = yield* executed(session, {
      mappings: [...preview.proposed_mappings, company],
      on_invalid_cell: "skip_cell",
    })
    assert.deepInclude(run, { status: "completed", created_count: 2, error_count: 1, warning_count: 1 })
    const ann = yield* found("ann@b.co")
    assert.deepInclude(ann.custom_fields, { birthday: "1990-05-17", spent: 1234.5 })
    assert.strictEqual(ann.company, "Acme")
    assert.deepInclude((yield* found("bob@b.co")).custom_fields, { birthday: null, spent: 99 })
    const results = yield* call("GET", `/v1/contacts/imports/${run.import_run_id}/results?status=created`)
    assert.deepStrictEqual(
      results.json.items.map((each: Json) => each.field_issues.map((issue: Json) => [issue.target_field, issue.value])),
      [[], [["birthday", "somewhen"]]],
    )
    const { text } = yield* call("GET", `/v1/contacts/imports/${run.import_run_id}/export`)
    assert.include(text, '"bob@b.co","somewhen","€ 99","y","3","created","The row was imported without')
    assert.include(text, '"4","failed"')
    assert.notInclude(text, "ann@b.co")
  }),
)

it.live("an invalid cell rejects its row unless the request says otherwise", () =>
  Effect.gen(function* () {
    const { previewed, executed, field } = yield* begin
    yield* field("birthday", "date")
    const { preview, session } = yield* previewed(rows)
    const run = yield* executed(session, { mappings: preview.proposed_mappings })
    assert.deepInclude(run, { created_count: 1, error_count: 2, warning_count: 0 })
  }),
)

it.live("ambiguous dates are a question in the preview, and no format is proposed", () =>
  Effect.gen(function* () {
    const { previewed, field } = yield* begin
    yield* field("birthday", "date")
    const { preview } = yield* previewed([{ Email: "ann@b.co", Birthday: "01/02/2020", Renewal: "03/04/2020" }])
    const [, birthday] = preview.proposed_mappings
    assert.deepStrictEqual([birthday.target_field, birthday.date_format], ["birthday", null])
    assert.match(birthday.reason, /DD\/MM\/YYYY or MM\/DD\/YYYY: set date_format/)
    const [renewal] = preview.field_creation_candidates
    assert.deepInclude(renewal, { suggested_value_type: "string", date_format: null, confidence: "low" })
  }),
)

it.live("lists of words are proposed and imported as tags", () =>
  Effect.gen(function* () {
    const { previewed, executed, found, field } = yield* begin
    const people = [
      { Email: "ann@b.co", Interests: '"vip","Bern, CH"' },
      { Email: "bob@b.co", Interests: '"VIP"' },
      { Email: "cid@b.co", Interests: "wine; beer, Wine" },
    ]
    const proposed = (yield* previewed(people)).preview.field_creation_candidates[0]
    assert.deepInclude(proposed, { suggested_api_name: "interests", suggested_value_type: "tags" })
    yield* field("interests", "tags")
    const { preview, session } = yield* previewed(people)
    const run = yield* executed(session, { mappings: preview.proposed_mappings })
    assert.deepInclude(run, { status: "completed", created_count: 3 })
    for (const [email, interests] of [
      ["ann@b.co", ["vip", "Bern, CH"]],
      ["bob@b.co", ["VIP"]],
      ["cid@b.co", ["wine", "beer"]],
    ] as const) {
      assert.deepStrictEqual((yield* found(email)).custom_fields, { interests })
    }
  }),
)
