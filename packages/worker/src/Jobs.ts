// The table of background work: each job, and the use case that does it.
import { type Job, JobQueue, type JobAttempt } from "@tentpole/core/Jobs"
import { Effect, Layer } from "effect"

const concurrency = 4

const handle = (job: Job, attempt: JobAttempt) =>
  Effect.logDebug("job").pipe(Effect.annotateLogs({ type: job.type, job: attempt.id, attempt: attempt.attempt }))

/** Takes jobs until the process stops; one that is stopped in the middle is handed back. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(JobQueue, (queue) => Effect.forkScoped(queue.work({ concurrency, handle }))),
)
