// Retries for background work while the database is unavailable.
import { Cause, Effect, Schedule } from "effect"
import { Unavailable } from "../Refusal.ts"

/** Retries while the defect is `Unavailable`, with pauses from 0.2 to 5 seconds; for ever without `retries_max`. */
export const retryTransient = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { retries_max }: { readonly retries_max?: number } = {},
): Effect.Effect<A, E, R> =>
  Effect.sandbox(effect).pipe(
    Effect.retry({
      while: (cause) => Cause.squash(cause) instanceof Unavailable,
      schedule: Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]),
      ...(retries_max === undefined ? {} : { times: retries_max }),
    }),
    Effect.catch((cause) => Effect.failCause(cause)),
  )
