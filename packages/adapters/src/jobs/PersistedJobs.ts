// The job queue on PostgreSQL. Jobs are enqueued in the caller's transaction and claimed by the function `jobs.claim_job`.
import { PgClient } from "@effect/sql-pg"
import {
  type ClaimedJob,
  defaults,
  type JobLeases,
  type JobsOptions,
  makeJobQueue,
} from "@tentpole/core/kernel/changes/JobRunner"
import { type DeadJob, Job, JobQueue, Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { sliced } from "@tentpole/core/kernel/Page"
import { Context, Duration, Effect, Latch, Layer, Schedule, Schema } from "effect"
import type { Statement } from "effect/sql"
import { fromRow, requireRow, type RowOf } from "../postgres/kernel/Instants.ts"
import { orDefect } from "../postgres/kernel/Postgres.ts"
import { newestRows } from "../postgres/kernel/Slices.ts"
import { queue_table } from "./QueueTable.ts"

const encode = Schema.encodeEffect(Schema.toCodecJson(Job))

const before_all = "00000000-0000-0000-0000-000000000000"

const deadColumns = (of: string) =>
  `${of}.id, ${of}.type, ${of}.workspace_id as "workspaceId", ${of}.attempts, coalesce(${of}.last_failure, 'unknown') as failure,
  ${of}.updated_at as "failedAt"`

/** Changes a dead job, and returns it as it was. */
const endDead = (sql: PgClient.PgClient, id: string, change: Statement.Fragment) =>
  Effect.andThen(
    Transaction,
    orDefect(sql<RowOf<DeadJob>>`
      with was as materialized (
        select sequence, id, type, workspace_id, attempts, last_failure, updated_at from ${sql(queue_table)}
        where id = ${id} and state = 'dead' for update)
      update ${sql(queue_table)} q set ${change} from was where q.sequence = was.sequence
      returning ${sql.literal(deadColumns("was"))}`),
  ).pipe(Effect.flatMap(requireRow("dead job")), Effect.map(fromRow<DeadJob>))

const makeJobs = (sql: PgClient.PgClient, wake: Latch.Latch) =>
  Jobs.of({
    enqueue: (job, { id, delay }) =>
      Effect.gen(function* () {
        yield* Transaction
        const delay_s = delay === undefined ? 0 : Math.ceil(Duration.toSeconds(Duration.fromInputUnsafe(delay)))
        yield* sql`
          insert into ${sql(queue_table)} (id, workspace_id, type, payload, state, due_at)
          values (${id}, ${job.workspaceId}, ${job.type}, ${sql.json(yield* encode(job))},
            ${delay_s > 0 ? "later" : "ready"}, now() + make_interval(secs => ${delay_s}))
          on conflict (id) do nothing`
        yield* sql.afterCommit(Effect.sync(() => wake.openUnsafe()))
      }).pipe(Effect.orDie),
    dead: (query) =>
      orDefect(
        newestRows<RowOf<DeadJob>>(sql, query, {
          columns: deadColumns("q"),
          from: sql`${sql(queue_table)} q`,
          where: sql`q.state = 'dead'`,
          at: "q.updated_at",
          id: "q.id",
        }),
      ).pipe(
        Effect.map((rows) =>
          sliced(rows.map(fromRow<DeadJob>), query.limit, ({ failedAt, id }) => ({
            at: failedAt.epochMilliseconds,
            id,
          })),
        ),
      ),
    requeue: (id) =>
      endDead(sql, id, sql`state = 'ready', attempts = 0, due_at = now(), updated_at = now(), last_failure = null`),
    abandon: (id) => endDead(sql, id, sql`state = 'completed', updated_at = now()`),
  })

/** A statement of a job's holder is tried for as long as its lease may last. */
const makeLeases = (sql: PgClient.PgClient, { attempts_max, lease }: JobsOptions): JobLeases => {
  const lease_s = Duration.toSeconds(lease)
  const until_lease_ends = { schedule: Schedule.spaced("500 millis"), times: 2 * lease_s }
  const ofHolder = ({ id, token }: ClaimedJob) => sql`where id = ${id} and token = ${token}::uuid`
  return {
    claim: ({ after, onlyIdle }) =>
      orDefect(sql<{
        id: string
        workspace_id: ClaimedJob["workspaceId"]
        payload: unknown
        attempt: number
        token: string
      }>`
        select id, workspace_id, payload, attempt, token
        from jobs.claim_job(${after ?? before_all}::uuid, ${onlyIdle}, ${attempts_max}, make_interval(secs => ${lease_s}))`).pipe(
        Effect.map(([row]) => {
          if (row === undefined) return undefined
          const { workspace_id: workspaceId, ...job } = row
          return { ...job, workspaceId }
        }),
      ),
    renew: (job) =>
      orDefect(sql`
        update ${sql(queue_table)} set lease_until = now() + make_interval(secs => ${lease_s}) ${ofHolder(job)}`),
    settle: (job, end) => {
      const state = end.state === "released" ? "ready" : end.state
      const pause_s = end.state === "later" ? Duration.toSeconds(end.pause) : 0
      return sql`
        update ${sql(queue_table)} set state = ${state}, token = null, lease_until = null,
          updated_at = date_trunc('milliseconds', now()),
          attempts = attempts - ${end.state === "released" ? 1 : 0},
          due_at = ${state === "later" ? sql`now() + make_interval(secs => ${pause_s})` : sql`due_at`},
          last_failure = coalesce(${"failure" in end ? end.failure : null}, last_failure)
        ${ofHolder(job)}`.pipe(Effect.retry(until_lease_ends), orDefect)
    },
  }
}

export const layer = (options: JobsOptions = defaults) =>
  Layer.effectContext(
    Effect.map(PgClient.PgClient, (sql) => {
      const wake = Latch.makeUnsafe()
      return Context.make(Jobs, makeJobs(sql, wake)).pipe(
        Context.add(JobQueue, makeJobQueue(makeLeases(sql, options), options, wake)),
      )
    }),
  )
