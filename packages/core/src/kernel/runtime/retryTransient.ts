// Trying again, for work that nobody waits for.
import { Effect, Schedule } from "effect"

const attempts_max = 6

/** The database may be away for a moment: that is a defect to its callers, and a reason to wait for us. */
export const persistently = <A, R>(effect: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
  Effect.sandbox(effect).pipe(
    Effect.retry({ times: attempts_max - 1, schedule: Schedule.exponential("200 millis") }),
    Effect.catch((cause) => Effect.failCause(cause)),
  )
