// Writes that are retried until the database accepts them. Meanwhile nothing is handed over.
import { Cause, Effect, Latch } from "effect"

const pauses_ms = [100, 200, 500, 1000, 2000, 5000] as const

/** Whether the last write succeeded. Connections wait on it before they take a message. */
export interface Writable {
  readonly await: Effect.Effect<void>
  readonly failed: (what: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  readonly succeeded: Effect.Effect<void>
}

export const writable: Effect.Effect<Writable> = Effect.map(Latch.make(true), (latch) => ({
  await: latch.await,
  failed: (what, cause) =>
    Effect.suspend(() => {
      const first = latch.isOpen()
      latch.closeUnsafe()
      return first
        ? Effect.logWarning(`${what} failed: nothing is sent until the database takes writes`, cause)
        : Effect.void
    }),
  succeeded: Effect.suspend(() => {
    if (latch.isOpen()) return Effect.void
    latch.openUnsafe()
    return Effect.logInfo("the database takes writes again")
  }),
}))

/** Retries with growing pauses until it succeeds or is interrupted. */
export const untilWritten = <A>(
  writable: Writable,
  what: string,
  write: Effect.Effect<A, unknown>,
  attempt = 0,
): Effect.Effect<A> =>
  Effect.matchCauseEffect(write, {
    onSuccess: (written) => Effect.as(writable.succeeded, written),
    onFailure: (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : writable
            .failed(what, cause)
            .pipe(
              Effect.andThen(Effect.sleep(pauses_ms[Math.min(attempt, pauses_ms.length - 1)] ?? 5000)),
              Effect.andThen(Effect.suspend(() => untilWritten(writable, what, write, attempt + 1))),
            ),
  })
