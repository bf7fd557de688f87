// The job queue in memory, for tests and simulations, with the attempts, delays, leases and dead jobs of the PostgreSQL queue.
// An interrupted worker releases its job at once; a crashed worker loses it when the lease ends.
import { type ClaimedJob, defaults, type JobLeases, makeJobQueue } from "@tentpole/core/kernel/changes/JobRunner"
import { type DeadJob, type Job, JobQueue, Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { nextJob } from "@tentpole/core/kernel/changes/JobTurn"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Clock, Context, DateTime, Duration, Effect, Latch, Layer } from "effect"
import { MemoryDatabase, table } from "./MemoryDatabase.ts"
import { byId, newest } from "./Slices.ts"
import { transactOn } from "./Transactor.ts"

interface JobRow {
  readonly id: string
  readonly workspaceId: WorkspaceId
  readonly type: Job["type"]
  readonly job: Job
  readonly state: "waiting" | "running" | "completed" | "dead"
  readonly attempts: number
  readonly dueAt_ms: number
  /** Of a running job: when its lease ends without renewal. */
  readonly leaseUntil_ms: number
  readonly failure: string | null
  readonly updatedAt_ms: number
}

const queue = table<JobRow>("job_queue")

const isDead = ({ state }: JobRow): boolean => state === "dead"

const toDeadJob = ({ attempts, failure, id, type, updatedAt_ms, workspaceId }: JobRow): DeadJob => ({
  id,
  type,
  workspaceId,
  attempts,
  failure: failure ?? "unknown",
  failedAt: DateTime.makeUnsafe(updatedAt_ms),
})

const tokenOf = ({ attempts }: JobRow): string => String(attempts)

export const layer = (options = defaults) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const db = yield* MemoryDatabase
      const transact = transactOn(db)
      const wake = Latch.makeUnsafe()
      const put = (row: JobRow) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => db.put(queue, null, row.id, { ...row, updatedAt_ms: now }))

      /** Changes a dead job, and returns it as it was. */
      const endDead = Effect.fnUntraced(function* (id: string, after: (now: number) => Partial<JobRow>) {
        yield* Transaction
        const row = yield* db.find(queue, null, id)
        if (row === undefined || !isDead(row)) return yield* new NotFound({ resource: "dead job" })
        yield* put({ ...row, ...after(yield* Clock.currentTimeMillis) })
        return toDeadJob(row)
      })

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
            workspaceId: job.workspaceId,
            type: job.type,
            job,
            state: "waiting",
            attempts: 0,
            dueAt_ms: now + delay_ms,
            leaseUntil_ms: 0,
            failure: null,
            updatedAt_ms: now,
          })
          // Workers look at once, and their claim waits for the end of this transaction.
          wake.openUnsafe()
        }),
        dead: (query) =>
          Effect.map(db.all(queue, null), (rows) => {
            const { items, next } = newest(
              rows
                .filter(isDead)
                .map((row) => ({ ...toDeadJob(row), createdAt: DateTime.makeUnsafe(row.updatedAt_ms) })),
              query,
            )
            return { items: items.map(({ createdAt: _, ...job }) => job), next }
          }),
        requeue: (id) => endDead(id, (now) => ({ state: "waiting", attempts: 0, dueAt_ms: now, failure: null })),
        abandon: (id) => endDead(id, () => ({ state: "completed" })),
      })

      const lease_ms = Duration.toMillis(options.lease)
      const now_ms = Clock.currentTimeMillis

      /** Writes the job of a claim. A worker that lost its lease writes nothing. */
      const write = ({ id, token }: ClaimedJob, after: (row: JobRow, now: number) => Partial<JobRow>) =>
        Effect.gen(function* () {
          const row = yield* db.find(queue, null, id)
          const isHolder = row?.state === "running" && tokenOf(row) === token
          if (isHolder) yield* put({ ...row, ...after(row, yield* now_ms) })
        }).pipe(transact)

      const claim: JobLeases["claim"] = Effect.fnUntraced(function* (turn) {
        const now = yield* now_ms
        for (const row of yield* db.all(queue, null)) {
          if (row.state !== "running" || row.leaseUntil_ms > now) continue
          yield* put({ ...row, state: row.attempts < options.attempts_max ? "waiting" : "dead" })
        }
        const all = yield* db.all(queue, null)
        const ready = all
          .filter((row) => row.state === "waiting" && row.dueAt_ms <= now)
          .sort((left, right) => left.dueAt_ms - right.dueAt_ms || byId(left, right))
        const next = nextJob(
          ready,
          all.filter((row) => row.state === "running"),
          turn,
        )
        if (next === undefined) return undefined
        const row: JobRow = { ...next, state: "running", attempts: next.attempts + 1, leaseUntil_ms: now + lease_ms }
        yield* put(row)
        const { attempts: attempt, id, job: payload, workspaceId } = row
        return { id, workspaceId, token: tokenOf(row), attempt, payload }
      })

      const leases: JobLeases = {
        claim: (turn) => transact(claim(turn)),
        renew: (job) => write(job, (_, now) => ({ leaseUntil_ms: now + lease_ms })),
        settle: (job, end) =>
          write(job, (row, now) => {
            switch (end.state) {
              case "completed":
                return { state: "completed" }
              case "released":
                return { state: "waiting", attempts: row.attempts - 1 }
              case "later":
                return { state: "waiting", dueAt_ms: now + Duration.toMillis(end.pause), failure: end.failure }
              case "dead":
                return { state: "dead", failure: end.failure }
            }
          }),
      }

      return Context.make(Jobs, jobs).pipe(Context.add(JobQueue, makeJobQueue(leases, options, wake)))
    }),
  )
