// Tests of the limit of requests over all processes, with stores that fail.
import { requestLimit, store_pause_ms, store_wait_ms } from "@tentpole/core/kernel/runtime/RequestLimit"
import { type Bucket, takeBlock } from "@tentpole/core/kernel/runtime/TokenBucket"
import { TokenBucketStore } from "@tentpole/core/kernel/runtime/TokenBucketStore"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const options = { limit: "x", capacity: 100, per_second: 1e-9, keys_max: 2 }

/** A store of one bucket that counts its statements. */
const store = () => {
  const state = {
    mode: "well" as "well" | "silent" | "failing",
    statements: 0,
    bucket: undefined as Bucket | undefined,
  }
  const service = TokenBucketStore.of({
    takeBlock: Effect.fnUntraced(function* (_, request, of) {
      state.statements++
      if (state.mode === "silent") return yield* Effect.never
      if (state.mode === "failing") return yield* Effect.die("the database is away")
      const answer = takeBlock(state.bucket, request, of, yield* Clock.currentTimeMillis)
      state.bucket = answer.bucket
      return answer
    }),
  })
  return { state, limit: Effect.provideService(requestLimit(options), TokenBucketStore, service) }
}

const count = Effect.fnUntraced(function* (limit: Effect.Success<ReturnType<typeof requestLimit>>, requests: number) {
  let allowed = 0
  for (let each = 0; each < requests; each++) if ((yield* limit.take("a")).allowed) allowed++
  return allowed
})

it.effect("runs one statement for each twentieth of the limit, and none for refused requests", () =>
  Effect.gen(function* () {
    const { limit, state } = store()
    assert.strictEqual(yield* count(yield* limit, 1_000), 100)
    assert.strictEqual(state.statements, 20)
  }),
)

it.effect("shares one statement between concurrent requests", () =>
  Effect.gen(function* () {
    const { limit, state } = store()
    const { take } = yield* limit
    yield* Effect.forEach(Array.from({ length: 5 }), () => take("a"), { concurrency: "unbounded" })
    assert.strictEqual(state.statements, 1)
  }),
)

it.effect("counts alone with half of the limit when the store fails", () =>
  Effect.gen(function* () {
    const { limit, state } = store()
    state.mode = "failing"
    assert.strictEqual(yield* count(yield* limit, 1_000), 50)
    assert.strictEqual(state.statements, 1, "it leaves the store alone for a while")
  }),
)

it.effect("waits for a silent store only for its time limit, and only once in a while", () =>
  Effect.gen(function* () {
    const { limit, state } = store()
    state.mode = "silent"
    const { take } = yield* limit
    const first = yield* Effect.forkChild(take("a"))
    yield* TestClock.adjust(store_wait_ms - 1)
    assert.isUndefined(first.pollUnsafe())
    yield* TestClock.adjust(1)
    assert.isTrue((yield* Fiber.join(first)).allowed)
    // The clock does not move: these do not wait.
    for (let each = 0; each < 20; each++) assert.isTrue((yield* take("b")).allowed)
    assert.strictEqual(state.statements, 1)
  }),
)

it.effect("uses the shared bucket again when the store answers", () =>
  Effect.gen(function* () {
    const { limit, state } = store()
    const process = yield* limit
    state.mode = "failing"
    assert.strictEqual(yield* count(process, 10), 10)
    state.mode = "well"
    state.bucket = { tokens: 3, at_ms: 0 }
    yield* TestClock.adjust(store_pause_ms)
    assert.strictEqual(yield* count(process, 10), 3)
  }),
)

it.effect("does not give a key a full bucket again when the process has forgotten it", () =>
  Effect.gen(function* () {
    const { limit, state } = store()
    const process = yield* limit
    yield* count(process, 100)
    for (const key of ["b", "c", "d"]) yield* process.take(key)
    assert.isFalse((yield* process.take("a")).allowed)
    assert.strictEqual(state.bucket?.tokens, 0)
  }),
)
