// Tests of the files of tents.
import { tagged } from "@tentpole/core/contract"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { JobQueue } from "@tentpole/core/kernel/changes/Jobs"
import { Assets } from "@tentpole/core/tents/assets/Assets"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { AssetId, TentId } from "@tentpole/core/kernel/Ids"
import { assetKey } from "@tentpole/core/tents/assets/Asset"
import { Tents } from "@tentpole/core/tents/Tents"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber } from "effect"
import { multipart, type PartSent, png } from "../../fixtures/Multipart.ts"
import { type Answered, type Json, paths, servingOver, unknownId, worldWith } from "../../fixtures/World.ts"

const asset_bytes_max = 100_000
const prompt = "Create a landing page for a spring sale of garden chairs"

const over = worldWith({ asset_bytes_max })

const served = Effect.gen(function* () {
  const { call, context } = yield* servingOver(over, Api, handlers)
  const workspace = yield* Context.get(context, WorkspaceStore).findFirst
  const of = workspace?.id ?? assert.fail()
  const upload = (tent: string, ...sent: ReadonlyArray<PartSent>) =>
    call("POST", `/v1/tents/${tent}/assets`, multipart(sent))
  const first = (over: Partial<PartSent> = {}) => upload("new", { bytes: png, ...over })
  const blobs = Context.get(context, BlobStore)
  const stored = ({ json }: Pick<Answered, "json">) =>
    Effect.result(blobs.info(assetKey(of, TentId.make(json.actual_tent_id), AssetId.make(json.asset_id))))
  return { call, upload, first, stored, of, context, blobs }
})

const codeOf = ({ status, json }: Answered) => [status, json.error_code]

it.live("the first upload creates an idle tent that accepts more files", () =>
  Effect.gen(function* () {
    const { call, upload, first } = yield* served
    const { status, json } = yield* first({ fileName: "logo.png" })
    assert.strictEqual(status, 201)
    const { asset_id, actual_tent_id, created_at, ...rest } = json
    assert.deepStrictEqual(rest, { file_name: "logo.png", content_type: "image/png", size_bytes: png.length })
    assert.match(created_at, /^\d{4}-.*Z$/)
    const tent = (yield* call("GET", `/v1/tents/${actual_tent_id}`)).json
    assert.deepStrictEqual([tent.status, "publication" in tent], ["pending", false])
    const second = yield* upload(actual_tent_id, { bytes: "%PDF-1.4\n%\u00e2\n", fileName: "brief" })
    assert.deepStrictEqual([second.status, second.json.content_type], [201, "application/pdf"])
    const { json: listed } = yield* call("GET", `/v1/tents/${actual_tent_id}/assets`)
    assert.deepStrictEqual(listed, { assets: [json, second.json] })
    assert.notStrictEqual(second.json.asset_id, asset_id)
    const early = yield* call("POST", `/v1/tents/${actual_tent_id}/publish`, { json: {} })
    assert.deepStrictEqual(codeOf(early), [409, "tent_not_ready"])
  }),
)

const fileTypeTest = tagged(it.live, "attack/file-type")
fileTypeTest("the content type is detected from the bytes", () =>
  Effect.gen(function* () {
    const { first } = yield* served
    for (const [bytes, type] of [
      [png, "image/png"],
      ["GIF89a/*<script>x()</script>*/=1;", "image/gif"],
      ["%PDF-1.4\n<script>x()</script>", "application/pdf"],
      ["<!doctype html><script>x()</script>", "text/html"],
      ["\ufeff \n<!-- a --><HTML><body onload=x()>", "text/html"],
      ['<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>', "image/svg+xml"],
      ["<svg><script>x()</script></svg>", "image/svg+xml"],
      ["a,b\n1,2\n", "text/plain"],
      ["<note>x</note>", "application/xml"],
      ["+ADw-script+AD4-", "text/plain"],
      [Uint8Array.from([0x1b, 0x24, 0x42, 0, 1, 2]), "application/octet-stream"],
    ] as const) {
      const { status, json } = yield* first({ bytes, fileName: "x.png", type: "image/png" })
      assert.deepStrictEqual([status, json.content_type], [201, type])
    }
  }),
)

fileTypeTest("a file is returned unchanged as an inert attachment", () =>
  Effect.gen(function* () {
    const { call, first } = yield* served
    for (const [bytes, fileName, type] of [
      [png, "logo.png", "image/png"],
      ["<script>alert(1)</script>", "x.html", "text/html; charset=utf-8"],
      ["<svg onload=x()/>", "x.svg", "image/svg+xml; charset=utf-8"],
    ] as const) {
      const { json } = yield* first({ bytes, fileName, type: "text/plain" })
      const at = `/v1/tents/${json.actual_tent_id}/assets/${json.asset_id}/content`
      const got = yield* call("GET", at)
      assert.strictEqual(got.text, Buffer.from(bytes).toString())
      const header = (name: string) => got.headers.get(name)
      assert.deepStrictEqual(
        [header("content-disposition"), header("content-type"), header("x-content-type-options")],
        [`attachment; filename="${fileName}"`, type, "nosniff"],
      )
      assert.match(header("content-security-policy") ?? "", /\bsandbox\b/)
      assert.strictEqual((yield* call("GET", at, { headers: { authorization: "" } })).status, 401)
    }
  }),
)

const fileNameTest = tagged(it.live, "attack/file-name")
fileNameTest("file names can't traverse paths or inject headers", () =>
  Effect.gen(function* () {
    const { call, first, blobs, of } = yield* served
    for (const [sent, shown] of [
      ["../../etc/passwd", "attachment; filename="],
      ["a\u202egnp.exe", "attachment; filename="],
      ["%00.png", "attachment; filename="],
      ["Grüße 🦊.png", "attachment; filename="],
    ] as const) {
      const { status, json } = yield* first({ fileName: sent })
      assert.strictEqual(status, 201, sent)
      const key = assetKey(of, TentId.make(json.actual_tent_id), AssetId.make(json.asset_id))
      assert.strictEqual((yield* blobs.info(key)).size_bytes, png.length)
      const got = yield* call("GET", `/v1/tents/${json.actual_tent_id}/assets/${json.asset_id}/content`)
      const disposition = got.headers.get("content-disposition") ?? ""
      assert.isTrue(disposition.startsWith(shown), disposition)
      assert.notMatch(disposition, /[/\\\u202e]/)
    }
    assert.deepStrictEqual(paths(yield* first({ fileName: "x".repeat(256) })), ["file"])
  }),
)

const uploadBombTest = tagged(it.live, "attack/upload-bomb")
uploadBombTest("invalid multipart bodies are 400 and store nothing", () =>
  Effect.gen(function* () {
    const { call, upload } = yield* served
    const two = [{ bytes: png }, { bytes: "second" }] as const
    const many = Array.from({ length: 500 }, () => ({ bytes: "x" }))
    for (const [what, sent] of [
      ["nothing", multipart([])],
      ["an empty file", multipart([{ bytes: "" }])],
      ["two files", multipart(two)],
      ["a large file and another", multipart([{ bytes: Buffer.alloc(90_000, 1) }, { bytes: "second" }])],
      ["a file and a field", multipart([{ bytes: png }, { name: "note", fileName: null, bytes: "x" }])],
      ["a field before it", multipart([{ name: "note", fileName: null, bytes: "x" }, { bytes: png }])],
      ["a field", multipart([{ fileName: null, bytes: "text" }])],
      ["another name", multipart([{ name: "document", bytes: png }])],
      ["hundreds of parts", multipart(many)],
      ["no end", multipart([{ bytes: png }], "")],
      ["no end but that of the part", multipart([{ bytes: png }], "------tentpole-test\r\n")],
      ["no parts at all", { ...multipart([]), body: "------e\r\n" }],
      ["no boundary", { headers: { "content-type": "multipart/form-data" }, body: "x" }],
      ["a head without an end", { ...multipart([]), body: `------tentpole-test\r\nx: ${"y".repeat(70_000)}` }],
    ] as const) {
      const refused = yield* call("POST", "/v1/tents/new/assets", sent)
      assert.deepStrictEqual(codeOf(refused), [400, "validation_failed"], `${what}: ${refused.text}`)
    }
    assert.deepStrictEqual((yield* call("GET", "/v1/tents")).json.tents, [])
    assert.strictEqual((yield* upload(unknownId, { bytes: png })).status, 404)
    assert.strictEqual((yield* upload("nope", { bytes: png })).status, 400)
    assert.deepStrictEqual(codeOf(yield* call("POST", "/v1/tents/new/assets", { json: { file: "x" } })), [
      415,
      "unsupported_media_type",
    ])
  }),
)

uploadBombTest("accepts a file of the maximum size; larger and endless ones are 413 and store nothing", () =>
  Effect.gen(function* () {
    const { call, first, upload, stored } = yield* served
    const largest = yield* first({ bytes: Buffer.alloc(asset_bytes_max, 7) })
    assert.deepStrictEqual([largest.status, largest.json.size_bytes], [201, asset_bytes_max])
    assert.strictEqual((yield* stored(largest))._tag, "Success")
    for (const size of [asset_bytes_max + 1, 5_000_000]) {
      const refused = yield* first({ bytes: Buffer.alloc(size, 7) })
      assert.deepStrictEqual(codeOf(refused), [413, "payload_too_large"])
    }
    const field = yield* upload("new", { fileName: null, bytes: Buffer.alloc(20_000_000, 65) })
    assert.deepStrictEqual(codeOf(field), [413, "payload_too_large"])
    const part = { bytes: "x" }
    const head = { ...multipart([]), body: `------tentpole-test\r\nx: ${"y".repeat(1_000_000)}` }
    for (const sent of [multipart(Array.from({ length: 100_000 }, () => part)), head]) {
      const refused = yield* call("POST", "/v1/tents/new/assets", sent)
      assert.deepStrictEqual(codeOf(refused), [413, "payload_too_large"])
    }
    assert.strictEqual((yield* call("GET", "/v1/tents")).json.tents.length, 1)
  }),
)

it.live("a tent accepts 50 files and refuses the next with the limit", () =>
  Effect.gen(function* () {
    const { call, first, upload } = yield* served
    const { json } = yield* first()
    const tent = json.actual_tent_id
    yield* Effect.forEach(Array.from({ length: 49 }), () => upload(tent, { bytes: "x" }), { concurrency: 8 })
    const refused = yield* upload(tent, { bytes: "x" })
    assert.deepStrictEqual(codeOf(refused), [409, "asset_limit_exceeded"])
    assert.deepStrictEqual([refused.json.limit, refused.json.current], [50, 50])
    assert.strictEqual((yield* call("GET", `/v1/tents/${tent}/assets`)).json.assets.length, 50)
  }),
)

it.live("a deleted file is also removed from the file store", () =>
  Effect.gen(function* () {
    const { call, first, upload, stored, context } = yield* served
    const one = yield* first()
    const tent = one.json.actual_tent_id
    const two = yield* upload(tent, { bytes: "two" })
    const at = `/v1/tents/${tent}/assets/${one.json.asset_id}`
    assert.strictEqual((yield* call("DELETE", at)).status, 204)
    for (const [method, path] of [
      ["DELETE", at],
      ["GET", `${at}/content`],
    ] as const) {
      assert.deepStrictEqual(codeOf(yield* call(method, path)), [404, "not_found"])
    }
    assert.deepStrictEqual((yield* call("GET", `/v1/tents/${tent}/assets`)).json.assets, [two.json])
    assert.strictEqual((yield* call("DELETE", `/v1/tents/${tent}`)).status, 200)
    assert.strictEqual((yield* call("GET", `/v1/tents/${tent}/assets`)).status, 404)
    const assets = Context.get(context, Assets)
    const worker = yield* Effect.forkChild(
      Context.get(context, JobQueue).work({
        concurrency: 2,
        handle: (job) =>
          job.type === "asset_cleanup" ? assets.cleanUp(job.workspaceId, job.tentId, job.assetIds) : Effect.void,
      }),
    )
    for (const each of [one, two]) {
      yield* stored(each).pipe(Effect.delay("5 millis"), Effect.repeat({ until: ({ _tag }) => _tag === "Failure" }))
    }
    yield* Fiber.interrupt(worker)
  }),
)

it.live("a generation uses the tent's files by id; foreign, unknown and malformed ids are refused", () =>
  Effect.gen(function* () {
    const { call, first, upload, context, of } = yield* served
    const [mine, other] = [yield* first(), yield* first()]
    const tent_id: string = mine.json.actual_tent_id
    const brief = yield* upload(tent_id, { bytes: "a brief" })
    const create = (over: Json) => call("POST", "/v1/tents", { json: { name: "n", prompt, tent_id, ...over } })
    const ids = [mine.json.asset_id, brief.json.asset_id]
    for (const foreign of [other.json.asset_id, unknownId]) {
      const refused = yield* create({ asset_ids: [ids[0], foreign] })
      assert.deepStrictEqual([refused.status, paths(refused)], [404, ["asset_ids.1"]])
    }
    assert.deepStrictEqual(paths(yield* create({ asset_ids: ["logo.png"] })), ["asset_ids.0"])
    const accepted = yield* create({ asset_ids: [...ids, ids[0]] })
    assert.deepStrictEqual([accepted.status, accepted.json.id], [202, tent_id])
    assert.deepStrictEqual(codeOf(yield* create({ asset_ids: ids })), [409, "conflict"])
    yield* Context.get(context, Tents).runGeneration(of, TentId.make(tent_id))
    assert.strictEqual((yield* call("GET", `/v1/tents/${tent_id}`)).json.status, "completed")
  }),
)
