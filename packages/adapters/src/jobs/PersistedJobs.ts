// The job queue on Effect's PersistedQueue over PostgreSQL. Jobs are offered in the caller's transaction, taken under a lease,
// retried with growing backoff, and stored as dead jobs after the last attempt.
import { PgClient } from "@effect/sql-pg"
import { Job, JobQueue, Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Cause, Context, DateTime, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { PersistedQueue } from "effect/persistence"
import { orDefect } from "../postgres/kernel/Postgres.ts"
import { queue_table } from "./QueueTable.ts"

export interface JobsOptions {
  /** The lease of a job. Live workers renew it at a third of its time. */
  readonly lease: Duration.Input
  /** The poll interval for jobs of other processes: an offer wakes takers of its own process only. */
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

/** The stored part of a failure: short, so that no payload is in it. */
const failure_length_max = 300

const make = (options: JobsOptions) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const queue = yield* PersistedQueue.make({
      name: "jobs",
      schema: Schema.toCodecJson(Job),
      maxAttempts: options.attempts_max,
      retrySchedule: Schedule.min([Schedule.exponential(options.retryFrom), Schedule.spaced("10 minutes")]),
    })

    const jobs = Jobs.of({
      enqueue: (job, { id, delay }) =>
        Transaction.pipe(
          Effect.andThen(queue.offer(job, { id, ...(delay === undefined ? {} : { delay }) })),
          Effect.asVoid,
          Effect.orDie,
        ),
      dead: orDefect(
        sql<{ id: string; attempts: number; failure: string | null; failed_at: Date }>`
          select id, attempts, left(last_failure, ${failure_length_max}) as failure, updated_at at time zone 'UTC' as failed_at
          from ${sql(queue_table)} where state = 'failed' order by updated_at desc limit 1000`,
      ).pipe(
        Effect.map((rows) =>
          rows.map((row) => ({
            id: row.id,
            attempts: row.attempts,
            failure: row.failure ?? "unknown",
            failedAt: DateTime.makeUnsafe(row.failed_at),
          })),
        ),
      ),
      requeue: (id) =>
        Transaction.pipe(
          Effect.andThen(
            orDefect(sql`
              update ${sql(queue_table)} set state = 'pending', attempts = 0, visible_at = now(), last_failure = null
              where id = ${id} and state = 'failed' returning 1`),
          ),
          Effect.map((rows) => rows.length > 0),
        ),
    })

    const jobQueue = JobQueue.of({
      work: ({ concurrency, handle }) => {
        const one = queue
          .take((job, about) => handle(job, { id: about.id, attempt: about.attempts }))
          .pipe(
            Effect.catchCause((cause) =>
              Cause.hasInterruptsOnly(cause)
                ? Effect.failCause(cause as Cause.Cause<never>)
                : Effect.logWarning("a job failed and will be tried again").pipe(
                    Effect.annotateLogs({ failure: Cause.pretty(cause).slice(0, failure_length_max) }),
                  ),
            ),
            Effect.forever,
          )
        return Effect.all(
          Array.from({ length: concurrency }, () => one),
          { concurrency: "unbounded", discard: true },
        ).pipe(Effect.andThen(Effect.never))
      },
    })

    return Context.make(Jobs, jobs).pipe(Context.add(JobQueue, jobQueue))
  })

export const layer = (options: JobsOptions = defaults) =>
  Layer.effectContext(make(options)).pipe(
    Layer.provide(PersistedQueue.layer),
    Layer.provide(
      PersistedQueue.layerStoreSql({
        tableName: queue_table,
        pollInterval: options.poll,
        lockExpiration: options.lease,
        lockRefreshInterval: Duration.millis(Duration.toMillis(options.lease) / 3),
      }),
    ),
  )
