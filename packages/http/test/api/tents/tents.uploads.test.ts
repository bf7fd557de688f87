// Tests of streamed uploads to tents over a socket.
import * as Jobs from "@tentpole/adapters/memory/kernel/Jobs"
import * as Memory from "@tentpole/adapters/memory/All"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { useCases } from "@tentpole/core/Tentpole"
import { tagged } from "@tentpole/core/contract"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Api } from "@tentpole/http/Api"
import { edge, routesOf } from "@tentpole/http/edge/Edge"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Queue, References, Stream } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { createServer, request } from "node:http"
import { multipart, png } from "../../fixtures/Multipart.ts"
import { memoryStores, parts, testKey } from "../../fixtures/World.ts"

/** The chunks that the file store has received so far. */
let arrived: Queue.Queue<number>
/** How the last put ended. */
let ended: Deferred.Deferred<string>

const watched = Layer.effect(
  BlobStore,
  Effect.map(BlobStore, (blobs) =>
    BlobStore.of({
      ...blobs,
      put: (key, bytes, options) => {
        const seen = Stream.tap(bytes, (chunk) => Queue.offer(arrived, chunk.length))
        return Effect.onExit(blobs.put(key, seen, options), (exit) => Deferred.succeed(ended, exit._tag))
      },
    }),
  ),
)

const over = useCases.pipe(
  Layer.provideMerge(memoryStores),
  Layer.provideMerge(Jobs.layer()),
  Layer.provideMerge(watched),
  Layer.provideMerge(parts),
  Layer.provideMerge(Memory.database),
  Layer.merge(Layer.succeed(References.MinimumLogLevel, "None")),
)

const listening = Effect.gen(function* () {
  arrived = yield* Queue.unbounded<number>()
  ended = yield* Deferred.make<string>()
  const context = yield* Layer.build(over)
  yield* Effect.flatMap(Workspaces, ({ bootstrap }) => bootstrap({ apiKey: testKey })).pipe(Effect.provide(context))
  const api = Layer.merge(HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers)), edge(routesOf(Api)))
  const server = yield* Layer.build(
    HttpRouter.serve(api, { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" })),
      Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
      Layer.provide(Layer.succeedContext(context)),
    ),
  )
  const { address } = Context.get(server, HttpServer.HttpServer)
  const port = "port" in address ? address.port : 0
  /** Sends a body in pieces and returns the status; 0 if the connection was closed. */
  const open = Effect.sync(() => {
    const answered = Deferred.makeUnsafe<number>()
    const headers = { authorization: `Bearer ${testKey}`, ...multipart([]).headers }
    const sending = request({ port, host: "127.0.0.1", method: "POST", path: "/v1/tents/new/assets", headers })
    sending.on("response", (response) => {
      response.resume()
      Effect.runSync(Deferred.succeed(answered, response.statusCode ?? 0))
    })
    sending.on("error", () => Effect.runSync(Deferred.succeed(answered, 0)))
    return { sending, answered: Deferred.await(answered) }
  })
  return { open }
})

const whole = Buffer.from(multipart([{ bytes: Buffer.concat([png, Buffer.alloc(200_000, 7)]) }]).body)

it.live("streams the first bytes to the file store before the last ones are sent", () =>
  Effect.gen(function* () {
    const { open } = yield* listening
    const { sending, answered } = yield* open
    sending.write(whole.subarray(0, 60_000))
    assert.isAbove(yield* Queue.take(arrived), 0)
    sending.end(whole.subarray(60_000))
    assert.strictEqual(yield* answered, 201)
  }).pipe(Effect.scoped),
)

it.live("refuses the upload when a second part follows", () =>
  Effect.gen(function* () {
    const { open } = yield* listening
    const two = Buffer.from(multipart([{ bytes: Buffer.alloc(200_000, 7) }, { bytes: "second" }]).body)
    const { sending, answered } = yield* open
    sending.write(two.subarray(0, 150_000))
    yield* Queue.take(arrived)
    sending.end(two.subarray(150_000))
    assert.strictEqual(yield* answered, 400)
    assert.strictEqual(yield* Deferred.await(ended), "Failure")
  }).pipe(Effect.scoped),
)

it.live("an interrupted upload stores no file", () =>
  Effect.gen(function* () {
    const { open } = yield* listening
    const { sending } = yield* open
    sending.write(whole.subarray(0, 60_000))
    yield* Queue.take(arrived)
    sending.destroy()
    assert.strictEqual(yield* Deferred.await(ended), "Failure")
  }).pipe(Effect.scoped),
)

const uploadBombTest = tagged(it.live, "attack/upload-bomb")
uploadBombTest("a too large upload is refused while it is being sent", () =>
  Effect.gen(function* () {
    const { open } = yield* listening
    const { sending, answered } = yield* open
    const head = whole.subarray(0, 60_000)
    const piece = Buffer.alloc(2 ** 20, 7)
    sending.write(head)
    const endless = Effect.forever(
      Effect.callback<void>((resume) => {
        sending.write(piece, () => resume(Effect.void))
      }),
    )
    const status = yield* Effect.raceFirst(answered, endless)
    sending.destroy()
    assert.strictEqual(status, 413)
    assert.strictEqual(yield* Deferred.await(ended), "Failure")
  }).pipe(Effect.scoped),
)
