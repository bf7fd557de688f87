// Tests of the size and time limits of import uploads.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { ImportSessionId } from "@tentpole/core/kernel/Ids"
import { uploadKey } from "@tentpole/core/imports/Import"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Api } from "@tentpole/http/Api"
import { uploads } from "@tentpole/http/api/imports/Uploads"
import { edge } from "@tentpole/http/edge/Edge"
import { handlers } from "@tentpole/http/Handlers"
import { requestTimeouts, serverWithTimeouts } from "@tentpole/http/edge/RequestTimeouts"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, References, Stream } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { request } from "node:http"
import { servingOver, worldWith } from "../../fixtures/World.ts"

const import_bytes_max = 100_000
const over = worldWith({ import_bytes_max })

/** A session without its file, and a socket for the upload. */
const begin = Effect.fnUntraced(function* (limits = requestTimeouts) {
  const { call, context } = yield* servingOver(over, Api, handlers)
  const listening = yield* Layer.build(
    HttpRouter.serve(Layer.merge(uploads, edge([])), { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provideMerge(NodeHttpServer.layer(() => serverWithTimeouts(limits), { port: 0, host: "127.0.0.1" })),
      Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
      Layer.provide(Layer.succeedContext(context)),
    ),
  )
  const { address } = Context.get(listening, HttpServer.HttpServer)
  const port = "port" in address ? address.port : 0
  const begun = yield* call("POST", "/v1/contacts/imports", { json: { source: "upload", file_name: "a.csv" } })
  const path = new URL(begun.json.upload_url).pathname
  const session = `/v1/contacts/imports/${begun.json.import_session_id}`
  const workspace = yield* Context.get(context, WorkspaceStore).findFirst
  if (workspace === null) return assert.fail("no workspace")
  const blobs = Context.get(context, BlobStore)
  const key = uploadKey(workspace.id, ImportSessionId.make(begun.json.import_session_id))
  const stored = Effect.map(blobs.info(key), ({ size_bytes }) => size_bytes)

  /** Uploads pieces without a content-length; returns status and error code. */
  const put = (pieces: ReadonlyArray<string>, { every_ms = 0, ends = true } = {}) =>
    Effect.callback<readonly [number, string | null]>((resume) => {
      const sending = request({ port, path, method: "PUT", host: "127.0.0.1" }, (response) => {
        let text = ""
        response.on("data", (chunk: Buffer) => (text += chunk.toString()))
        response.on("end", () => {
          clearInterval(timer)
          const status = response.statusCode ?? 0
          resume(Effect.succeed([status, text === "" ? null : JSON.parse(text).message]))
        })
      })
      sending.on("error", () => undefined)
      const left = [...pieces]
      const timer = setInterval(() => {
        const piece = left.shift()
        if (piece !== undefined) return sending.write(piece)
        if (ends) sending.end()
        clearInterval(timer)
      }, every_ms)
    })
  return { call, put, session, stored, blobs, key }
})

const tooLarge = "The file exceeds the limit of 0.1 MB for imports. Split it and import the parts"

const csv = "Email,Name\r\na@b.co,Ann\r\n"

it.live("refuses a too large file during the upload and keeps the previous file", () =>
  Effect.gen(function* () {
    const { put, stored } = yield* begin()
    assert.deepStrictEqual(yield* put([csv]), [200, null])
    const piece = "x".repeat(30_000)
    assert.deepStrictEqual(yield* put([piece, piece, piece, piece]), [413, tooLarge])
    assert.strictEqual(yield* stored, csv.length)
    assert.deepStrictEqual(yield* put(["x".repeat(import_bytes_max)]), [200, null])
    assert.strictEqual(yield* stored, import_bytes_max)
  }).pipe(Effect.scoped),
)

it.live("refuses a too large file that was uploaded directly to the file store", () =>
  Effect.gen(function* () {
    const { call, session, blobs, key } = yield* begin()
    const put = (content: string) =>
      blobs.put(key, Stream.succeed(Buffer.from(content)), { contentType: "text/csv", bytes_max: 10 ** 9 })
    const preview = Effect.map(call("POST", `${session}/preview`), ({ status, json }) => [status, json.message])
    const mappings = [{ header: "Email", target_field: "email" }]
    const execute = Effect.map(call("POST", `${session}/execute`, { json: { mappings } }), ({ status, json }) => [
      status,
      json.message,
    ])
    yield* put(csv + "x".repeat(import_bytes_max))
    assert.deepStrictEqual(
      [yield* preview, yield* execute],
      [
        [413, tooLarge],
        [413, tooLarge],
      ],
    )
    yield* put(csv.padEnd(import_bytes_max, "\n"))
    assert.strictEqual((yield* preview)[0], 200)
    assert.strictEqual((yield* execute)[0], 202)
  }).pipe(Effect.scoped),
)

it.live("accepts a slow upload; a stalled one keeps the previous file", () =>
  Effect.gen(function* () {
    const tooSlow = [408, "The request arrived too slowly. Send it again, in smaller parts if it is large"] as const
    // A stalled test machine makes uploads too slow, too. Each retry has longer limits.
    for (const every_ms of [50, 200, 1_000]) {
      const limit_ms = 8 * every_ms
      const { put, stored } = yield* begin({ ...requestTimeouts, body_ms: limit_ms, upload_step_ms: limit_ms })
      const pieces = Array.from({ length: 18 }, () => "x".repeat(2_000))
      const arrived = yield* put(pieces, { every_ms })
      if (arrived[0] === 408 && every_ms < 1_000) continue
      assert.deepStrictEqual(arrived, [200, null])
      assert.strictEqual(yield* stored, 36_000)
      assert.deepStrictEqual(yield* put(["x"], { ends: false }), tooSlow)
      yield* Effect.sleep("50 millis")
      assert.strictEqual(yield* stored, 36_000)
      break
    }
  }).pipe(Effect.scoped),
)
