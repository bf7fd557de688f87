// Consent in files: imports with topics, and the export of consent records.
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { Exports } from "@tentpole/core/exports/Exports"
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { ExportId, ImportRunId } from "@tentpole/core/kernel/Ids"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Stream } from "effect"
import { type Json, serving } from "../../fixtures/World.ts"

const unknown = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"
const imports = "/v1/contacts/imports"
const records = "/v1/consent-records/export"

const begin = Effect.gen(function* () {
  const { call, context } = yield* serving(Api, handlers)
  const workspace = yield* Context.get(context, WorkspaceStore).findFirst
  if (workspace === null) return assert.fail("no workspace")
  const topic = yield* call("POST", "/v1/topics", { json: { name: "News", default_subscription: "unsubscribed" } })
  const topic_id: string = topic.json.topic_id
  const consent = { source: "shop", text: "=Yes, send it.", collected_at: "2026-01-02T03:04:05Z" }

  const execute = Effect.fnUntraced(function* (body: object) {
    const rows = [
      { Email: "ann@example.org", News: "yes" },
      { Email: "ben@example.org", News: "no" },
      { Email: "cat@example.org", News: "perhaps" },
    ]
    const { json } = yield* call("POST", imports, { json: { source: "rows", rows } })
    const mappings = [
      { header: "Email", target_field: "email" },
      { header: "News", target_field: topic_id.toUpperCase(), target_kind: "topic" },
    ]
    return yield* call("POST", `${imports}/${json.import_session_id}/execute`, { json: { mappings, ...body } })
  })
  const imported = Effect.fnUntraced(function* (body: object) {
    const { json, status } = yield* execute(body)
    assert.strictEqual(status, 202)
    yield* Context.get(context, ImportRuns).run(workspace.id, ImportRunId.make(json.import_run_id))
    return json.import_run_id as string
  })
  return { call, context, workspace, topic_id, consent, execute, imported }
})

it.live("an import records what its columns say, and its records are exported with the address", () =>
  Effect.gen(function* () {
    const { call, consent, context, imported, topic_id, workspace } = yield* begin
    const run = yield* imported({ consent })
    const results = yield* call("GET", `${imports}/${run}/results`)
    assert.deepStrictEqual(
      results.json.items.map((row: Json) => [row.status, row.field_issues.map(({ code }: Json) => code)]),
      [
        ["created", []],
        ["created", []],
        ["failed", ["invalid_topic_status"]],
      ],
    )
    const again = yield* imported({ consent, on_invalid_cell: "skip_cell", overwrite_blank_only: false })
    assert.strictEqual((yield* call("GET", `${imports}/${again}`)).json.warning_count, 1)
    assert.strictEqual((yield* call("GET", `/v1/topics/${topic_id}`)).json.subscribed_count, 1)

    const begun = yield* call("POST", records, { json: { topic_id, until: "2026-02-01" } })
    assert.strictEqual(begun.status, 202)
    const exports = Context.get(context, Exports)
    yield* exports.run(workspace.id, ExportId.make(begun.json.export_id))
    const { json } = yield* call("GET", `${records}/${begun.json.export_id}`)
    // Ann's record of each import. Ben's is of now: he left.
    assert.deepInclude(json, { status: "completed", row_count: 2 })
    assert.match(json.file_name, /^consent-records-\d{4}-\d\d-\d\d\.csv$/)
    const file = yield* exports.download(json.download_url.replace(/^.*\/downloads\//, ""))
    const bytes = yield* Stream.runCollect(file.bytes)
    const text = Buffer.concat(bytes).toString("utf8")
    assert.include(text, "ann@example.org,")
    assert.include(text, `,imported,2026-01-02T03:04:05.000Z,import,shop,"'=Yes, send it.",`)
  }),
)

it.live("refuses unknown topics, missing consent and times that can't be", () =>
  Effect.gen(function* () {
    const { call, consent, execute, topic_id } = yield* begin
    const issues = (json: Json) => json.details.issues.map(({ path }: Json) => path)
    const missing = yield* execute({ consent: { ...consent, topic_ids: [unknown] } })
    assert.deepStrictEqual([missing.status, issues(missing.json)], [404, ["consent.topic_ids.0"]])
    for (const [body, path] of [
      [{}, "consent"],
      [{ consent: { ...consent, collected_at_header: "Agreed" } }, "consent.collected_at_header"],
    ] as const) {
      const refused = yield* execute(body)
      assert.deepStrictEqual([refused.status, issues(refused.json).includes(path)], [400, true])
    }
    yield* call("PATCH", `/v1/topics/${topic_id}`, { json: { status: "archived" } })
    const archived = yield* execute({ consent })
    assert.deepStrictEqual([archived.status, archived.json.error_code], [400, "topic_archived"])

    const nowhere = yield* call("POST", records, { json: { topic_id: unknown } })
    assert.deepStrictEqual([nowhere.status, issues(nowhere.json)], [404, ["topic_id"]])
    const backwards = yield* call("POST", records, { json: { since: "2026-02-01", until: "2026-01-01" } })
    assert.deepStrictEqual([backwards.status, issues(backwards.json)], [400, ["until"]])
    assert.strictEqual((yield* call("GET", `${records}/${unknown}`)).status, 404)
  }),
)
