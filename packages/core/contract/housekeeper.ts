// The laws of housekeeping.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { IdempotencyStore } from "../src/idempotency/IdempotencyStore.ts"
import { Housekeeper } from "../src/Housekeeper.ts"
import { Outbox } from "../src/Outbox.ts"
import { Transactor } from "../src/Transactor.ts"
import { Fresh } from "./fresh.ts"

export const housekeeper = <E>(
  name: string,
  live: Layer.Layer<Housekeeper | IdempotencyStore | Outbox | Transactor | Fresh, E>,
) =>
  layer(live, { timeout: "30 seconds", excludeTestServices: true })(`housekeeping laws: ${name}`, (it) => {
    it.effect("by four at once and again, it is done, and what is recent stays", () =>
      Effect.gen(function* () {
        const { tidy } = yield* Housekeeper
        const outbox = yield* Outbox
        const { transact } = yield* Transactor
        const workspace = yield* (yield* Fresh).workspace()
        const event = { type: "x", contactId: null, at: DateTime.makeUnsafe(0), data: {} }
        yield* transact(outbox.append(workspace, [event]))
        yield* Effect.all([tidy, tidy, tidy, tidy], { concurrency: 4 })
        yield* tidy
        const kept = outbox.read(workspace, "reader", 10).pipe(
          Effect.tap(() => Effect.sleep("20 millis")),
          Effect.repeat({ until: (events) => events.length > 0, times: 100 }),
        )
        assert.strictEqual((yield* kept).length, 1)
      }),
    )

    it.effect("idempotency keys go when their time is over, and not before", () =>
      Effect.gen(function* () {
        const { tidy } = yield* Housekeeper
        const keys = yield* IdempotencyStore
        const { transact } = yield* Transactor
        const fresh = yield* Fresh
        const workspace = yield* fresh.workspace()
        const claim = Effect.fnUntraced(function* (of: number, kept_ms: number) {
          const it = { holder: yield* fresh.id, lease_ms: 3_600_000, kept_ms, bodyHash: null }
          return yield* transact(keys.claim(workspace, new Uint8Array(32).fill(of), it))
        })
        yield* claim(1, 0)
        yield* claim(2, 3_600_000)
        yield* tidy
        assert.strictEqual(yield* transact(keys.forget(workspace, 10)), 0)
        assert.strictEqual((yield* claim(2, 0))._tag, "Running")
      }),
    )
  })
