// Retries of a job, and what happens when every attempt fails or kills the worker.
import { defaults } from "@tentpole/adapters/jobs/PersistedJobs"
import type { JobAttempt } from "@tentpole/core/kernel/changes/Jobs"
import { Cause, Effect } from "effect"

/** The last attempts only record the failure: a worker that dies during the work cannot do it. */
const attempts_to_say_so = 3
export const attempts_to_work = defaults.attempts_max - attempts_to_say_so

/** Retries, then calls `abandon` so that the failure is visible to users. The job itself becomes a dead job. */
export const retryThenFail = <E, R, R2>(
  { attempt }: JobAttempt,
  work: Effect.Effect<void, E, R>,
  abandon: Effect.Effect<void, never, R2>,
): Effect.Effect<void, E | Cause.UnknownError, R | R2> => {
  const broken = new Cause.UnknownError(null, `the job failed or stopped its worker ${attempts_to_work} times`)
  if (attempt > attempts_to_work) return Effect.andThen(abandon, Effect.fail(broken))
  return Effect.catchCause(work, (cause) =>
    attempt < attempts_to_work || Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.andThen(abandon, Effect.failCause(cause)),
  )
}
