// The recorder of opens and clicks, over a store that records its calls.
import { MemoryDatabase } from "@tentpole/adapters/memory/kernel/MemoryDatabase"
import * as Transactor from "@tentpole/adapters/memory/kernel/Transactor"
import {
  engagementRecorder,
  type RecorderOptions,
  type TrackedRequest,
} from "@tentpole/core/tracking/EngagementRecorder"
import { EngagementStore } from "@tentpole/core/tracking/EngagementStore"
import { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { until } from "@tentpole/core/contract"
import { NotFound, Unavailable } from "@tentpole/core/kernel/Refusal"
import { assert, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Exit, Fiber, Latch, Layer, Logger, Scope } from "effect"

const at = DateTime.makeUnsafe(1_700_000_000_000)
const workspaces = [1, 2].map((nth) => WorkspaceId.make(`00000000-0000-4000-8000-00000000000${nth}`))
const deliveryOf = (nth: number) => DeliveryId.make(`00000000-0000-4000-9000-${String(nth).padStart(12, "0")}`)

const opening = (nth: number): TrackedRequest => ({
  workspaceId: workspaces[nth % 2] ?? assert.fail(),
  deliveryId: deliveryOf(nth),
  at,
  what: { _tag: "opened" },
  byMachine: false,
})

const options: RecorderOptions = { batch_max: 100, waiting_max: 1_000, wait_max: "20 millis" }

/** A scoped recorder whose store waits for `gate`, or does what `fails` defines. */
const recording = (
  different: Partial<RecorderOptions> = {},
  fails: (wave: number) => Effect.Effect<void> = () => Effect.void,
) =>
  Effect.gen(function* () {
    const gate = yield* Latch.make(true)
    const waves: Array<ReadonlyArray<DeliveryId>> = []
    let [locked, asked] = [0, 0]
    const ports = Layer.mergeAll(
      Transactor.layer.pipe(Layer.provide(MemoryDatabase.layer)),
      Layer.succeed(
        EngagementStore,
        EngagementStore.of({
          get: () => Effect.fail(new NotFound({ resource: "delivery" })),
          lock: (_, ids) =>
            Effect.sync(() => locked++).pipe(
              Effect.andThen(gate.await),
              Effect.andThen(Effect.suspend(() => fails(asked++))),
              Effect.andThen(
                Effect.sync(() => {
                  waves.push(ids)
                  return new Map()
                }),
              ),
            ),
          apply: () => Effect.void,
          addClicks: () => Effect.void,
        }),
      ),
      Logger.layer([]),
    )
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(ports, scope)
    const recorder = yield* engagementRecorder({ ...options, ...different }).pipe(
      Effect.provide(context),
      Effect.provideService(Scope.Scope, scope),
    )
    return {
      gate,
      waves,
      recorder,
      stop: Scope.close(scope, Exit.void),
      /** Batches that reached the store, and engagements in it. */
      locked: () => locked,
      written: () => waves.flat().length,
    }
  })

const all = (count: number) => Array.from({ length: count }, (_, nth) => opening(nth))

it.live("engagements that arrive during a write form the next batch: a thousand opens need few batches", () =>
  Effect.gen(function* () {
    const { gate, recorder, stop, waves, written } = yield* recording()
    yield* gate.close
    yield* Effect.forEach(all(1_000), recorder.record, { discard: true })
    assert.isEmpty(waves, "no caller waited for the store")
    yield* gate.open
    yield* recorder.written
    assert.strictEqual(written(), 1_000)
    assert.isTrue(waves.every((wave) => wave.length <= 100))
    assert.isAtMost(waves.length, 25, "two workspaces, of ten waves or eleven")
    yield* stop
  }),
)

it.live("a request waits briefly for a full queue, and then is answered uncounted", () =>
  Effect.gen(function* () {
    const { gate, locked, recorder, stop, written } = yield* recording({ batch_max: 1, waiting_max: 5 })
    yield* gate.close
    yield* Effect.forEach(all(1), recorder.record)
    yield* until(() => locked() === 1)
    yield* Effect.forEach(all(5), recorder.record, { discard: true })
    const [waited] = yield* Effect.timed(recorder.record(opening(6)))
    assert.isAtLeast(Duration.toMillis(waited), 15)
    yield* gate.open
    yield* recorder.written
    assert.strictEqual(written(), 6)
    yield* recorder.record(opening(7))
    yield* recorder.written
    assert.strictEqual(written(), 7, "the next finds room again")
    yield* stop
  }),
)

it.live("a waiting request is counted when the queue has room in time", () =>
  Effect.gen(function* () {
    const { gate, recorder, stop, written } = yield* recording({ batch_max: 1, waiting_max: 2, wait_max: "10 seconds" })
    yield* gate.close
    const seen = yield* Effect.forkChild(
      Effect.forEach(all(20), recorder.record, { concurrency: "unbounded", discard: true }),
    )
    yield* Effect.sleep("5 millis")
    assert.isUndefined(seen.pollUnsafe())
    yield* gate.open
    yield* Fiber.join(seen)
    yield* recorder.written
    assert.strictEqual(written(), 20)
    yield* stop
  }),
)

it.live("engagements stay queued while the database is unavailable", () =>
  Effect.gen(function* () {
    const { recorder, stop, written } = yield* recording({}, (wave) =>
      wave < 2 ? Effect.die(new Unavailable({ part: "database" })) : Effect.void,
    )
    yield* Effect.forEach(all(10), recorder.record, { discard: true })
    yield* recorder.written
    assert.strictEqual(written(), 10)
    yield* stop
  }),
)

it.live("a batch that fails with a defect is dropped, and the next one is written", () =>
  Effect.gen(function* () {
    const { recorder, stop, written } = yield* recording({}, (wave) =>
      wave === 0 ? Effect.die("a mistake") : Effect.void,
    )
    yield* recorder.record(opening(1))
    yield* recorder.written
    assert.strictEqual(written(), 0)
    yield* recorder.record(opening(2))
    yield* recorder.written
    assert.strictEqual(written(), 1)
    yield* stop
  }),
)

it.live("a stopping process writes its queued engagements", () =>
  Effect.gen(function* () {
    const { recorder, stop, written } = yield* recording({}, () => Effect.sleep("5 millis"))
    yield* Effect.forEach(all(1_000), recorder.record, { discard: true })
    assert.isBelow(written(), 1_000)
    yield* stop
    assert.strictEqual(written(), 1_000)
  }),
)
