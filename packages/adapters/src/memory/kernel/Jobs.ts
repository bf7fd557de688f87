// The job queue in memory, for tests and simulations, with the attempts, delays, leases and dead jobs of the PostgreSQL queue.
// An interrupted worker releases its job at once; a crashed worker loses it when the lease ends.
import { type Job, JobQueue, Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Cause, Clock, Context, DateTime, Duration, Effect, Exit, Layer } from "effect"
import { defaults, type JobsOptions } from "../../jobs/PersistedJobs.ts"
import { MemoryDatabase, table } from "./MemoryDatabase.ts"
import { byId } from "./Slices.ts"

interface JobRow {
  readonly id: string
  readonly job: Job
  readonly state: "pending" | "running" | "completed" | "failed"
  readonly attempts: number
  readonly visibleAt_ms: number
  /** Of a running job: when its lease ends without renewal. */
  readonly leaseUntil_ms: number
  readonly failure: string | null
  readonly updatedAt_ms: number
}

const queue = table<JobRow>("job_queue")

const pause_max_ms = 10 * 60_000

export const layer = (options: JobsOptions = defaults) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const db = yield* MemoryDatabase
      const put = (row: JobRow) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => db.put(queue, null, row.id, { ...row, updatedAt_ms: now }))

      const jobs = Jobs.of({
        enqueue: Effect.fnUntraced(function* (job, { id, delay }) {
          yield* Transaction
          if ((yield* db.find(queue, null, id)) !== undefined) return
          const now = yield* Clock.currentTimeMillis
          // The PostgreSQL queue rounds delays up to whole seconds.
          const delay_ms =
            delay === undefined ? 0 : Math.ceil(Duration.toMillis(Duration.fromInputUnsafe(delay)) / 1000) * 1000
          yield* put({
            id,
            job,
            state: "pending",
            attempts: 0,
            visibleAt_ms: now + delay_ms,
            leaseUntil_ms: 0,
            failure: null,
            updatedAt_ms: now,
          })
        }),
        dead: Effect.map(db.all(queue, null), (rows) =>
          rows
            .filter((row) => row.state === "failed")
            .sort((left, right) => right.updatedAt_ms - left.updatedAt_ms)
            .slice(0, 1000)
            .map((row) => ({
              id: row.id,
              attempts: row.attempts,
              failure: row.failure ?? "unknown",
              failedAt: DateTime.makeUnsafe(row.updatedAt_ms),
            })),
        ),
        requeue: Effect.fnUntraced(function* (id) {
          yield* Transaction
          const row = yield* db.find(queue, null, id)
          if (row?.state !== "failed") return false
          yield* put({
            ...row,
            state: "pending",
            attempts: 0,
            visibleAt_ms: yield* Clock.currentTimeMillis,
            failure: null,
          })
          return true
        }),
      })

      const lease_ms = Duration.toMillis(options.lease)

      /** Writes the end of an attempt. A worker that lost its lease writes nothing. */
      const settle = Effect.fnUntraced(function* (row: JobRow, after: Partial<JobRow>) {
        const now = yield* db.find(queue, null, row.id)
        if (now?.state === "running" && now.attempts === row.attempts) yield* put({ ...row, ...after })
      })

      /** Renews the lease of a running job after each third of its time. */
      const renewLease = (row: JobRow) =>
        Effect.sleep(lease_ms / 3).pipe(
          Effect.andThen(Clock.currentTimeMillis),
          Effect.flatMap((now) => settle(row, { leaseUntil_ms: now + lease_ms })),
          Effect.forever,
        )

      const take = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const due = (yield* db.all(queue, null))
          .filter((row) =>
            row.state === "running" ? row.leaseUntil_ms <= now : row.state === "pending" && row.visibleAt_ms <= now,
          )
          .sort((left, right) => left.visibleAt_ms - right.visibleAt_ms || byId(left, right))[0]
        if (due === undefined) return undefined
        const taken: JobRow = { ...due, state: "running", attempts: due.attempts + 1, leaseUntil_ms: now + lease_ms }
        yield* put(taken)
        return taken
      })

      const failed = (row: JobRow, cause: Cause.Cause<unknown>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const failure = Cause.pretty(cause).slice(0, 300)
          if (row.attempts >= options.attempts_max) return settle(row, { state: "failed", failure })
          const pause_ms = Math.min(Duration.toMillis(options.retryFrom) * 2 ** (row.attempts - 1), pause_max_ms)
          return settle(row, { state: "pending", visibleAt_ms: now + pause_ms, failure })
        })

      const jobQueue = JobQueue.of({
        work: ({ concurrency, handle }) => {
          const one = Effect.gen(function* () {
            const row = yield* take
            if (row === undefined) return yield* Effect.sleep(options.poll)
            yield* handle(row.job, { id: row.id, attempt: row.attempts }).pipe(
              Effect.raceFirst(renewLease(row)),
              Effect.onExit((exit) =>
                Exit.isSuccess(exit)
                  ? settle(row, { state: "completed" })
                  : Cause.hasInterruptsOnly(exit.cause)
                    ? settle(row, { state: "pending", attempts: row.attempts - 1 })
                    : failed(row, exit.cause),
              ),
              Effect.catchCause((cause) =>
                Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause as Cause.Cause<never>) : Effect.void,
              ),
            )
          }).pipe(Effect.forever)
          return Effect.all(
            Array.from({ length: concurrency }, () => one),
            { concurrency: "unbounded", discard: true },
          ).pipe(Effect.andThen(Effect.never))
        },
      })

      return Context.make(Jobs, jobs).pipe(Context.add(JobQueue, jobQueue))
    }),
  )
