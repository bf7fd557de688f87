// Assets and bulk jobs of tents from the request to the page, on both stores, with crashes.
import * as SanitizeHtml from "@tentpole/adapters/ai/html/SanitizeHtml"
import { Ai, AiRefused, type PageRequest } from "@tentpole/core/ports/Ai"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { decodeText, encodeText } from "@tentpole/core/kernel/Bytes"
import { eventually, Fresh, settingsLayer, tagged } from "@tentpole/core/contract"
import { type AssetId, Ids, type TentId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type Job, JobQueue, Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { TentTemplateStore } from "@tentpole/core/templates/TemplateStore"
import { TentTemplates } from "@tentpole/core/tents/TentTemplates"
import { assetKey } from "@tentpole/core/tents/assets/Asset"
import { Assets } from "@tentpole/core/tents/assets/Assets"
import { AssetStore } from "@tentpole/core/tents/assets/AssetStore"
import { readBulkItem } from "@tentpole/core/tents/bulk/BulkItem"
import { BulkStore } from "@tentpole/core/tents/bulk/BulkStore"
import { BulkTents } from "@tentpole/core/tents/bulk/BulkTents"
import { Tents } from "@tentpole/core/tents/Tents"
import { TentStore } from "@tentpole/core/tents/TentStore"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result, Stream } from "effect"
import { clients } from "../support/TestDatabase.ts"
import { memoryWith, postgresOver } from "../fixtures/Stores.ts"

let aiRequests: Array<PageRequest> = []
/** The third page waits until the test opens this. */
let gate: Deferred.Deferred<void> | undefined
let reached: Deferred.Deferred<void> | undefined

const scripted = Layer.succeed(
  Ai,
  Ai.of({
    provider: "test",
    generateEmail: () => Effect.die("no email is requested"),
    asksForPage: () => Effect.succeed(true),
    generatePage: (_, request) =>
      Effect.gen(function* () {
        aiRequests.push(request)
        if (request.prompt.includes("refused")) return yield* new AiRefused({ reason: "I would rather not" })
        if (request.prompt.includes("slow") && gate !== undefined) {
          if (reached !== undefined) yield* Deferred.succeed(reached, undefined)
          yield* Deferred.await(gate)
        }
        return `<html><body><h1>${request.prompt}</h1><img src="asset:1" alt="logo"><img src="asset:9" alt="no"></body></html>`
      }),
    matchColumns: () => Effect.succeed([]),
  }),
)

/** Called when all bytes of an upload are stored and no row refers to them. */
let afterPut: Effect.Effect<void> = Effect.void

const gatedBlobs = Layer.effect(
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
)

/** Enqueued jobs, in order. */
let queued: Array<Job> = []

const watchedJobs = Layer.effect(
  Jobs,
  Effect.map(Jobs, (jobs) =>
    Jobs.of({
      ...jobs,
      enqueue: (job, options) =>
        Effect.andThen(
          jobs.enqueue(job, options),
          Effect.sync(() => void queued.push(job)),
        ),
    }),
  ),
)

type Stores<E> = Layer.Layer<
  | TentStore
  | TentTemplateStore
  | AssetStore
  | BulkStore
  | BlobStore
  | WorkspaceStore
  | Transactor
  | Ids
  | Jobs
  | JobQueue
  | Secrets
  | Fresh,
  E
>

const world = <E>(stores: Stores<E>) =>
  Layer.mergeAll(Tents.layer, Assets.layer, BulkTents.layer, TentTemplates.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(settingsLayer(), scripted, SanitizeHtml.layer, gatedBlobs)),
    Layer.provideMerge(stores),
  )

const png = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
)
const file = (bytes: Uint8Array, fileName = "f") => ({ fileName, bytes: Stream.fromIterable([bytes]) })

const promises = <E>(name: string, stores: Stores<E>) =>
  layer(world(stores), { excludeTestServices: true })(`assets and bulk jobs: ${name}`, (it) => {
    const begin = Effect.gen(function* () {
      aiRequests = []
      queued = []
      gate = undefined
      reached = undefined
      afterPut = Effect.void
      const [tents, assets, bulk] = [yield* Tents, yield* Assets, yield* BulkTents]
      const [blobs, workspaces, queue] = [yield* BlobStore, yield* WorkspaceStore, yield* JobQueue]
      const fresh = yield* Fresh
      const workspace = yield* fresh.workspace()
      const credits = (of = workspace) => Effect.map(workspaces.get(of), (found) => found.credits)
      const isStored = (tent: TentId, id: AssetId) =>
        Effect.match(blobs.info(assetKey(workspace, tent, id)), { onSuccess: () => true, onFailure: () => false })
      /** An approved template. */
      const templates = yield* TentTemplates
      const template = Effect.fnUntraced(function* (of: WorkspaceId = workspace) {
        const made = yield* templates.create(of, { name: "t", html: "<h1>T</h1>" }, "a key")
        const { id } = made.document
        yield* templates.approve(of, id, {})
        return id
      })
      /** The work of a tent worker, until it is interrupted. */
      const working = queue.work({
        concurrency: 3,
        handle: (job, { attempt }) =>
          job.type === "tent_generation" ? tents.runGeneration(job.workspaceId, job.tentId, { attempt }) : Effect.void,
      })
      return { tents, assets, bulk, fresh, workspace, credits, isStored, template, working }
    })

    it.effect("the AI gets the named files in order, and images appear on the page", () =>
      Effect.gen(function* () {
        const { tents, assets, workspace } = yield* begin
        const logo = yield* assets.upload(workspace, null, file(png, "logo.png"))
        const brief = yield* assets.upload(workspace, logo.tentId, file(encodeText("We sell chairs"), "brief"))
        yield* assets.upload(workspace, logo.tentId, file(encodeText("not named")))
        const film = yield* assets.upload(workspace, logo.tentId, file(new Uint8Array(3_000_000).fill(7)))
        const wanted = { name: "n", prompt: "p", includeBrand: false, autoPublish: false, tentId: logo.tentId }
        yield* tents.create(workspace, { ...wanted, assetIds: [logo.id, brief.id, film.id] }, "a key")
        yield* tents.runGeneration(workspace, logo.tentId)
        const given = aiRequests[0]?.assets ?? []
        assert.deepStrictEqual(
          given.map(({ fileName, address, bytes }) => [fileName, address, bytes?.length ?? null]),
          [
            ["logo.png", "asset:1", png.length],
            ["brief", null, 14],
            ["f", null, null],
          ],
        )
        assert.strictEqual(decodeText(given[1]?.bytes ?? png), "We sell chairs")
        const html = yield* tents.content(workspace, logo.tentId)
        assert.include(html, `src="data:image/png;base64,${Buffer.from(png).toString("base64")}"`)
        assert.notInclude(html, "asset:")
      }),
    )

    const nestingBombTest = tagged(it.effect, "attack/nesting-bomb")
    nestingBombTest("an image with oversized dimensions is described to the AI, and never decoded", () =>
      Effect.gen(function* () {
        const { tents, assets, workspace } = yield* begin
        const bomb = png.slice()
        new DataView(bomb.buffer).setUint32(16, 30_000)
        new DataView(bomb.buffer).setUint32(20, 30_000)
        const { contentType, id, tentId } = yield* assets.upload(workspace, null, file(bomb, "bomb.png"))
        assert.strictEqual(contentType, "image/png")
        const logo = yield* assets.upload(workspace, tentId, file(png, "logo.png"))
        const wanted = { name: "n", prompt: "p", includeBrand: false, autoPublish: false, tentId }
        yield* tents.create(workspace, { ...wanted, assetIds: [id, logo.id] }, "a key")
        yield* tents.runGeneration(workspace, tentId)
        assert.deepStrictEqual(
          (aiRequests[0]?.assets ?? []).map(({ address, bytes, fileName }) => [
            fileName,
            address,
            bytes?.length ?? null,
          ]),
          [
            ["bomb.png", null, null],
            ["logo.png", "asset:2", png.length],
          ],
        )
      }),
    )

    it.effect("a file that is deleted before the AI request is left out, and the tent is generated", () =>
      Effect.gen(function* () {
        const { tents, assets, workspace } = yield* begin
        const { id, tentId } = yield* assets.upload(workspace, null, file(png))
        const wanted = { name: "n", prompt: "p", includeBrand: false, autoPublish: false, tentId }
        yield* tents.create(workspace, { ...wanted, assetIds: [id] }, "a key")
        yield* assets.delete(workspace, tentId, id)
        yield* tents.runGeneration(workspace, tentId)
        assert.deepStrictEqual(aiRequests[0]?.assets, [])
        assert.strictEqual((yield* tents.get(workspace, tentId)).tent.generation.status, "completed")
      }),
    )

    it.effect("a job deletes bytes of interrupted uploads and retains all others", () =>
      Effect.gen(function* () {
        const { assets, workspace, isStored } = yield* begin
        const kept = yield* assets.upload(workspace, null, file(png))
        const store = yield* AssetStore
        const there = yield* Deferred.make<void>()
        // As if the process died before the next step.
        afterPut = Effect.andThen(Deferred.succeed(there, undefined), Effect.never)
        const dying = yield* Effect.forkChild(assets.upload(workspace, kept.tentId, file(png)))
        yield* Deferred.await(there)
        yield* Fiber.interrupt(dying)
        assert.deepStrictEqual(yield* store.ofTent(workspace, kept.tentId), [kept])
        const left = queued.at(-1)
        if (left?.type !== "asset_cleanup") return assert.fail("its clean-up was queued before its first byte")
        const [lost = kept.id] = left.assetIds
        assert.isTrue(yield* isStored(left.tentId, lost))
        yield* assets.cleanUp(left.workspaceId, left.tentId, left.assetIds)
        assert.isFalse(yield* isStored(left.tentId, lost))
        yield* assets.cleanUp(workspace, kept.tentId, [kept.id])
        assert.isTrue(yield* isStored(kept.tentId, kept.id))
        yield* assets.delete(workspace, kept.tentId, kept.id)
        assert.isTrue(yield* isStored(kept.tentId, kept.id))
        yield* assets.cleanUp(workspace, kept.tentId, [kept.id])
        yield* assets.cleanUp(workspace, kept.tentId, [kept.id])
        assert.isFalse(yield* isStored(kept.tentId, kept.id))
      }),
    )

    it.effect("a tent that is deleted during an upload refuses the file, and its bytes are deleted at once", () =>
      Effect.gen(function* () {
        const { tents, assets, workspace, isStored } = yield* begin
        const first = yield* assets.upload(workspace, null, file(png))
        afterPut = Effect.orDie(Effect.asVoid(tents.delete(workspace, first.tentId)))
        const refused = yield* Effect.flip(assets.upload(workspace, first.tentId, file(png)))
        assert.strictEqual(refused._tag, "NotFound")
        yield* assets.cleanUp(workspace, first.tentId, [first.id])
        assert.isFalse(yield* isStored(first.tentId, first.id))
      }),
    )

    it.effect("concurrent uploads to one tent store at most its limit, and no bytes of the others", () =>
      Effect.gen(function* () {
        const { assets, workspace, isStored } = yield* begin
        const { tentId } = yield* assets.upload(workspace, null, file(png))
        const results = yield* Effect.all(
          Array.from({ length: 55 }, () => Effect.result(assets.upload(workspace, tentId, file(png)))),
          { concurrency: 12 },
        )
        const refused = results.filter(Result.isFailure)
        for (const { failure } of refused) assert.strictEqual(failure.code, "asset_limit_exceeded")
        const held = yield* assets.list(workspace, tentId)
        assert.deepStrictEqual([held.length, refused.length], [50, 6])
        const named = queued.flatMap((job) => (job.type === "asset_cleanup" ? job.assetIds : []))
        const left = yield* Effect.filter(named, (id) => isStored(tentId, id))
        assert.deepStrictEqual([...left].sort(), held.map(({ id }) => id).sort())
      }),
    )

    it.effect("a refused upload creates no tent", () =>
      Effect.gen(function* () {
        const { tents, assets, workspace } = yield* begin
        const refused = yield* Effect.flip(assets.upload(workspace, null, file(new Uint8Array())))
        assert.strictEqual(refused.code, "validation_failed")
        assert.deepStrictEqual((yield* tents.list(workspace, { limit: 5 })).items, [])
      }),
    )

    it.effect("a file of another workspace can't be found, attached, read or deleted", () =>
      Effect.gen(function* () {
        const { tents, assets, fresh, workspace } = yield* begin
        const other = yield* fresh.workspace()
        const { id, tentId } = yield* assets.upload(workspace, null, file(png))
        const theirs = yield* assets.upload(other, null, file(png))
        const wanted = { name: "n", prompt: "p", includeBrand: false, autoPublish: false }
        const attempts: ReadonlyArray<Effect.Effect<void, { readonly code: string }>> = [
          Effect.asVoid(assets.list(other, tentId)),
          Effect.asVoid(assets.content(other, tentId, id)),
          Effect.asVoid(assets.content(other, theirs.tentId, id)),
          assets.delete(other, tentId, id),
          assets.delete(other, theirs.tentId, id),
          Effect.asVoid(assets.upload(other, tentId, file(png))),
          Effect.asVoid(tents.create(other, { ...wanted, tentId: theirs.tentId, assetIds: [id] }, "a key")),
        ]
        for (const attempt of attempts) assert.strictEqual((yield* Effect.flip(attempt)).code, "not_found")
        assert.strictEqual((yield* assets.list(workspace, tentId)).length, 1)
      }),
    )

    it.effect("after a bulk job's worker is killed, another one creates the rest: one page and one credit each", () =>
      Effect.gen(function* () {
        const { bulk, workspace, credits, template, working } = yield* begin
        gate = yield* Deferred.make<void>()
        reached = yield* Deferred.make<void>()
        const items = ["one", "refused", "slow", "four", "five", "six", "seven"].map((instructions) =>
          readBulkItem({ instructions, custom_page_alias: "same" }, { autoPublish: true }),
        )
        const { job } = yield* bulk.create(workspace, {
          templateId: yield* template(),
          items,
          clientJobDescriptor: null,
          defaultTentNamePrefix: null,
          startIndex: 1,
          autoPublish: true,
          reasoning: "medium",
          metadata: null,
          createdByName: "a key",
        })
        assert.strictEqual(yield* credits(), 993)
        const dying = yield* Effect.forkChild(working)
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(dying)
        assert.notStrictEqual((yield* bulk.get(workspace, job.id)).progress.status, "completed")
        yield* Deferred.succeed(gate, undefined)
        const next = yield* Effect.forkChild(working)
        const done = yield* eventually(bulk.get(workspace, job.id), ({ progress }) => progress.status === "completed")
        yield* Fiber.interrupt(next)
        assert.deepStrictEqual(done.progress, { status: "completed", completed_count: 6, failed_count: 1 })
        assert.strictEqual(yield* credits(), 994)
        const aliases = done.tents.flatMap(({ tent }) => tent.alias ?? []).sort()
        assert.deepStrictEqual(aliases, ["same", "same-3", "same-4", "same-5", "same-6", "same-7"])
        const byId = new Map<string, string | null>(done.tents.map(({ tent }) => [tent.id, tent.alias]))
        for (const item of done.job.items) {
          if (item.status === "accepted" && item.index !== 1) {
            assert.strictEqual(byId.get(item.tentId), item.customPageAlias)
          }
        }
        assert.deepStrictEqual([...new Set(aiRequests.map(({ reasoning }) => reasoning))], ["medium"])
      }),
    )
  })

promises("memory", memoryWith(watchedJobs))
promises("postgres", postgresOver(clients, watchedJobs))
