// The laws of housekeeping.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { Housekeeper } from "../src/Housekeeper.ts"
import { Outbox } from "../src/Outbox.ts"
import { Transactor } from "../src/Transactor.ts"
import { Fresh } from "./fresh.ts"

export const housekeeper = <E>(name: string, live: Layer.Layer<Housekeeper | Outbox | Transactor | Fresh, E>) =>
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
  })
