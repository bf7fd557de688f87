// What becomes of a job that fails every time, for those who wait for it.
import { defaults } from "@tentpole/adapters/jobs/PersistedJobs"
import type { JobAttempt } from "@tentpole/core/Jobs"
import { Cause, Effect } from "effect"

/** Tried as often as any job; after the last attempt whoever waits for its work reads, by `giveUp`, that it failed. */
export const orGivenUp = <E, R, R2>(
  { attempt }: JobAttempt,
  work: Effect.Effect<void, E, R>,
  giveUp: Effect.Effect<void, never, R2>,
): Effect.Effect<void, E, R | R2> =>
  Effect.catchCause(work, (cause) =>
    attempt < defaults.attempts_max || Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.andThen(giveUp, Effect.failCause(cause)),
  )
