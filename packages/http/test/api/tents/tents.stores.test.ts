// Tests of the files of tents in the production stores: a folder and S3.
import * as Filesystem from "@tentpole/adapters/filesystem/BlobStore"
import * as Jobs from "@tentpole/adapters/memory/kernel/Jobs"
import * as Memory from "@tentpole/adapters/memory/All"
import * as S3 from "@tentpole/adapters/s3/BlobStore"
import { Ai } from "@tentpole/core/ports/Ai"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { TentId } from "@tentpole/core/kernel/Ids"
import { type Job, Jobs as JobPort } from "@tentpole/core/kernel/changes/Jobs"
import { tagged } from "@tentpole/core/contract"
import { Assets } from "@tentpole/core/tents/assets/Assets"
import { Tents } from "@tentpole/core/tents/Tents"
import { useCases } from "@tentpole/core/Tentpole"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Api } from "@tentpole/http/Api"
import { handlers } from "@tentpole/http/Handlers"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Redacted, References, Stream } from "effect"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import S3rver from "s3rver"
import { multipart, png } from "../../fixtures/Multipart.ts"
import { servedBy } from "../../fixtures/PagesWorld.ts"
import { memoryStores, parts, servingOver } from "../../fixtures/World.ts"

const newFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "tentpole-tents-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
)

const s3Over = (directory: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const configureBuckets = [{ name: "tents" }]
      const server = yield* Effect.acquireRelease(
        Effect.sync(() => new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets })),
        (started) => Effect.promise(() => started.close()),
      )
      const { port } = yield* Effect.promise(() => server.run())
      return S3.layer({
        bucket: "tents",
        region: "us-east-1",
        endpoint: `http://127.0.0.1:${port}`,
        credentials: { accessKeyId: "S3RVER", secretAccessKey: Redacted.make("S3RVER") },
      })
    }),
  )

/** An AI that uses the first image in its page. */
const drawing = Layer.effect(
  Ai,
  Effect.map(Ai, (ai) =>
    Ai.of({ ...ai, generatePage: () => Effect.succeed(`<h1>Bakery</h1><img src="asset:1" alt="logo">`) }),
  ),
).pipe(Layer.provide(parts))

/** The API with files in a folder: the stored files, the queued jobs, and a point at which the process crashes. Scoped. */
const begin = Effect.fnUntraced(function* <E>(storeOver: (folder: string) => Layer.Layer<BlobStore, E>) {
  const folder = yield* newFolder
  const queued: Array<Job> = []
  let afterPut: Effect.Effect<void> = Effect.void
  const watched = Layer.effect(
    BlobStore,
    Effect.map(BlobStore, (blobs) =>
      BlobStore.of({
        ...blobs,
        put: (key, bytes, options) =>
          Effect.tap(
            blobs.put(key, bytes, options),
            Effect.suspend(() => afterPut),
          ),
      }),
    ),
  ).pipe(Layer.provide(storeOver(folder)))
  const noted = Layer.effect(
    JobPort,
    Effect.map(JobPort, (jobs) =>
      JobPort.of({
        ...jobs,
        enqueue: (job, options) =>
          Effect.andThen(
            jobs.enqueue(job, options),
            Effect.sync(() => void queued.push(job)),
          ),
      }),
    ),
  )
  const over = useCases.pipe(
    Layer.provideMerge(memoryStores),
    Layer.provideMerge(noted),
    Layer.provideMerge(Jobs.layer()),
    Layer.provideMerge(watched),
    Layer.provideMerge(drawing),
    Layer.provideMerge(parts),
    Layer.provideMerge(Memory.database),
    Layer.merge(Layer.succeed(References.MinimumLogLevel, "None")),
  )
  const { call, context } = yield* servingOver(over, Api, handlers)
  const workspace = yield* Context.get(context, WorkspaceStore).findFirst
  const of = workspace?.id ?? assert.fail("no workspace")
  const assets = Context.get(context, Assets)
  /** Runs all clean-up jobs, as a worker does. */
  const cleanedUp = Effect.forEach(queued, (job) =>
    job.type === "asset_cleanup" ? assets.cleanUp(job.workspaceId, job.tentId, job.assetIds) : Effect.void,
  )
  /** The files of a tent, by name; stores have other files besides. */
  const lying = Effect.promise(async () => {
    const files = await readdir(folder, { recursive: true, withFileTypes: true })
    const own = files.filter((file) => file.isFile() && /tents|incoming/.test(file.parentPath.slice(folder.length)))
    return [...new Set(own.map(({ name }) => name.slice(0, 36)))]
  })
  const upload = (tent: string, bytes: Uint8Array | string = png) =>
    call("POST", `/v1/tents/${tent}/assets`, multipart([{ bytes }]))
  return {
    assets,
    call,
    cleanedUp,
    context,
    lying,
    of,
    queued,
    tents: Context.get(context, Tents),
    upload,
    dyingAfterPut: (effect: Effect.Effect<void>) => void (afterPut = effect),
  }
})

const stores: Readonly<Record<string, (folder: string) => Layer.Layer<BlobStore, unknown>>> = {
  "a folder": (folder) => Filesystem.layer({ folder }),
  S3: s3Over,
}

describe.each(Object.entries(stores))("files of a tent in %s", (_, store) => {
  it.live("are stored, returned and deleted unchanged", () =>
    Effect.gen(function* () {
      const { call, cleanedUp, context, lying, of, tents, upload } = yield* begin(store)
      const large = Buffer.alloc(600_000, 7)
      const { json: logo } = yield* upload("new")
      const tent: string = logo.actual_tent_id
      const { json: film } = yield* upload(tent, large)
      assert.sameMembers(yield* lying, [logo.asset_id, film.asset_id])
      const at = (id: string) => `/v1/tents/${tent}/assets/${id}`
      const back = yield* call("GET", `${at(film.asset_id)}/content`)
      assert.deepStrictEqual([back.status, back.text.length], [200, large.length])
      const asked = { name: "n", prompt: "Build a website for a bakery with our logo", tent_id: tent }
      const accepted = yield* call("POST", "/v1/tents", { json: { ...asked, asset_ids: [logo.asset_id] } })
      assert.strictEqual(accepted.status, 202, accepted.text)
      yield* tents.runGeneration(of, TentId.make(tent))
      assert.strictEqual((yield* call("POST", `/v1/tents/${tent}/publish`, { json: {} })).status, 200)
      const page = yield* (yield* servedBy(context, of)).visit(`http://default.pages.test/t/${tent}`)
      assert.include(page.text, `data:image/png;base64,${Buffer.from(png).toString("base64")}`)
      assert.strictEqual((yield* call("DELETE", at(film.asset_id))).status, 204)
      assert.strictEqual((yield* call("GET", `${at(film.asset_id)}/content`)).status, 404)
      yield* cleanedUp
      assert.deepStrictEqual(yield* lying, [logo.asset_id])
      assert.strictEqual((yield* call("DELETE", `/v1/tents/${tent}`)).status, 200)
      yield* cleanedUp
      assert.deepStrictEqual(yield* lying, [])
    }).pipe(Effect.scoped),
  )

  const uploadBombTest = tagged(it.live, "attack/upload-bomb")
  uploadBombTest("leave nothing visible after an interrupted upload or a crash", () =>
    Effect.gen(function* () {
      const { assets, call, cleanedUp, dyingAfterPut, lying, of, queued, upload } = yield* begin(store)
      const { json: first } = yield* upload("new")
      const tent = TentId.make(first.actual_tent_id)
      const broken = yield* call(
        "POST",
        `/v1/tents/${tent}/assets`,
        multipart([{ bytes: Buffer.alloc(300_000, 7) }], ""),
      )
      assert.strictEqual(broken.status, 400, broken.text)
      const begun = yield* Deferred.make<void>()
      const waiting = Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      const bytes = Stream.concat(Stream.succeed(png), waiting)
      const slow = yield* Effect.forkChild(assets.upload(of, tent, { fileName: "slow", bytes }))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(slow)
      assert.deepStrictEqual(yield* lying, [first.asset_id])
      const there = yield* Deferred.make<void>()
      dyingAfterPut(Effect.andThen(Deferred.succeed(there, undefined), Effect.never))
      const dying = yield* Effect.forkChild(assets.upload(of, tent, { fileName: "lost", bytes: Stream.succeed(png) }))
      yield* Deferred.await(there)
      yield* Fiber.interrupt(dying)
      const left = queued.at(-1)
      if (left?.type !== "asset_cleanup") return assert.fail("its clean-up was queued before its first byte")
      assert.sameMembers(yield* lying, [first.asset_id, ...left.assetIds])
      assert.deepStrictEqual((yield* call("GET", `/v1/tents/${tent}/assets`)).json.assets.length, 1)
      for (const id of left.assetIds) {
        assert.strictEqual((yield* call("GET", `/v1/tents/${tent}/assets/${id}/content`)).status, 404)
      }
      // Runs every clean-up as if its delay were over: files that are in use remain.
      yield* cleanedUp
      yield* cleanedUp
      assert.deepStrictEqual(yield* lying, [first.asset_id])
    }).pipe(Effect.scoped),
  )
})
