// The job queue's side of workers: claims jobs in the order of turns, runs them under leases and writes how they end. The adapters
// store the jobs.
import { Cause, Duration, Effect, Exit, Latch, Schema } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { Job, type JobQueue } from "./Jobs.ts"
import type { JobTurn } from "./JobTurn.ts"

export interface JobsOptions {
  /** The lease of a job. Live workers renew it at a third of its time. */
  readonly lease: Duration.Input
  /** By default, how often to look for jobs of other processes: an enqueued job wakes workers of its own process only. */
  readonly poll: Duration.Input
  /** The backoff before the second attempt; doubled for each later attempt, to ten minutes at most. */
  readonly retryFrom: Duration.Input
  readonly attempts_max: number
}

export const defaults: JobsOptions = {
  lease: "90 seconds",
  poll: "200 millis",
  retryFrom: "2 seconds",
  attempts_max: 10,
}

export interface ClaimedJob {
  readonly id: string
  readonly workspaceId: WorkspaceId
  /** Of this claim: a worker that lost its lease renews and settles nothing. */
  readonly token: string
  /** Counted from 1. */
  readonly attempt: number
  readonly payload: unknown
}

/** How an attempt ends. A released job was interrupted: the attempt does not count. */
export type JobEnd =
  | { readonly state: "completed" }
  | { readonly state: "released" }
  | { readonly state: "later"; readonly pause: Duration.Duration; readonly failure: string }
  | { readonly state: "dead"; readonly failure: string }

/** What an adapter does for workers, each call in a transaction of its own. */
export interface JobLeases {
  readonly claim: (turn: JobTurn) => Effect.Effect<ClaimedJob | undefined>
  readonly renew: (job: ClaimedJob) => Effect.Effect<void>
  readonly settle: (job: ClaimedJob, end: JobEnd) => Effect.Effect<void>
}

/** The stored part of a failure: short, so that no payload is in it. */
const failure_length_max = 300

const pause_max = Duration.minutes(10)

class JobUnreadable extends Schema.TaggedError<JobUnreadable>()("JobUnreadable", { cause: Schema.Defect() }) {}

const decodeJob = Schema.decodeUnknownEffect(Schema.toCodecJson(Job))

const endOf = (options: JobsOptions, attempt: number, exit: Exit.Exit<unknown, unknown>): JobEnd => {
  if (Exit.isSuccess(exit)) return { state: "completed" }
  if (Cause.hasInterruptsOnly(exit.cause)) return { state: "released" }
  const failure = Cause.pretty(exit.cause).slice(0, failure_length_max)
  // Another attempt would not read it either.
  const unreadable = Cause.squash(exit.cause) instanceof JobUnreadable
  if (unreadable || attempt >= options.attempts_max) return { state: "dead", failure }
  const pause = Duration.times(Duration.fromInputUnsafe(options.retryFrom), 2 ** (attempt - 1))
  return { state: "later", pause: Duration.min(pause, pause_max), failure }
}

/** `wake` is opened when this process has enqueued a job. */
export const makeJobQueue = (leases: JobLeases, options: JobsOptions, wake: Latch.Latch): JobQueue["Service"] => {
  const lease_ms = Duration.toMillis(options.lease)
  const renewing = (job: ClaimedJob) =>
    leases.renew(job).pipe(
      Effect.catchCause((cause) => logFailed("the lease of a job was not renewed", cause)),
      Effect.delay(lease_ms / 3),
      Effect.forever,
    )

  const run = <R>(
    claimed: ClaimedJob,
    handle: (job: Job, about: { readonly id: string; readonly attempt: number }) => Effect.Effect<void, unknown, R>,
  ) =>
    decodeJob(claimed.payload).pipe(
      Effect.mapError((cause) => new JobUnreadable({ cause })),
      Effect.flatMap((job) => handle(job, { id: claimed.id, attempt: claimed.attempt })),
      Effect.raceFirst(renewing(claimed)),
      Effect.interruptible,
      Effect.exit,
      Effect.flatMap((exit) => {
        const end = endOf(options, claimed.attempt, exit)
        const logged =
          end.state === "later" || end.state === "dead"
            ? Effect.logWarning(
                end.state === "dead" ? "a job failed for the last time" : "a job failed and will be tried again",
              ).pipe(Effect.annotateLogs({ failure: end.failure }))
            : Effect.void
        return Effect.andThen(leases.settle(claimed, end), logged)
      }),
      // The lease ends without an entry, and the job runs again.
      Effect.catchCause((cause) => logFailed("the end of a job was not written", cause)),
    )

  const work: JobQueue["Service"]["work"] = ({ concurrency, handle, idle = Effect.sleep(options.poll) }) =>
    Effect.scoped(
      Effect.gen(function* () {
        let free = concurrency
        let after: WorkspaceId | null = null
        const begin = (claimed: ClaimedJob) => {
          free--
          after = claimed.workspaceId
          const end = Effect.sync(() => {
            free++
            wake.openUnsafe()
          })
          return Effect.forkScoped(Effect.ensuring(run(claimed, handle), end), { uninterruptible: true })
        }
        while (true) {
          wake.closeUnsafe()
          const onlyIdle = free === 1 && concurrency > 1
          // An interrupted claim would be lost until its lease ends.
          const claimed: ClaimedJob | undefined =
            free === 0
              ? undefined
              : yield* leases.claim({ after, onlyIdle }).pipe(
                  Effect.tap((job) => (job === undefined ? Effect.void : begin(job))),
                  Effect.uninterruptible,
                  Effect.catchCause((cause) => Effect.as(logFailed("claiming a job failed", cause), undefined)),
                )
          if (claimed === undefined) yield* Effect.raceFirst(idle, wake.await)
        }
      }),
    )

  return { work }
}

const logFailed = (message: string, cause: Cause.Cause<unknown>) =>
  Effect.logWarning(message).pipe(Effect.annotateLogs({ failure: Cause.pretty(cause).slice(0, failure_length_max) }))
