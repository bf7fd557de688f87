// Where the loops of a worker wait for work: one statement looks for all of them, so that an idle worker costs little.
import { DueWork, type WorkKind } from "@tentpole/core/kernel/changes/DueWork"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Context, Deferred, Effect, Layer } from "effect"

/** Work is late by at most this and the time of one round. */
const look_every_ms = 200

interface Watch {
  /** Ends when there may be work of one of these kinds. Another worker may have it first. */
  readonly await: (kinds: ReadonlyArray<WorkKind>) => Effect.Effect<void>
}

/** By default, each loop looks by itself. */
export const DueWatch = Context.Reference<Watch>("tentpole/worker/DueWatch", {
  defaultValue: () => ({ await: () => Effect.sleep(look_every_ms) }),
})

interface Waiting {
  readonly kinds: ReadonlyArray<WorkKind>
  readonly found: Deferred.Deferred<void>
}

export const layer = (every_ms = look_every_ms) =>
  Layer.effect(
    DueWatch,
    Effect.gen(function* () {
      const { among } = yield* DueWork
      const waiting = new Set<Waiting>()
      const look = Effect.gen(function* () {
        if (waiting.size === 0) return
        const found = new Set(yield* among([...new Set([...waiting].flatMap(({ kinds }) => kinds))]))
        for (const loop of waiting) {
          if (loop.kinds.some((kind) => found.has(kind))) yield* Deferred.succeed(loop.found, undefined)
        }
      })
      yield* look.pipe(
        logFailure("looking for due work failed", {}, "Warning"),
        Effect.delay(every_ms),
        Effect.forever,
        Effect.forkScoped,
      )
      return {
        await: (kinds) =>
          Effect.suspend(() => {
            const loop = { kinds, found: Deferred.makeUnsafe<void>() }
            waiting.add(loop)
            return Effect.ensuring(
              Deferred.await(loop.found),
              Effect.sync(() => waiting.delete(loop)),
            )
          }),
      }
    }),
  )
