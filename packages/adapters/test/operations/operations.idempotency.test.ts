// Work under an idempotency key when its caller or process goes away.
import { Idempotency, type KeyedRequest, type Performed } from "@tentpole/core/operations/idempotency/Idempotency"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { Fresh } from "@tentpole/core/contract"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Deferred, Duration, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { postgresOver } from "../fixtures/Stores.ts"
import { connectionsTo, stoppedClock } from "../support/TestDatabase.ts"

/** Moves the clock of the database. */
class Elapse extends Context.Service<Elapse, (by: Duration.Input) => Effect.Effect<void>>()("test/Elapse") {}

const onStoppedClock = Layer.unwrap(
  Effect.map(stoppedClock, ({ set, url }) => {
    // The stopped clock shows the time of its creation, which is not much earlier.
    let at = DateTime.nowUnsafe()
    const elapse = (by: Duration.Input) =>
      Effect.suspend(() => {
        at = DateTime.addDuration(at, by)
        return Effect.asVoid(set(DateTime.formatIso(at)))
      })
    return Layer.merge(
      Idempotency.layer.pipe(Layer.provideMerge(postgresOver(connectionsTo(url)))),
      Layer.succeed(Elapse, elapse),
    )
  }),
)

const request: KeyedRequest = {
  method: "POST",
  path: "/v1/things",
  key: "one",
  body: { _tag: "Known", hash: new Uint8Array(32) },
}

const answer = { status: 200, headers: {}, body: Uint8Array.of(1, 2, 3) }
const done: Performed<string> = { value: "done", answer }

/** Counts its executions; starts, then waits until it is released. */
const gated = Effect.gen(function* () {
  const counted = { times: 0 }
  const begun = yield* Deferred.make<void>()
  const open = yield* Deferred.make<void>()
  const work = Effect.gen(function* () {
    counted.times++
    yield* Deferred.succeed(begun, undefined)
    yield* Deferred.await(open)
    return done
  })
  return { begun, counted, open, work }
})

const begin = Effect.gen(function* () {
  const { once } = yield* Idempotency
  const workspace: WorkspaceId = yield* (yield* Fresh).workspace()
  const sql = yield* PgClient.PgClient
  return {
    of: <A, E>(work: Effect.Effect<Performed<A>, E>) => once(workspace, request, work),
    elapse: yield* Elapse,
    /** Lets time pass in the process until it has renewed its claim. */
    renewed: TestClock.adjust("10 seconds").pipe(
      Effect.andThen(TestClock.withLive(Effect.sleep("5 millis"))),
      Effect.andThen(
        fenced(sql)(
          workspace,
          sql`select 1 from idempotency_key
            where workspace_id = ${workspace} and leased_until > clock_timestamp() + interval '29 seconds'`,
        ),
      ),
      Effect.repeat({ until: (rows) => rows.length > 0 }),
    ),
  }
})

layer(onStoppedClock)("work under an idempotency key", (it) => {
  it.effect("continues when its caller disconnects, and a repeated request gets the answer", () =>
    Effect.gen(function* () {
      const { of } = yield* begin
      const { begun, counted, open, work } = yield* gated
      const first = yield* Effect.forkChild(of(work))
      yield* Deferred.await(begun)
      const left = yield* Effect.forkChild(Fiber.interrupt(first), { startImmediately: true })
      yield* Deferred.succeed(open, undefined)
      yield* Fiber.join(left)
      const back = yield* of(work)
      assert.deepStrictEqual([back._tag, counted.times], ["Repeated", 1])
      assert.deepStrictEqual(back._tag === "Repeated" ? Array.from(back.answer.body) : [], [1, 2, 3])
    }),
  )

  it.effect("holds its key while it runs, and the key of a dead process expires soon", () =>
    Effect.gen(function* () {
      const { elapse, of, renewed } = yield* begin
      const { begun, counted, open, work } = yield* gated
      const first = yield* Effect.forkChild(of(work))
      yield* Deferred.await(begun)
      for (let time = 0; time < 10; time++) {
        yield* elapse("20 seconds")
        yield* renewed
        assert.strictEqual((yield* Effect.flip(of(work)))._tag, "KeyInProgress")
      }
      yield* Deferred.succeed(open, undefined)
      assert.strictEqual((yield* Fiber.join(first))._tag, "Performed")
      assert.strictEqual(counted.times, 1)
    }),
  )

  it.effect("frees the key when it dies, fails or is refused before the start", () =>
    Effect.gen(function* () {
      const { of } = yield* begin
      assert.isTrue(Exit.isFailure(yield* Effect.exit(of(Effect.die("a defect")))))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(of(Effect.fail("a failure")))))
      assert.strictEqual((yield* of(Effect.succeed({ value: "refused", answer: null })))._tag, "Performed")
      assert.strictEqual((yield* of(Effect.succeed(done)))._tag, "Performed")
      assert.strictEqual((yield* of(Effect.succeed(done)))._tag, "Repeated")
    }),
  )

  it.effect("is deleted after a day", () =>
    Effect.gen(function* () {
      const { elapse, of } = yield* begin
      yield* of(Effect.succeed(done))
      yield* elapse("23 hours")
      assert.strictEqual((yield* of(Effect.succeed(done)))._tag, "Repeated")
      yield* elapse("2 hours")
      assert.strictEqual((yield* of(Effect.succeed(done)))._tag, "Performed")
    }),
  )
})
