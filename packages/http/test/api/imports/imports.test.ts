// Tests of the import endpoints.
import { Api } from "@tentpole/http/Api"
import { uploads } from "@tentpole/http/api/imports/Uploads"
import { edge } from "@tentpole/http/edge/Edge"
import { handlers } from "@tentpole/http/Handlers"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { uploadKey } from "@tentpole/core/imports/Import"
import { ImportRunId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { Readable } from "node:stream"
import { type Json, serving, paths } from "../../fixtures/World.ts"

const uuid = /^[0-9a-f-]{36}$/

const toJson = (text: string): Json => (text === "" ? null : JSON.parse(text))

const begin = Effect.gen(function* () {
  const { call, context } = yield* serving(Api, handlers)
  const raw = Layer.mergeAll(uploads, edge([])).pipe(
    Layer.provide(Layer.succeedContext(context)),
    Layer.provide(HttpServer.layerServices),
  )
  const { handler } = HttpRouter.toWebHandler(raw, { disableLogger: true })
  const put = (url: string, body: string, headers: Record<string, string> = {}) =>
    Effect.promise(async () => {
      const answer = await handler(new Request(url, { method: "PUT", body, headers }))
      const text = await answer.text()
      return { status: answer.status, json: toJson(text) }
    })
  const workspace = yield* Context.get(context, WorkspaceStore).findFirst
  const run = (id: string) =>
    Context.get(context, ImportRuns).run(workspace?.id ?? ("" as WorkspaceId), ImportRunId.make(id))
  return { call, put, run }
})

const csv = ["Email;First name;Shoe size;Email 2", "ann@b.co;Ann;38;x", "nobody;Bob;41;y", "ann@b.co;Anna;39;z"].join(
  "\r\n",
)

const email = { header: "Email", target_field: "email" }

it.live("a file can be uploaded, previewed, executed and polled until completion", () =>
  Effect.gen(function* () {
    const { call, put, run } = yield* begin
    const begun = yield* call("POST", "/v1/contacts/imports", { json: { source: "upload", file_name: "Ann & Co.csv" } })
    assert.strictEqual(begun.status, 201)
    const { import_session_id: session, upload_url } = begun.json
    assert.match(session, uuid)
    assert.match(upload_url, /^http:\/\/api\.test\/uploads\/[\w-]+$/)

    assert.strictEqual(
      (yield* call("POST", `/v1/contacts/imports/${session}/preview`)).json.error_code,
      "upload_missing",
    )
    assert.strictEqual((yield* put(upload_url, "first try")).status, 200)
    assert.strictEqual((yield* put(upload_url, csv)).status, 200)

    const preview = yield* call("POST", `/v1/contacts/imports/${session}/preview`)
    assert.strictEqual(preview.status, 200)
    assert.deepStrictEqual(preview.json.headers, ["Email", "First name", "Shoe size", "Email 2"])
    assert.deepStrictEqual(
      preview.json.proposed_mappings.map((each: Json) => [each.target_field, each.target_kind, each.source]),
      [
        ["email", "standard", "deterministic"],
        ["first_name", "standard", "deterministic"],
        [null, null, "none"],
        [null, null, "none"],
      ],
    )
    assert.deepStrictEqual(preview.json.unmapped_headers, ["Shoe size", "Email 2"])
    assert.deepInclude(preview.json.field_creation_candidates[0], {
      header: "Shoe size",
      suggested_api_name: "shoe_size",
      suggested_value_type: "number",
      confidence: "medium",
      sample_values: ["38", "41", "39"],
      conflicts: [],
    })
    assert.deepStrictEqual(preview.json.sample_rows[0], {
      Email: "ann@b.co",
      "First name": "Ann",
      "Shoe size": "38",
      "Email 2": "x",
    })
    const [issue] = preview.json.sample_issues
    assert.deepInclude(issue, {
      row_number: 3,
      header: "Email",
      target_field: "email",
      code: "invalid_email",
      value: "nobody",
    })
    assert.deepStrictEqual(preview.json.blocking_issues, [])
    const standard = preview.json.available_fields.standard
    assert.isTrue(standard.every((field: Json) => field.type === "standard" && uuid.test(field.field_definition_id)))
    assert.deepStrictEqual(preview.json.available_fields.custom, [])
    const again = yield* call("POST", `/v1/contacts/imports/${session}/preview`)
    assert.deepStrictEqual(again.json, preview.json)

    const list = yield* call("POST", "/v1/contact-lists", { json: { name: "Imported", kind: "static" } })
    const executed = yield* call("POST", `/v1/contacts/imports/${session}/execute`, {
      json: {
        mappings: [
          { ...email, target_kind: "standard", overwrite_behavior: "overwrite" },
          { header: "First name", target_field: "first_name", overwrite_behavior: "skip_if_filled" },
          { header: "Shoe size", target_field: null, target_kind: null },
        ],
        list_ids: [list.json.list_id],
      },
    })
    assert.strictEqual(executed.status, 202)
    const { import_run_id: id } = executed.json
    assert.deepInclude(executed.json, { status: "queued", processed_rows: 0, total_rows: null, error_count: 0 })
    assert.strictEqual((yield* put(upload_url, csv)).json.error_code, "link_refused")
    const twice = yield* call("POST", `/v1/contacts/imports/${session}/execute`, { json: { mappings: [email] } })
    assert.deepStrictEqual([twice.status, twice.json.error_code], [409, "invalid_state"])

    yield* run(id)
    const ended = yield* call("GET", `/v1/contacts/imports/${id}`)
    const runs = yield* call("GET", "/v1/contacts/imports")
    assert.deepStrictEqual(runs.json, { runs: [{ ...ended.json, file_name: "Ann & Co.csv" }], next_cursor: null })
    assert.deepInclude(ended.json, {
      import_run_id: id,
      import_session_id: session,
      status: "completed",
      created_count: 1,
      updated_count: 1,
      skipped_count: 0,
      error_count: 1,
      total_rows: 3,
      processed_rows: 3,
      error: null,
    })
    assert.deepStrictEqual(ended.json.chunks, { size: 1000, total: 1, completed: 1 })
    const results = yield* call("GET", `/v1/contacts/imports/${id}/results`)
    assert.deepStrictEqual(
      results.json.items.map((row: Json) => [row.row_number, row.status, row.field_issues.length]),
      [
        [2, "created", 0],
        [3, "failed", 1],
        [4, "updated", 0],
      ],
    )
    assert.deepStrictEqual(results.json.pagination, { page: 1, limit: 25, total: 3, totalPages: 1 })
    const failures = yield* call("GET", `/v1/contacts/imports/${id}/results?status=failed&limit=250`)
    assert.deepStrictEqual(
      failures.json.items.map((row: Json) => row.field_issues[0]),
      [
        {
          header: "Email",
          target_field: "email",
          code: "invalid_email",
          message: "must be an email address, such as ann@example.com",
          value: "nobody",
        },
      ],
    )
    const members = yield* call("GET", `/v1/contact-lists/${list.json.list_id}/contacts`)
    assert.deepStrictEqual(
      members.json.contacts.map((contact: Json) => [contact.email, contact.first_name]),
      [["ann@b.co", "Ann"]],
    )
  }),
)

it.live("an import accepts rows in the request", () =>
  Effect.gen(function* () {
    const { call, run } = yield* begin
    const rows = [
      { Email: "a@b.co", VIP: true, Score: 7 },
      { Email: "b@b.co", Score: null },
    ]
    const begun = yield* call("POST", "/v1/contacts/imports", { json: { source: "rows", rows } })
    assert.deepStrictEqual([begun.status, "upload_url" in begun.json], [201, false])
    const session = begun.json.import_session_id
    const preview = yield* call("POST", `/v1/contacts/imports/${session}/preview`)
    assert.deepStrictEqual(preview.json.headers, ["Email", "VIP", "Score"])
    assert.deepStrictEqual(preview.json.sample_rows[0], { Email: "a@b.co", VIP: "true", Score: "7" })
    const mappings = [email, { header: "Score", target_field: "service_score" }]
    const executed = yield* call("POST", `/v1/contacts/imports/${session}/execute`, { json: { mappings } })
    yield* run(executed.json.import_run_id)
    const ended = yield* call("GET", `/v1/contacts/imports/${executed.json.import_run_id}`)
    assert.deepStrictEqual([ended.json.status, ended.json.created_count], ["completed", 2])
    const found = yield* call("GET", "/v1/contacts?email=a@b.co")
    assert.deepInclude(found.json.items[0], { service_score: 7, original_source: "import" })
  }),
)

it.live("the AI suggests unmatched columns, and an export of rejected rows is recognized", () =>
  Effect.gen(function* () {
    const { call } = yield* begin
    const row = { "Correo electrónico": "ann@example.com", Vorname: "Ann", Plan: "gold", "Old Plan": "tin" }
    const exported = { row_number: 2, status: "failed", reason: "Correo electrónico: must be an email address" }
    const rows = [{ ...row, ...exported }]
    const made = (api_name: string, display_name: string) =>
      Effect.map(
        call("POST", "/v1/contact-fields", { json: { api_name, display_name, value_type: "string" } }),
        ({ json }) => json.items[0],
      )
    yield* made("status", "Status")
    const old = yield* made("old_plan", "Former plan")
    yield* call("DELETE", `/v1/contact-fields/${old.field_definition_id}`)
    const begun = yield* call("POST", "/v1/contacts/imports", { json: { source: "rows", rows } })
    const path = `/v1/contacts/imports/${begun.json.import_session_id}/preview`
    const { json: preview } = yield* call("POST", path)
    assert.deepStrictEqual(
      preview.proposed_mappings.map((each: Json) => [each.target_field, each.target_kind, each.source]),
      [
        ["email", "standard", "ai"],
        ["first_name", "standard", "ai"],
        ...Array.from({ length: 5 }, () => [null, null, "none"]),
      ],
    )
    assert.deepStrictEqual(preview.blocking_issues, [])
    assert.deepStrictEqual(preview.unmapped_headers, ["Plan", "Old Plan", "row_number", "status", "reason"])
    assert.match(preview.proposed_mappings[6].reason, /export of an earlier import/)
    assert.deepStrictEqual(
      preview.field_creation_candidates.map((each: Json) => [each.header, each.conflicts]),
      [
        ["Plan", []],
        [
          "Old Plan",
          [
            {
              kind: "archived_existing",
              resolution: "restore_existing",
              existing_field_definition_id: old.field_definition_id,
              existing_field_display_name: "Former plan",
              conflict_key: "old_plan",
            },
          ],
        ],
      ],
    )
    assert.deepStrictEqual((yield* call("POST", path)).json, preview)
  }),
)

it.live("an invalid start reports its paths", () =>
  Effect.gen(function* () {
    const { call } = yield* begin
    const refused = (json: unknown) => Effect.map(call("POST", "/v1/contacts/imports", { json }), paths)
    assert.deepStrictEqual(yield* refused({ source: "upload" }), ["file_name"])
    assert.deepStrictEqual(yield* refused({ source: "upload", file_name: "" }), ["file_name"])
    assert.deepStrictEqual(yield* refused({ source: "upload", file_name: "a", content_type: "x\r\ny" }), [
      "content_type",
    ])
    assert.deepStrictEqual(yield* refused({ source: "rows", rows: [] }), ["rows"])
    assert.deepStrictEqual(yield* refused({ source: "rows", rows: [{ a: {} }] }), ["rows.0.a"])
    assert.deepStrictEqual(yield* refused({ source: "rows", rows: [{ a: 1 }], file_name: "" }), ["file_name"])
    const many = Array.from({ length: 1001 }, (_, index) => ({ email: `p${index}@b.co` }))
    assert.deepStrictEqual(yield* refused({ source: "rows", rows: many }), ["rows"])
    for (const json of [{}, { source: "ftp" }, { file_name: "a" }]) {
      const answered = yield* call("POST", "/v1/contacts/imports", { json })
      assert.deepStrictEqual([answered.status, answered.json.error_code], [400, "validation_failed"])
    }
  }),
)

it.live("an invalid execution reports all issues and can be repeated", () =>
  Effect.gen(function* () {
    const { call, put } = yield* begin
    const begun = yield* call("POST", "/v1/contacts/imports", { json: { source: "upload", file_name: "a.csv" } })
    const session = begun.json.import_session_id
    yield* put(begun.json.upload_url, csv)
    const execute = (json: unknown) => call("POST", `/v1/contacts/imports/${session}/execute`, { json })
    const wrong = yield* execute({
      mappings: [email, { header: "First name", target_field: "email" }, { header: "Nope", target_field: "x" }],
    })
    assert.strictEqual(wrong.status, 400)
    assert.deepStrictEqual(paths(wrong), ["mappings.1.target_field", "mappings.2.header", "mappings.2.target_field"])
    assert.deepStrictEqual(paths(yield* execute({ mappings: [] })), ["mappings"])
    const nowhere = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"
    const noList = yield* execute({ mappings: [email], list_ids: [nowhere] })
    assert.deepStrictEqual([noList.status, paths(noList)], [404, ["list_ids.0"]])
    const noField = yield* execute({ mappings: [email], created_field_definition_ids: [nowhere] })
    assert.deepStrictEqual([noField.status, paths(noField)], [404, ["created_field_definition_ids.0"]])
    const dynamic = yield* call("POST", "/v1/contact-lists", { json: { name: "D", kind: "dynamic" } })
    const notStatic = yield* execute({ mappings: [email], list_ids: [dynamic.json.list_id] })
    assert.deepStrictEqual([notStatic.status, paths(notStatic)], [400, ["list_ids.0"]])
    const strategy = yield* execute({ mappings: [email], duplicate_strategy: "merge" })
    assert.deepStrictEqual(paths(strategy), ["duplicate_strategy"])
    assert.strictEqual((yield* execute({ mappings: [email] })).status, 202)
  }),
)

it.live("distinguishes unknown ids, malformed ids and unreadable files", () =>
  Effect.gen(function* () {
    const { call, put } = yield* begin
    const nowhere = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"
    const statuses = yield* Effect.forEach(
      [
        ["POST", `/v1/contacts/imports/${nowhere}/preview`],
        ["GET", `/v1/contacts/imports/${nowhere}`],
        ["GET", `/v1/contacts/imports/${nowhere}/results`],
        ["GET", "/v1/contacts/imports/nope"],
        ["GET", `/v1/contacts/imports/${nowhere}/results?limit=251`],
        ["GET", `/v1/contacts/imports/${nowhere}/results?status=done`],
      ] as const,
      ([method, path]) => Effect.map(call(method, path), ({ status }) => status),
    )
    assert.deepStrictEqual(statuses, [404, 404, 404, 400, 400, 400])
    for (const content of ["", "%PDF-1.7", '"a,b\n']) {
      const begun = yield* call("POST", "/v1/contacts/imports", { json: { source: "upload", file_name: "a.csv" } })
      yield* put(begun.json.upload_url, content)
      const preview = yield* call("POST", `/v1/contacts/imports/${begun.json.import_session_id}/preview`)
      assert.deepStrictEqual([preview.status, preview.json.error_code], [400, "import_unreadable"])
    }
  }),
)

it.live("refuses forged upload URLs and too large content-length", () =>
  Effect.gen(function* () {
    const { call, put } = yield* begin
    const begun = yield* call("POST", "/v1/contacts/imports", { json: { source: "upload", file_name: "a.csv" } })
    const url: string = begun.json.upload_url
    for (const forged of [
      `${url}A`,
      url.slice(0, -1),
      url.replace(/uploads\/./, "uploads/B"),
      "http://api.test/uploads/x",
    ]) {
      const answer = yield* put(forged, csv)
      assert.deepStrictEqual([answer.status, answer.json.error_code], [403, "link_refused"])
    }
    const large = yield* put(url, csv, { "content-length": String(501 * 2 ** 20) })
    assert.deepStrictEqual([large.status, large.json.error_code], [413, "payload_too_large"])
  }),
)

it.live("accepts a large file over a socket, and refuses an unauthorized upload at once", () =>
  Effect.gen(function* () {
    const { call, context } = yield* serving(Api, handlers)
    const listening = yield* Layer.build(
      HttpRouter.serve(Layer.merge(uploads, edge([])), { disableLogger: true, disableListenLog: true }).pipe(
        Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
        Layer.provide(Layer.succeedContext(context)),
      ),
    )
    const { address } = Context.get(listening, HttpServer.HttpServer)
    const port = "port" in address ? address.port : 0
    const begun = yield* call("POST", "/v1/contacts/imports", { json: { source: "upload", file_name: "a.csv" } })
    const url: string = begun.json.upload_url.replace("http://api.test", `http://127.0.0.1:${port}`)
    const megabyte = Buffer.from("email,name\n".padEnd(2 ** 20, "a@b.co,x\n"))
    const send = (to: string) =>
      Effect.promise(async () => {
        const body = Readable.toWeb(Readable.from(Array.from({ length: 20 }, () => megabyte)))
        const answer = await fetch(to, { method: "PUT", body, duplex: "half" })
        return answer.status
      })
    assert.strictEqual(yield* send(url), 200)
    const workspace = yield* Context.get(context, WorkspaceStore).findFirst
    const key = uploadKey(workspace?.id ?? ("" as WorkspaceId), begun.json.import_session_id)
    const { size_bytes } = yield* Context.get(context, BlobStore).info(key)
    assert.strictEqual(size_bytes, 20 * 2 ** 20)
    assert.strictEqual(yield* send(`${url}x`), 403)
  }),
)

it.live("the OpenAPI document lists the import operations", () =>
  Effect.gen(function* () {
    const { call } = yield* begin
    const { json } = yield* call("GET", "/openapi.json")
    const described = Object.keys(json.paths).filter((path) => path.includes("/imports"))
    const exported = json.paths["/v1/contacts/imports/{import_run_id}/export"].get.responses
    assert.deepStrictEqual(Object.keys(exported["200"].content), ["text/csv; charset=utf-8"])
    assert.containsAllKeys(exported["200"].headers, ["content-disposition"])
    assert.containsAllKeys(exported, ["400", "401", "404"])
    assert.deepStrictEqual(described.sort(), [
      "/v1/contacts/imports",
      "/v1/contacts/imports/{import_run_id}",
      "/v1/contacts/imports/{import_run_id}/export",
      "/v1/contacts/imports/{import_run_id}/results",
      "/v1/contacts/imports/{session_id}/execute",
      "/v1/contacts/imports/{session_id}/preview",
    ])
  }),
)
