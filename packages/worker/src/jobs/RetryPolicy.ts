// What becomes of a job that fails every time, or breaks every worker off, for those who wait for it.
import { defaults } from "@tentpole/adapters/jobs/PersistedJobs"
import type { JobAttempt } from "@tentpole/core/kernel/Jobs"
import { Cause, Effect } from "effect"

/** The last attempts only give up: a worker that dies while it works says nothing any more, and its last word must be said. */
const attempts_to_say_so = 3
export const attempts_to_work = defaults.attempts_max - attempts_to_say_so

/**
 * Tried again and again, then given up: whoever waits for the work reads, by `giveUp`, that it failed. The job itself ends
 * among the dead ones.
 */
export const retryThenFail = <E, R, R2>(
  { attempt }: JobAttempt,
  work: Effect.Effect<void, E, R>,
  giveUp: Effect.Effect<void, never, R2>,
): Effect.Effect<void, E | Cause.UnknownError, R | R2> => {
  const broken = new Cause.UnknownError(null, `it broke its workers off or failed, ${attempts_to_work} times in all`)
  if (attempt > attempts_to_work) return Effect.andThen(giveUp, Effect.fail(broken))
  return Effect.catchCause(work, (cause) =>
    attempt < attempts_to_work || Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.andThen(giveUp, Effect.failCause(cause)),
  )
}
