// Contract tests of generations: one at a time for each document, paid once, refunded when it fails.
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, type Layer, Result } from "effect"
import type { DocumentTypes } from "../../src/documents/Document.ts"
import { JobQueue } from "../../src/kernel/changes/Jobs.ts"
import type { NotFound } from "../../src/kernel/Refusal.ts"
import { eventually } from "../kernel/eventually.ts"
import { at, begin, type Ports, type Sample } from "./documentWorld.ts"

export const documentGenerations = <E, T extends DocumentTypes>(
  name: string,
  live: Layer.Layer<Ports, E>,
  sample: Sample<T>,
) =>
  layer(live, { excludeTestServices: true })(`Generations (${sample.kind}, ${name})`, (it) => {
    const start = begin(sample)
    const { answer, machine } = sample

    it.effect("creates a document for the AI without HTML, with a generation, and takes a credit", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, begun, credits } = yield* start
        const { document, generation } = yield* begun()
        assert.deepInclude<object>(document, { currentVersion: 0, generationStatus: "generating" })
        assert.deepStrictEqual(yield* store.get(workspace, document.id), document)
        assert.deepStrictEqual(yield* store.current(workspace, document.id), { document, html: null })
        assert.deepStrictEqual(yield* store.generation(workspace, document.id, generation.id), generation)
        const locked = yield* transact(store.lock(workspace, document.id))
        assert.deepStrictEqual(locked, { document, html: null, generation })
        const query = { status: null, search: null, after: null, limit: 9 }
        assert.deepStrictEqual((yield* store.list(workspace, query)).items, [document])
        assert.strictEqual(yield* credits(), 999)
      }),
    )

    it.effect("lists the generations of a document, newest first, in slices", () =>
      Effect.gen(function* () {
        const { store, workspace, begun, move, started } = yield* start
        const [{ document, generation }] = [yield* begun(), yield* begun()]
        yield* move(document.id, (locked) => machine.fail(locked, generation.id, "no answer", at(5_000)))
        const next = yield* store.generation(workspace, document.id, yield* started(document.id, 6_000))
        const failed = yield* store.generation(workspace, document.id, generation.id)
        const first = yield* store.generations(workspace, document.id, { after: null, limit: 1 })
        assert.deepStrictEqual(first.items, [next])
        const rest = yield* store.generations(workspace, document.id, { after: first.next, limit: 1 })
        assert.deepStrictEqual(rest, { items: [failed], next: null })
        const elsewhere = yield* start
        const theirs = yield* store.generations(elsewhere.workspace, document.id, { after: null, limit: 9 })
        assert.deepStrictEqual(theirs, { items: [], next: null })
      }),
    )

    it.effect("queues the job of a generation with the change that starts it", () =>
      Effect.gen(function* () {
        const { begun, made, started } = yield* start
        const queue = yield* JobQueue
        const { generation } = yield* begun()
        const next = yield* started((yield* made()).id)
        const seen: Array<string> = []
        const handle = (_: unknown, { id }: { readonly id: string }) => Effect.sync(() => void seen.push(id))
        const worker = yield* Effect.forkChild(queue.work({ concurrency: 2, handle }))
        const isQueued = (id: string) => seen.some((job) => job.endsWith(`_generation:${id}`))
        yield* eventually(
          Effect.sync(() => [generation.id, next].every(isQueued)),
          (all) => all,
        )
        yield* Fiber.interrupt(worker)
      }),
    )

    it.effect("stores a completed generation as the next version, and its credit is spent", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, made, move, started, credits } = yield* start
        const { id } = yield* made({ fields: sample.bare })
        const generation = yield* started(id)
        const done = yield* move(id, (locked) => machine.complete(locked, generation, answer, at(9_000)))
        const { document, html, generation: latest } = yield* transact(store.lock(workspace, id))
        assert.deepStrictEqual([document, html, latest], [done?.after, answer.html, done?.generation?.after])
        assert.deepInclude<object>(document, { currentVersion: 2, generationStatus: "completed" })
        assert.deepInclude(latest, { version: 2, completedAt: at(9_000) })
        assert.strictEqual(yield* store.html(workspace, id, 1), "<p>one</p>")
        assert.strictEqual(yield* credits(), 999)
      }),
    )

    it.effect(
      "returns the credit of a failed generation once, without a version; the next generation is the latest",
      () =>
        Effect.gen(function* () {
          const { store, workspace, made, move, started, credits } = yield* start
          const before = yield* made()
          const { id } = before
          const first = yield* started(id)
          const fail = move(id, (locked) => machine.fail(locked, first, "no Ö", at(6_000)))
          assert.isNotNull(yield* fail)
          assert.isNull(yield* fail)
          const failed = { document: { ...before, generationStatus: "failed" }, html: "<p>one</p>" }
          assert.deepStrictEqual<unknown>(yield* store.current(workspace, id), failed)
          const outcome = yield* store.generation(workspace, id, first)
          assert.deepInclude(outcome, { status: "failed", error: "no Ö", completedAt: at(6_000) })
          assert.strictEqual(yield* credits(), 1000)
          // The clock of this process is behind.
          const second = yield* started(id, 1_500)
          assert.strictEqual((yield* store.get(workspace, id)).generationStatus, "generating")
          assert.isNull(yield* move(id, (locked) => machine.complete(locked, first, answer, at(7_000))))
          yield* move(id, (locked) => machine.complete(locked, second, answer, at(7_000)))
          assert.strictEqual((yield* store.get(workspace, id)).generationStatus, "completed")
        }),
    )

    it.effect("writes nothing without a credit; one of two requests for the last credit gets it", () =>
      Effect.gen(function* () {
        const { store, fresh, begun, credits } = yield* start
        const poor = yield* fresh.workspace({ credits: 1 })
        const both = yield* Effect.all([Effect.result(begun(poor)), Effect.result(begun(poor))], { concurrency: 2 })
        assert.deepStrictEqual(both.map((each) => (Result.isFailure(each) ? each.failure._tag : "ok")).sort(), [
          "InsufficientCredits",
          "ok",
        ])
        assert.strictEqual(yield* credits(poor), 0)
        assert.lengthOf((yield* store.list(poor, { status: null, search: null, after: null, limit: 9 })).items, 1)
      }),
    )

    it.effect("accepts one of several concurrent requests for one document", () =>
      Effect.gen(function* () {
        const { made, move, request, credits } = yield* start
        const { id } = yield* made()
        const ask = Effect.gen(function* () {
          const wanted = yield* request
          let tag = "accepted"
          yield* move(id, (locked) => {
            const decided = machine.generate(locked, wanted, at(2_000))
            if (Result.isFailure(decided)) tag = decided.failure._tag
            return Result.isSuccess(decided) ? decided.success : null
          })
          return tag
        })
        const tags = yield* Effect.all([ask, ask, ask, ask], { concurrency: 4 })
        assert.deepStrictEqual(tags.sort(), [
          "GenerationInProgress",
          "GenerationInProgress",
          "GenerationInProgress",
          "accepted",
        ])
        assert.strictEqual(yield* credits(), 999)
      }),
    )

    it.effect("builds a generation on the current HTML", () =>
      Effect.gen(function* () {
        const { store, workspace, begun, setContent } = yield* start
        const { document } = yield* begun()
        assert.isNull(yield* store.basis(workspace, document.id))
        yield* setContent(document.id, "<p>mine</p>")
        assert.strictEqual(yield* store.basis(workspace, document.id), "<p>mine</p>")
      }),
    )

    it.effect("returns the credit of the running generation when its document is deleted, and no other credit", () =>
      Effect.gen(function* () {
        const { store, workspace, begun, move, remove, credits } = yield* start
        const { document, generation } = yield* begun()
        const done = yield* begun()
        yield* move(done.document.id, (locked) => machine.complete(locked, done.generation.id, answer, at(9_000)))
        assert.strictEqual(yield* credits(), 998)
        yield* remove(document.id)
        yield* remove(done.document.id)
        assert.strictEqual(yield* credits(), 999)
        const left = yield* Effect.flip(store.generation(workspace, document.id, generation.id))
        assert.strictEqual(left._tag, "NotFound")
      }),
    )

    it.effect("dies on a deletion that was decided on an older version, and returns no credit", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, made, setContent, started, credits } = yield* start
        const { id } = yield* made()
        yield* started(id)
        const stale = machine.remove(yield* transact(store.lock(workspace, id)), sample.unused)
        yield* setContent(id, "<p>two</p>")
        assert.isTrue(Exit.hasDies(yield* Effect.exit(transact(store.apply(workspace, Result.getOrThrow(stale))))))
        assert.strictEqual(yield* credits(), 999)
        assert.strictEqual((yield* store.get(workspace, id)).currentVersion, 2)
      }),
    )

    it.effect("dies on a step that was decided on an older generation, and moves no credit", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, begun, move, credits } = yield* start
        const { document, generation } = yield* begun()
        const late = machine.fail({ document, generation }, generation.id, "late", at(8_000))
        yield* move(document.id, (locked) => machine.fail(locked, generation.id, "no", at(7_000)))
        const refused = yield* Effect.exit(late === null ? Effect.void : transact(store.apply(workspace, late)))
        assert.isTrue(Exit.hasDies(refused))
        assert.strictEqual((yield* store.generation(workspace, document.id, generation.id)).error, "no")
        assert.strictEqual(yield* credits(), 1000)
      }),
    )

    it.effect("finds no generation of another document or another workspace", () =>
      Effect.gen(function* () {
        const { store, workspace, fresh, begun, made } = yield* start
        const { document, generation } = yield* begun()
        const other = yield* made()
        const elsewhere = yield* fresh.workspace()
        const reads: ReadonlyArray<Effect.Effect<unknown, NotFound>> = [
          store.generation(workspace, other.id, generation.id),
          store.generation(elsewhere, document.id, generation.id),
        ]
        for (const read of reads) assert.strictEqual((yield* Effect.flip(read))._tag, "NotFound")
        assert.isNull((yield* store.get(workspace, other.id)).generationStatus)
      }),
    )
  })
