// Tests of exports of list members and blast recipients.
import { Api } from "@tentpole/http/Api"
import { downloads } from "@tentpole/http/api/exports/Downloads"
import { edge } from "@tentpole/http/edge/Edge"
import { handlers } from "@tentpole/http/Handlers"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Exports } from "@tentpole/core/exports/Exports"
import { BlastId, ExportId } from "@tentpole/core/kernel/Ids"
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { type Answered, type Json, paths, serving } from "../../fixtures/World.ts"

const L = "/v1/contact-lists"
const B = "/v1/email-blasts"
const unknown = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const begin = Effect.gen(function* () {
  const { call, context } = yield* serving(Api, handlers)
  const listening = yield* Layer.build(
    HttpRouter.serve(Layer.merge(downloads, edge([])), { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
      Layer.provide(Layer.succeedContext(context)),
    ),
  )
  const { address } = Context.get(listening, HttpServer.HttpServer)
  const origin = `http://127.0.0.1:${"port" in address ? address.port : 0}`
  /** A download as in a browser: over a socket, without a key. */
  const fetched = (url: string, method = "GET") =>
    Effect.promise(async () => {
      const answer = await fetch(url.replace("http://api.test", origin), { method })
      const bytes = Buffer.from(await answer.arrayBuffer())
      return { status: answer.status, headers: answer.headers, bytes, text: bytes.toString("utf8") }
    })

  const workspace = yield* Context.get(context, WorkspaceStore).findFirst
  if (workspace === null) return assert.fail("no workspace")
  /** Runs the jobs, as the worker does. */
  const run = (id: string) => Context.get(context, Exports).run(workspace.id, ExportId.make(id))
  const expire = (id: string) => Context.get(context, Exports).expire(workspace.id, "list", ExportId.make(id))

  const items = [
    { email: "ann@example.com", first_name: "=1+1", phone: "+14155550123", service_score: -5 },
    { email: "bob@example.com", company: 'a,b "q"', unsubscribed: true },
  ]
  const people: Json = (yield* call("POST", "/v1/contacts", { json: { items } })).json.items
  const contact_ids: ReadonlyArray<string> = people.map((each: Json) => each.contact_id)
  const list: Json = (yield* call("POST", L, { json: { name: "Café & Co", kind: "static", contact_ids } })).json
  const exports = `${L}/${list.list_id}/export`
  const exported = Effect.fnUntraced(function* (sent: Parameters<typeof call>[2] = {}) {
    const begun = yield* call("POST", exports, sent)
    assert.strictEqual(begun.status, 202)
    yield* run(begun.json.export_id)
    return (yield* call("GET", `${exports}/${begun.json.export_id}`)).json
  })

  /** A completed blast to both contacts, one of which has unsubscribed. No message was sent. */
  const failedBlast = Effect.gen(function* () {
    const { blast_id } = (yield* call("POST", B, { json: { name: "Frühling" } })).json
    const one = `${B}/${blast_id}`
    yield* call("PUT", `${one}/audience`, { json: { source: "existing", list_id: list.list_id } })
    const sender = { from_name: "Acme", from_address: "a@example.test", reply_to_email: "r@example.test" }
    const json = { source: "inline", subject: "Hi", html: "<p>Hi</p>", ...sender }
    const { email_id } = (yield* call("PUT", `${one}/email`, { json })).json
    yield* call("POST", `/v1/emails/${email_id}/approve`, { json: {} })
    assert.strictEqual((yield* call("POST", `${one}/send-now`)).status, 202)
    const id = BlastId.make(blast_id)
    yield* Context.get(context, Deliveries).fixAudience(workspace.id, id)
    yield* Context.get(context, Blasts).fail(workspace.id, id, "authentication_refused")
    yield* Context.get(context, Blasts).finish(workspace.id)
    return one
  })
  return { call, fetched, run, expire, list, contact_ids, exports, exported, failedBlast }
})

const code = ({ status, json }: Answered) => [status, json.error_code]

it.live("an export can be started, polled and downloaded without an API key", () =>
  Effect.gen(function* () {
    const { call, fetched, run, contact_ids, exports } = yield* begin
    const begun = yield* call("POST", exports)
    const { export_id } = begun.json
    assert.deepStrictEqual([begun.status, begun.json], [202, { export_id, status: "queued" }])
    // Without a body, which is optional, the id is the only issue.
    assert.deepStrictEqual([...paths(yield* call("POST", `${L}/nope/export`))], ["listId"])

    const queued = yield* call("GET", `${exports}/${export_id}`)
    assert.strictEqual(queued.headers.get("retry-after"), "10")
    const { created_at, ...nothing } = queued.json
    assert.match(created_at, instant)
    assert.deepStrictEqual(nothing, {
      export_id,
      status: "queued",
      row_count: null,
      file_name: null,
      download_url: null,
      expires_at: null,
      error: null,
      completed_at: null,
    })

    yield* run(export_id)
    const answered = yield* call("GET", `${exports}/${export_id}`)
    assert.deepStrictEqual([answered.status, answered.headers.get("retry-after")], [200, null])
    const { download_url, expires_at, completed_at, ...rest } = answered.json
    const file_name = `cafe-co-${completed_at.slice(0, 10)}.csv`
    assert.deepStrictEqual(rest, { export_id, status: "completed", row_count: 2, file_name, error: null, created_at })
    assert.match(expires_at, instant)
    assert.match(download_url, /^http:\/\/api\.test\/downloads\/[\w-]{71}$/)

    const file = yield* fetched(download_url)
    assert.strictEqual(file.status, 200)
    assert.deepStrictEqual(
      ["content-type", "content-disposition", "content-length", "x-content-type-options", "cache-control"].map((name) =>
        file.headers.get(name),
      ),
      [
        "text/csv; charset=utf-8",
        `attachment; filename="${file_name}"`,
        String(file.bytes.length),
        "nosniff",
        "no-store",
      ],
    )
    assert.deepStrictEqual([...file.bytes.subarray(0, 4)], [0xef, 0xbb, 0xbf, 0x63])
    const [header = "", ann = "", bob = "", end] = file.text.split("\r\n")
    assert.deepStrictEqual([header.split(",").length, end], [26, ""])
    const [first, second] = [...contact_ids].sort().map((id) => (id === contact_ids[0] ? "ann" : "bob"))
    assert.deepStrictEqual([first, second], ["ann", "bob"])
    assert.match(ann, new RegExp(`^${contact_ids[0]},,'=1\\+1,.*,ann@example\\.com,\\+14155550123,,,,,,-5,false,`))
    assert.match(bob, new RegExp(`^${contact_ids[1]},,,,"a,b ""q""",.*,bob@example\\.com,,,,,,,,true,`))

    const head = yield* fetched(download_url, "HEAD")
    assert.deepStrictEqual([head.status, head.headers.get("content-length")], [200, String(file.bytes.length)])
  }),
)

it.live("exclude_unsubscribed excludes unsubscribed contacts", () =>
  Effect.gen(function* () {
    const { fetched, exported } = yield* begin
    for (const json of [undefined, {}, { exclude_unsubscribed: false }]) {
      assert.strictEqual((yield* exported({ json })).row_count, 2)
    }
    const done = yield* exported({ json: { exclude_unsubscribed: true } })
    assert.strictEqual(done.row_count, 1)
    assert.notInclude((yield* fetched(done.download_url)).text, "bob@example.com")
  }),
)

it.live("each poll returns a valid link; changed links and links of deleted exports are refused", () =>
  Effect.gen(function* () {
    const { call, fetched, expire, exports, exported } = yield* begin
    const { export_id, download_url } = yield* exported()
    const again = (yield* call("GET", `${exports}/${export_id}`)).json.download_url
    for (const url of [download_url, again]) assert.strictEqual((yield* fetched(url)).status, 200)
    const at = download_url.length - 6
    const changed = download_url.slice(0, at) + (download_url[at] === "a" ? "b" : "a") + download_url.slice(at + 1)
    const refusals = [changed, `${download_url}A`, download_url.slice(0, -1), "http://api.test/downloads/x"]
    yield* expire(export_id)
    for (const url of [...refusals, download_url]) {
      const refused = yield* fetched(url)
      assert.deepStrictEqual([refused.status, JSON.parse(refused.text).error_code], [403, "link_refused"])
      assert.strictEqual(refused.headers.get("content-disposition"), null)
    }
    assert.deepStrictEqual(code(yield* call("GET", `${exports}/${export_id}`)), [404, "not_found"])
  }),
)

it.live("system and dynamic lists can be exported", () =>
  Effect.gen(function* () {
    const { call, run } = yield* begin
    const rules = { kind: "condition", source: "contact", field: "unsubscribed", operator: "is_true" }
    yield* call("POST", L, { json: { name: "Gone", kind: "dynamic", rules } })
    const { lists } = (yield* call("GET", L)).json
    const counted = yield* Effect.forEach(lists, ({ list_id, name }: Json) =>
      Effect.gen(function* () {
        const { export_id } = (yield* call("POST", `${L}/${list_id}/export`, { json: {} })).json
        yield* run(export_id)
        return [name, (yield* call("GET", `${L}/${list_id}/export/${export_id}`)).json.row_count]
      }),
    )
    assert.deepStrictEqual(Object.fromEntries(counted), {
      "All contacts": 2,
      Unsubscribed: 1,
      Gone: 1,
      "Café & Co": 2,
    })
  }),
)

it.live("refuses unknown, malformed and foreign export ids", () =>
  Effect.gen(function* () {
    const { call, exports } = yield* begin
    const other = (yield* call("POST", L, { json: { name: "Other", kind: "static" } })).json
    const { export_id } = (yield* call("POST", exports)).json
    assert.deepStrictEqual(code(yield* call("POST", `${L}/${unknown}/export`)), [404, "not_found"])
    assert.deepStrictEqual(code(yield* call("POST", `${L}/nope/export`)), [400, "invalid_id"])
    assert.deepStrictEqual(code(yield* call("GET", `${exports}/${unknown}`)), [404, "not_found"])
    assert.deepStrictEqual(code(yield* call("GET", `${exports}/nope`)), [400, "invalid_id"])
    assert.deepStrictEqual(code(yield* call("GET", `${L}/${other.list_id}/export/${export_id}`)), [404, "not_found"])
    const wrong = yield* call("POST", exports, { json: { exclude_unsubscribed: "yes", bogus: 1 } })
    assert.deepStrictEqual(code(wrong), [400, "validation_failed"])
    assert.deepStrictEqual(wrong.json.details.issues.map((issue: Json) => issue.path).sort(), [
      "bogus",
      "exclude_unsubscribed",
    ])
  }),
)

it.live("exports all recipients of a blast or one category", () =>
  Effect.gen(function* () {
    const { call, fetched, run, contact_ids, failedBlast } = yield* begin
    const one = yield* failedBlast
    const exported = Effect.fnUntraced(function* (json?: Json) {
      const begun = yield* call("POST", `${one}/contacts/export`, json === undefined ? {} : { json })
      const { export_id } = begun.json
      assert.deepStrictEqual([begun.status, begun.json], [202, { export_id, status: "queued" }])
      const queued = yield* call("GET", `${one}/contacts/export/${export_id}`)
      assert.strictEqual(queued.headers.get("retry-after"), "10")
      yield* run(export_id)
      return (yield* call("GET", `${one}/contacts/export/${export_id}`)).json
    })
    const listed: Json = (yield* call("GET", `${one}/contacts`)).json.contacts
    for (const json of [undefined, {}, { category: "recipients" }]) {
      const { completed_at, download_url, file_name, row_count, status } = yield* exported(json)
      const name = `fruhling-recipients-${completed_at.slice(0, 10)}.csv`
      assert.deepStrictEqual([status, row_count, file_name], ["completed", 2, name])
      const lines = (yield* fetched(download_url)).text.split("\r\n")
      assert.strictEqual(
        lines[0],
        "\ufeffcontact_id,recipient_id,display_name,email,contact_deleted,status,reason,sent_at,delivered_at,opened_at," +
          "clicked_at,clicked_url,bounced_at,unsubscribed_at,complained_at",
      )
      const rows = contact_ids.toSorted().map((id) => {
        const { recipient_id, email, status, reason } = listed.find((each: Json) => each.contact_id === id)
        return `${id},${recipient_id},,${email},false,${status},${reason},,,,,,,,`
      })
      assert.deepStrictEqual(lines.slice(1), [...rows, ""])
      assert.include(rows.join(), "failed,blast_failed")
      assert.include(rows.join(), "blocked,unsubscribed")
    }
    const none = yield* exported({ category: "clicked" })
    assert.deepStrictEqual([none.row_count, none.file_name.slice(0, 17)], [0, "fruhling-clicked-"])
  }),
)

it.live("exports of recipients are found only under their blast, and not after its deletion", () =>
  Effect.gen(function* () {
    const { call, fetched, run, exports, failedBlast } = yield* begin
    const one = yield* failedBlast
    const other = `${B}/${(yield* call("POST", B, { json: { name: "Other" } })).json.blast_id}`
    const { export_id } = (yield* call("POST", `${one}/contacts/export`)).json
    const { export_id: ofList } = (yield* call("POST", exports)).json
    for (const path of [
      `${other}/contacts/export/${export_id}`,
      `${one}/contacts/export/${ofList}`,
      `${one}/contacts/export/${unknown}`,
      `${B}/${unknown}/contacts/export/${export_id}`,
      `${exports}/${export_id}`,
    ]) {
      assert.deepStrictEqual(code(yield* call("GET", path)), [404, "not_found"], path)
    }
    assert.deepStrictEqual(code(yield* call("POST", `${B}/${unknown}/contacts/export`)), [404, "not_found"])
    const wrong = yield* call("POST", `${one}/contacts/export`, { json: { category: "all" } })
    assert.deepStrictEqual(code(wrong), [400, "validation_failed"])
    // A draft has no recipients yet: its file has a header.
    const early = (yield* call("POST", `${other}/contacts/export`)).json.export_id
    yield* run(early)
    assert.strictEqual((yield* call("GET", `${other}/contacts/export/${early}`)).json.row_count, 0)

    yield* run(export_id)
    const { download_url } = (yield* call("GET", `${one}/contacts/export/${export_id}`)).json
    const late = (yield* call("POST", `${one}/contacts/export`)).json.export_id
    assert.strictEqual((yield* call("DELETE", one)).status, 200)
    yield* run(late)
    for (const id of [export_id, late]) {
      assert.deepStrictEqual(code(yield* call("GET", `${one}/contacts/export/${id}`)), [404, "not_found"])
    }
    assert.strictEqual((yield* fetched(download_url)).status, 403)
  }),
)

it.live("the OpenAPI document lists the export operations", () =>
  Effect.gen(function* () {
    const { call } = yield* begin
    const { json } = yield* call("GET", "/openapi.json")
    const [start, follow] = [`${L}/{listId}/export`, `${L}/{listId}/export/{exportId}`]
    assert.includeMembers(Object.keys(json.paths[start].post.responses), ["202", "400", "401", "404", "413", "415"])
    assert.property(json.paths[follow].get.responses["200"].headers, "retry-after")
    assert.containsAllKeys(json.components.schemas, ["Export", "ExportBegun", "BeginContactListExport"])
  }),
)
