// Repeats a decision about contacts when another transaction took an identity between read and write.
import { Effect, Schedule } from "effect"
import { Unavailable } from "../../kernel/Refusal.ts"
import { IdentityTaken } from "../ContactStore.ts"

/** Runs `body` again after `IdentityTaken`. `body` includes `transact`, so that each attempt has a new transaction. */
export const retryOnIdentityConflict = <A, E, R>(
  body: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, IdentityTaken>, R> =>
  body.pipe(
    Effect.retry({
      schedule: Schedule.jittered(Schedule.exponential("10 millis")),
      times: attempts_max - 1,
      while: (error) => error instanceof IdentityTaken,
    }),
    Effect.catch((error) =>
      error instanceof IdentityTaken
        ? Effect.die(new Unavailable({ part: "database" }))
        : Effect.fail(error as Exclude<E, IdentityTaken>),
    ),
  )

/** Attempts before the error becomes `Unavailable` (503). */
const attempts_max = 4
