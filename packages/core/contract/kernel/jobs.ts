// Contract tests of the job queue. The tested layer tries a job three times, with backoff from 100 ms.
import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, type Layer, Ref } from "effect"
import { BlastId, WorkspaceId } from "../../src/kernel/Ids.ts"
import type { Cursor, Sliced } from "../../src/kernel/Page.ts"
import { type DeadJob, type Job, JobQueue, Jobs } from "../../src/kernel/changes/Jobs.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "./fresh.ts"
import { eventually } from "./eventually.ts"

export const jobs = <E>(name: string, live: Layer.Layer<Jobs | JobQueue | Transactor | Fresh, E>) =>
  layer(live, { excludeTestServices: true })(`JobQueue (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const fresh = yield* Fresh
      const job: Job = {
        type: "blast_start",
        workspaceId: WorkspaceId.make(yield* fresh.id),
        blastId: BlastId.make(yield* fresh.id),
      }
      return {
        fresh,
        jobs: yield* Jobs,
        queue: yield* JobQueue,
        ...(yield* Transactor),
        job,
        id: `test:${yield* fresh.id}`,
      }
    })

    /**
     * Runs jobs until `body` has ended and returns the ids of its jobs, once for each run. Jobs of other tests are ignored.
     */
    const working = Effect.fnUntraced(function* <R>(
      handle: (id: string, attempt: number) => Effect.Effect<void, unknown, R>,
      body: (seen: Effect.Effect<ReadonlyArray<string>>) => Effect.Effect<void, never, R>,
    ) {
      const queue = yield* JobQueue
      const seen = yield* Ref.make<ReadonlyArray<string>>([])
      const worker = yield* Effect.forkChild(
        queue.work({
          concurrency: 2,
          handle: (_, { id, attempt }) =>
            Effect.andThen(
              Ref.update(seen, (all) => [...all, id]),
              handle(id, attempt),
            ),
        }),
      )
      yield* body(Ref.get(seen))
      yield* Fiber.interrupt(worker)
      return yield* Ref.get(seen)
    })
    const moment = Effect.sleep("300 millis")
    /** Waits until the job ran, and a moment longer in which it might run again. */
    const come = (id: string) => (seen: Effect.Effect<ReadonlyArray<string>>) =>
      Effect.andThen(
        eventually(seen, (all) => all.includes(id)),
        moment,
      )
    const times = (seen: ReadonlyArray<string>, id: string) => seen.filter((each) => each === id).length

    it.effect("runs a job once with its id and payload", () =>
      Effect.gen(function* () {
        const { jobs, queue, transact, job, id } = yield* begin
        yield* transact(jobs.enqueue(job, { id }))
        const done = yield* Deferred.make<Job>()
        const worker = yield* Effect.forkChild(
          queue.work({
            concurrency: 1,
            handle: (each, about) => (about.id === id ? Deferred.succeed(done, each) : Effect.void),
          }),
        )
        assert.deepStrictEqual(yield* Deferred.await(done), job)
        yield* Fiber.interrupt(worker)
      }),
    )

    it.effect("leaves no job when the caller rolls back", () =>
      Effect.gen(function* () {
        const { jobs, transact, job, id } = yield* begin
        yield* Effect.exit(transact(Effect.andThen(jobs.enqueue(job, { id }), Effect.fail("no"))))
        const seen = yield* working(
          () => Effect.void,
          () => moment,
        )
        assert.strictEqual(times(seen, id), 0)
      }),
    )

    it.effect("queues an id once, also after its job is done", () =>
      Effect.gen(function* () {
        const { jobs, transact, job, id } = yield* begin
        yield* transact(Effect.andThen(jobs.enqueue(job, { id }), jobs.enqueue(job, { id })))
        const seen = yield* working(
          () => Effect.void,
          (all) => come(id)(all).pipe(Effect.andThen(transact(jobs.enqueue(job, { id }))), Effect.andThen(moment)),
        )
        assert.strictEqual(times(seen, id), 1)
      }),
    )

    it.effect("delays a job", () =>
      Effect.gen(function* () {
        const { jobs, transact, job, id } = yield* begin
        const asked_ms = yield* Clock.currentTimeMillis
        yield* transact(jobs.enqueue(job, { id, delay: "1 second" }))
        let came_ms = 0
        const seen = yield* working(
          (each) =>
            each === id ? Effect.map(Clock.currentTimeMillis, (now_ms) => void (came_ms = now_ms)) : Effect.void,
          come(id),
        )
        assert.strictEqual(times(seen, id), 1)
        // Never earlier, except for the difference of two clocks.
        assert.isAtLeast(came_ms - asked_ms, 950)
      }),
    )

    /** Every dead job, by pages of `limit`. */
    const allDead = Effect.fnUntraced(function* (limit: number) {
      const { dead } = yield* Jobs
      const all: Array<DeadJob> = []
      let after: Cursor | null = null
      do {
        const { items, next }: Sliced<DeadJob> = yield* dead({ after, limit })
        assert.isAtMost(items.length, limit)
        all.push(...items)
        after = next
      } while (after !== null)
      return all
    })

    /** Jobs that have failed all attempts, under new ids. */
    const failing = Effect.fnUntraced(function* (count: number) {
      const { fresh, jobs, transact, job } = yield* begin
      const ids = (yield* Effect.forEach(Array.from({ length: count }), () => fresh.id)).map((each) => `test:${each}`)
      yield* transact(Effect.forEach(ids, (id) => jobs.enqueue(job, { id }), { discard: true }))
      const seen = yield* working(
        (each) => (ids.includes(each) ? Effect.fail("poison") : Effect.void),
        () => Effect.asVoid(eventually(allDead(100), (dead) => ids.every((id) => dead.some((each) => each.id === id)))),
      )
      return { ids, job, jobs, seen, transact }
    })

    it.effect("marks a job as dead after three failed attempts; a requeued job starts from zero", () =>
      Effect.gen(function* () {
        const { ids, job, jobs, seen, transact } = yield* failing(1)
        const [id = ""] = ids
        assert.strictEqual(times(seen, id), 3)
        const dead = (yield* allDead(100)).find((each) => each.id === id) ?? assert.fail("the job is not dead")
        assert.deepInclude(dead, { type: job.type, workspaceId: job.workspaceId, attempts: 3 })
        assert.include(dead.failure, "poison")
        assert.deepStrictEqual(yield* transact(jobs.requeue(id)), dead)
        assert.strictEqual((yield* Effect.flip(transact(jobs.requeue(id))))._tag, "NotFound")
        const again = yield* working(() => Effect.void, come(id))
        assert.strictEqual(times(again, id), 1)
      }),
    )

    it.effect("lists dead jobs page by page, the newest failure first", () =>
      Effect.gen(function* () {
        const { ids } = yield* failing(5)
        const own = (all: ReadonlyArray<DeadJob>) => all.filter(({ id }) => ids.includes(id))
        const paged = yield* allDead(2)
        assert.sameMembers(
          own(paged).map(({ id }) => id),
          ids,
        )
        assert.deepStrictEqual(own(paged), own(yield* allDead(100)))
        const times_ms = paged.map(({ failedAt }) => failedAt.epochMilliseconds)
        assert.deepStrictEqual(
          times_ms,
          times_ms.toSorted((a, b) => b - a),
        )
      }),
    )

    it.effect("tries an abandoned job never again, and remembers its id", () =>
      Effect.gen(function* () {
        const { ids, job, jobs, transact } = yield* failing(1)
        const [id = ""] = ids
        const undone = transact(Effect.andThen(jobs.abandon(id), Effect.fail("no")))
        assert.strictEqual(yield* Effect.flip(undone), "no")
        assert.strictEqual((yield* transact(jobs.abandon(id))).id, id)
        assert.notInclude(
          (yield* allDead(100)).map((each) => each.id),
          id,
        )
        for (const change of [jobs.abandon(id), jobs.requeue(id), jobs.abandon("test:unknown")]) {
          assert.strictEqual((yield* Effect.flip(transact(change)))._tag, "NotFound")
        }
        yield* transact(jobs.enqueue(job, { id }))
        const seen = yield* working(
          () => Effect.void,
          () => moment,
        )
        assert.strictEqual(times(seen, id), 0)
      }),
    )

    it.effect("returns the job of an interrupted worker to the queue", () =>
      Effect.gen(function* () {
        const { jobs, queue, transact, job, id } = yield* begin
        yield* transact(jobs.enqueue(job, { id }))
        const begun = yield* Deferred.make<void>()
        const worker = yield* Effect.forkChild(
          queue.work({
            concurrency: 1,
            handle: (_, about) =>
              about.id === id ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never) : Effect.void,
          }),
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(worker)
        const seen = yield* working(() => Effect.void, come(id))
        assert.strictEqual(times(seen, id), 1)
      }),
    )
  })
