// Tents from the request to the page, on both stores, with a scripted AI.
import * as SanitizeHtml from "@tentpole/adapters/ai/html/SanitizeHtml"
import { Ai, AiRefused, AiUnavailable, type PageRequest } from "@tentpole/core/ports/Ai"
import { Fresh, settingsLayer, until, tagged } from "@tentpole/core/contract"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { Ids, TentId, TentTemplateId } from "@tentpole/core/kernel/Ids"
import { JobQueue, Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { isAlias } from "@tentpole/core/tents/Alias"
import { TentTemplateStore } from "@tentpole/core/templates/TemplateStore"
import type { NewTent } from "@tentpole/core/tents/NewTent"
import { PublishedPages } from "@tentpole/core/tents/pages/PublishedPages"
import { AssetStore } from "@tentpole/core/tents/assets/AssetStore"
import { Tents } from "@tentpole/core/tents/Tents"
import { TentStore } from "@tentpole/core/tents/TentStore"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { memory, postgres } from "../fixtures/Stores.ts"

const settings = settingsLayer({ publicPagesUrl: "http://localhost:8081", pagesHost: "localhost" })

/** The AI's behaviour, by the words of a prompt. */
let aiRequests: Array<PageRequest> = []
let gate: Deferred.Deferred<void> | undefined
const scripted = Layer.succeed(
  Ai,
  Ai.of({
    provider: "test",
    generateEmail: () => Effect.die("no email is requested"),
    asksForPage: (_, prompt) =>
      prompt.includes("away")
        ? Effect.fail(new AiUnavailable({ reason: "x" }))
        : Effect.succeed(!prompt.includes("question")),
    generatePage: (_, request) =>
      Effect.gen(function* () {
        aiRequests.push(request)
        if (gate !== undefined) yield* Deferred.await(gate)
        if (request.prompt.includes("refused")) return yield* new AiRefused({ reason: "I would rather not" })
        if (request.prompt.includes("silent")) return yield* new AiUnavailable({ reason: "secret detail" })
        if (request.prompt.includes("deep")) return "<div>".repeat(5_000)
        if (request.prompt.includes("huge")) return `<html><body>${"x".repeat(3 * 2 ** 20)}</body></html>`
        return `<html><head><title>${request.name}</title></head><body><h1 onclick="x()">${request.prompt}</h1><script>x()</script><form id="f"><input name="email"></form></body></html>`
      }),
    matchColumns: () => Effect.succeed([]),
  }),
)

/** Waits until the AI has had that many requests. */
const untilRequests = (count: number) => until(() => aiRequests.length >= count)

/** What both stores share for tents. */
type Stores<E> = Layer.Layer<
  | TentStore
  | TentTemplateStore
  | PublishedPages
  | WorkspaceStore
  | AssetStore
  | BlobStore
  | Transactor
  | Ids
  | Jobs
  | JobQueue
  | Secrets
  | Fresh,
  E
>

const world = <E>(stores: Stores<E>) =>
  Tents.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(settings, scripted, SanitizeHtml.layer)),
    Layer.provideMerge(stores),
  )

const page: NewTent = { name: "A tent", prompt: "a page", includeBrand: false, autoPublish: false, assetIds: [] }
const alias = (text: string) => (isAlias(text) ? text : assert.fail(`${text} is no alias`))

const promises = <E>(name: string, stores: Stores<E>) =>
  layer(world(stores), { excludeTestServices: true })(`tents: ${name}`, (it) => {
    const begin = Effect.gen(function* () {
      aiRequests = []
      gate = undefined
      const tents = yield* Tents
      const pages = yield* PublishedPages
      const workspaces = yield* WorkspaceStore
      const fresh = yield* Fresh
      const workspace = yield* fresh.workspace()
      const credits = (of = workspace) => Effect.map(workspaces.get(of), (found) => found.credits)
      const made = Effect.fnUntraced(function* (over: Partial<NewTent> = {}, of = workspace) {
        const {
          tent: { id },
        } = yield* tents.create(of, { ...page, ...over }, "a key")
        yield* tents.runGeneration(of, id)
        return yield* tents.get(of, id)
      })
      return { tents, pages, fresh, workspace, credits, made }
    })

    it.effect("an accepted tent is queued, costs a credit, and gets a clean page", () =>
      Effect.gen(function* () {
        const { tents, workspace, credits } = yield* begin
        const {
          tent: { id },
        } = yield* tents.create(workspace, { ...page, userId: "u" }, "a key")
        assert.strictEqual((yield* tents.get(workspace, id)).tent.generation.status, "queued")
        assert.strictEqual((yield* Effect.flip(tents.content(workspace, id)))._tag, "TentNotReady")
        yield* tents.runGeneration(workspace, id)
        const { tent, url } = yield* tents.get(workspace, id)
        assert.deepStrictEqual([tent.generation.status, tent.publication, url], ["completed", null, null])
        const html = yield* tents.content(workspace, id)
        assert.include(html, "<h1>a page</h1>")
        assert.notInclude(html, "script")
        assert.strictEqual(yield* credits(), 999)
      }),
    )

    it.effect("creating a tent enqueues its job, and a worker generates it", () =>
      Effect.gen(function* () {
        const { tents, workspace } = yield* begin
        const {
          tent: { id },
        } = yield* tents.create(workspace, page, "a key")
        const done = yield* Deferred.make<void>()
        const queue = yield* JobQueue
        const worker = yield* Effect.forkChild(
          queue.work({
            concurrency: 1,
            handle: (job, { attempt }) =>
              job.type === "tent_generation"
                ? Effect.andThen(
                    tents.runGeneration(job.workspaceId, job.tentId, { attempt }),
                    job.tentId === id ? Deferred.succeed(done, undefined) : Effect.void,
                  )
                : Effect.void,
          }),
        )
        yield* Deferred.await(done)
        yield* Fiber.interrupt(worker)
        assert.strictEqual((yield* tents.get(workspace, id)).tent.generation.status, "completed")
      }),
    )

    const aiOutputTest = tagged(it.effect, "attack/ai-output")
    aiOutputTest("a refused, silent, endless or unsafe answer fails with a sentence and returns the credit once", () =>
      Effect.gen(function* () {
        const { tents, workspace, credits, made } = yield* begin
        for (const [prompt, sentence] of [
          ["refused", "I would rather not"],
          ["silent", "does not answer"],
          ["deep", "too many elements open"],
          ["huge", "larger than 2 MB"],
        ] as const) {
          const { tent } = yield* made({ prompt, autoPublish: true })
          const { generation } = tent
          assert.strictEqual(generation.status, "failed")
          assert.include(generation.status === "failed" ? generation.error : "", sentence)
          assert.notInclude(generation.status === "failed" ? generation.error : "", "secret")
          assert.strictEqual(tent.publication?.status, "failed")
          yield* tents.runGeneration(workspace, tent.id)
          assert.strictEqual(yield* credits(), 1000)
        }
      }),
    )

    it.effect("two workers on one generation create one page and take one credit", () =>
      Effect.gen(function* () {
        const { tents, workspace, credits } = yield* begin
        const {
          tent: { id },
        } = yield* tents.create(workspace, { ...page, autoPublish: true, customPageAlias: "one" }, "a key")
        const opened = (gate = yield* Deferred.make<void>())
        const both = yield* Effect.forkChild(
          Effect.all([tents.runGeneration(workspace, id), tents.runGeneration(workspace, id)], { concurrency: 2 }),
        )
        yield* untilRequests(2)
        yield* Deferred.succeed(opened, undefined)
        yield* Fiber.join(both)
        const { tent } = yield* tents.get(workspace, id)
        assert.deepStrictEqual([tent.generation.status, tent.alias], ["completed", "one"])
        assert.strictEqual(yield* credits(), 999)
      }),
    )

    it.effect("a worker that dies after the answer leaves a tent that the next one completes for the same credit", () =>
      Effect.gen(function* () {
        const { tents, workspace, credits } = yield* begin
        const {
          tent: { id },
        } = yield* tents.create(workspace, page, "a key")
        gate = yield* Deferred.make<void>()
        const dying = yield* Effect.forkChild(tents.runGeneration(workspace, id))
        yield* untilRequests(1)
        yield* Fiber.interrupt(dying)
        assert.strictEqual((yield* tents.get(workspace, id)).tent.generation.status, "generating")
        gate = undefined
        yield* tents.runGeneration(workspace, id, { attempt: 2 })
        assert.strictEqual((yield* tents.get(workspace, id)).tent.generation.status, "completed")
        assert.strictEqual(yield* credits(), 999)
      }),
    )

    it.effect("a generation whose workers failed too often fails and returns its credit", () =>
      Effect.gen(function* () {
        const { tents, workspace, credits } = yield* begin
        const {
          tent: { id },
        } = yield* tents.create(workspace, page, "a key")
        yield* tents.runGeneration(workspace, id, { attempt: 6 })
        assert.strictEqual((yield* tents.get(workspace, id)).tent.generation.status, "failed")
        assert.strictEqual(aiRequests.length, 0)
        assert.strictEqual(yield* credits(), 1000)
      }),
    )

    it.effect("a tent that is deleted during its generation stays deleted", () =>
      Effect.gen(function* () {
        const { tents, workspace } = yield* begin
        const {
          tent: { id },
        } = yield* tents.create(workspace, page, "a key")
        const opened = (gate = yield* Deferred.make<void>())
        const working = yield* Effect.forkChild(tents.runGeneration(workspace, id))
        yield* untilRequests(1)
        yield* tents.delete(workspace, id)
        yield* Deferred.succeed(opened, undefined)
        yield* Fiber.join(working)
        assert.strictEqual((yield* Effect.flip(tents.get(workspace, id)))._tag, "NotFound")
      }),
    )

    it.effect("a refused creation takes no credit and stores nothing", () =>
      Effect.gen(function* () {
        const { tents, workspace, fresh, credits, made } = yield* begin
        const { tent } = yield* made()
        const unknownId = TentId.make(yield* fresh.id)
        const refusal = (over: Partial<NewTent>) =>
          Effect.map(Effect.flip(tents.create(workspace, { ...page, ...over }, "a key")), (refused) => refused.code)
        assert.strictEqual(yield* refusal({ name: "" }), "validation_failed")
        assert.strictEqual(yield* refusal({ prompt: "a question" }), "INVALID_PROMPT_INTENT")
        assert.strictEqual(yield* refusal({ prompt: "away" }), "unavailable")
        assert.strictEqual(yield* refusal({ tentId: unknownId }), "not_found")
        assert.strictEqual(yield* refusal({ templateId: TentTemplateId.make(unknownId) }), "not_found")
        assert.strictEqual(yield* refusal({ tentId: tent.id }), "conflict")
        assert.strictEqual((yield* tents.list(workspace, { limit: 10 })).items.length, 1)
        assert.strictEqual(yield* credits(), 999)
      }),
    )

    it.effect("of two concurrent requests for the last credit one is accepted", () =>
      Effect.gen(function* () {
        const { tents, fresh, credits } = yield* begin
        const workspace = yield* fresh.workspace({ credits: 1 })
        const create = Effect.result(tents.create(workspace, page, "a key"))
        const results = yield* Effect.all([create, create], { concurrency: 2 })
        assert.deepStrictEqual(results.map((each) => (Result.isFailure(each) ? each.failure.code : "ok")).sort(), [
          "insufficient_credits",
          "ok",
        ])
        assert.strictEqual(yield* credits(workspace), 0)
      }),
    )

    it.effect("the AI request contains the brand only when it is requested", () =>
      Effect.gen(function* () {
        const { fresh, made } = yield* begin
        const workspace = yield* fresh.workspace({ brand: { name: "Acme" } })
        yield* made({}, workspace)
        yield* made({ includeBrand: true }, workspace)
        assert.deepStrictEqual(
          aiRequests.map((request) => request.brand?.name),
          [undefined, "Acme"],
        )
      }),
    )

    it.effect("auto-publish serves the page at its alias, and a second tent at an adjusted alias with a warning", () =>
      Effect.gen(function* () {
        const { pages, workspace, made } = yield* begin
        const first = yield* made({ autoPublish: true, customPageAlias: "sale" })
        const second = yield* made({ autoPublish: true, customPageAlias: "sale" })
        assert.match(first.url ?? "", /^http:\/\/test-[0-9a-f-]+\.localhost:8081\/sale$/)
        assert.match(second.url ?? "", /\/sale-2$/)
        const { publication } = second.tent
        assert.deepStrictEqual(publication?.status === "published" && publication.warnings.map((each) => each.code), [
          "alias_adjusted",
        ])
        const served = yield* pages.getPage(workspace, { by: "alias", alias: alias("sale-2") })
        assert.include(served?.html, "Made with Tentpole")
        assert.include(served?.html, `action="/f/${second.tent.id}/f" method="post"`)
      }),
    )

    it.effect("a tent can be published, moved to another alias, unpublished and published again", () =>
      Effect.gen(function* () {
        const { tents, workspace, made } = yield* begin
        const { tent } = yield* made()
        const first = yield* tents.publish(workspace, tent.id, { alias: alias("a") })
        assert.deepStrictEqual([first.changed, first.url?.endsWith("/a")], [true, true])
        const again = yield* tents.publish(workspace, tent.id, {})
        assert.deepStrictEqual([again.changed, again.tent], [false, first.tent])
        const cleared = yield* tents.publish(workspace, tent.id, { alias: null })
        assert.isTrue(cleared.url?.endsWith(`/t/${tent.id}`))
        assert.isTrue((yield* tents.unpublish(workspace, tent.id)).changed)
        assert.isFalse((yield* tents.unpublish(workspace, tent.id)).changed)
        assert.isTrue((yield* tents.publish(workspace, tent.id, {})).changed)
      }),
    )

    it.effect("the plan's limit is reported, and stays in the status", () =>
      Effect.gen(function* () {
        const { tents, fresh, made } = yield* begin
        const workspace = yield* fresh.workspace({ plan: "free" })
        const [one, two] = [yield* made({}, workspace), yield* made({}, workspace)]
        yield* tents.publish(workspace, one.tent.id, {})
        const refused = yield* Effect.flip(tents.publish(workspace, two.tent.id, {}))
        assert.deepStrictEqual(
          [refused.code, refused._tag === "PublishLimitExceeded" && refused.extras],
          ["publish_limit_exceeded", { limit: 1, current: 1 }],
        )
        const { publication } = (yield* tents.get(workspace, two.tent.id)).tent
        assert.strictEqual(publication?.status === "failed" && publication.error.code, "publish_limit_exceeded")
        yield* tents.unpublish(workspace, one.tent.id)
        assert.strictEqual((yield* tents.publish(workspace, two.tent.id, {})).tent.publication?.status, "published")
      }),
    )

    const foreignAliasTest = tagged(it.effect, "attack/foreign-alias")
    foreignAliasTest("a tent is deleted by id, alias and root path, and never by another workspace", () =>
      Effect.gen(function* () {
        const { tents, fresh, workspace, made } = yield* begin
        const other = yield* fresh.workspace()
        const [one, two, three] = [yield* made(), yield* made(), yield* made()]
        yield* tents.publish(workspace, two.tent.id, { alias: alias("two") })
        yield* tents.publish(workspace, three.tent.id, { alias: alias("/") })
        for (const text of [one.tent.id, "two", "__index__"]) {
          assert.strictEqual((yield* Effect.flip(tents.delete(other, text)))._tag, "NotFound")
        }
        assert.strictEqual(yield* tents.delete(workspace, one.tent.id), one.tent.id)
        assert.strictEqual(yield* tents.delete(workspace, "two"), two.tent.id)
        assert.strictEqual(yield* tents.delete(workspace, "__index__"), three.tent.id)
        const code = (text: string) => Effect.map(Effect.flip(tents.delete(workspace, text)), (refused) => refused.code)
        for (const text of [one.tent.id, "two", "__index__", "admin"])
          assert.strictEqual(yield* code(text), "not_found")
        for (const text of ["Not-An-Alias", "a b", "/"]) assert.strictEqual(yield* code(text), "validation_failed")
      }),
    )
  })

promises("memory", memory)
promises("postgres", postgres)
