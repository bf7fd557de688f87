// Tests of the queue in PostgreSQL: the time of dead jobs, leases, and what a claim reads while very many jobs wait.
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import * as PersistedJobs from "@tentpole/adapters/jobs/PersistedJobs"
import { eventually } from "@tentpole/core/contract"
import { JobQueue, Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { Effect, Fiber, Layer } from "effect"
import { clients } from "../support/TestDatabase.ts"

const first = "00000000-0000-0000-0000-000000000000"

const claim = (sql: PgClient.PgClient, attempts_max = 10) =>
  Effect.map(
    sql<{ readonly id: string; readonly attempt: number; readonly token: string }>`
      select id, attempt, token from jobs.claim_job(${first}::uuid, false, ${attempts_max}, interval '1 minute')`,
    ([row]) => row,
  )

const enqueue = (sql: PgClient.PgClient, prefix: string, workspaces: number, each: number) => sql`
  insert into jobs.job_queue (id, workspace_id, type, payload, state)
  select ${prefix} || w || ':' || n, lpad(to_hex(w), 32, '0')::uuid, (array['list_export', 'import_run', 'blast_start'])[1 + n % 3],
    '{}', 'ready'
  from generate_series(1, ${workspaces}::int) w, generate_series(1, ${each}::int) n`

const endLease = (sql: PgClient.PgClient) => sql`
  update jobs.job_queue set lease_until = clock_timestamp() - interval '1 second' where state = 'running'`

const state = (sql: PgClient.PgClient) => sql`select state, attempts, last_failure from jobs.job_queue`

/** The pages that a claim reads, all its statements together. */
const pagesOf = Effect.fnUntraced(function* (sql: PgClient.PgClient, onlyIdle: boolean, after = first) {
  const [row] = yield* sql<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Record<string, unknown> }> }>`
    explain (analyze, buffers, format json)
    select * from jobs.claim_job(${sql.literal(`'${after}'`)}::uuid, ${sql.literal(String(onlyIdle))}, 10, interval '1 minute')`
    .unprepared
  const { Plan } = row?.["QUERY PLAN"][0] ?? { Plan: {} }
  return {
    rows: Plan["Actual Rows"],
    pages: Number(Plan["Shared Hit Blocks"]) + Number(Plan["Shared Read Blocks"]),
  }
})

/** Jobs whose time no cursor can name. */
const finer = (sql: PgClient.PgClient) => sql<{ readonly state: string }>`
  select state from jobs.job_queue where updated_at <> date_trunc('milliseconds', updated_at)`

layer(PersistedJobs.layer().pipe(Layer.provideMerge(clients)), { excludeTestServices: true })("dead jobs", (it) => {
  it.effect("have a time in whole milliseconds, as cursors have", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { work } = yield* JobQueue
      const { dead } = yield* Jobs
      yield* enqueue(sql, "unreadable", 2, 10)
      const worker = yield* Effect.forkChild(work({ concurrency: 4, handle: () => Effect.void }))
      yield* eventually(dead({ after: null, limit: 100 }), ({ items }) => items.length === 20)
      yield* Fiber.interrupt(worker)
      assert.deepStrictEqual(yield* finer(sql), [])
      yield* sql`delete from jobs.job_queue`
    }),
  )
})

layer(clients, { excludeTestServices: true })("jobs.claim_job", (it) => {
  it.effect("returns the job of a worker whose lease ended, under another token", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* enqueue(sql, "lease", 1, 1)
      const [before, none] = [yield* claim(sql), yield* claim(sql)]
      assert.isUndefined(none)
      yield* endLease(sql)
      const after = yield* claim(sql)
      assert.deepStrictEqual([before?.attempt, after?.attempt], [1, 2])
      assert.notStrictEqual(after?.token, before?.token)
      yield* endLease(sql)
      assert.isUndefined(yield* claim(sql, 2), "two attempts at most")
      assert.deepStrictEqual(yield* state(sql), [
        { state: "dead", attempts: 2, last_failure: "The lease ended in the last attempt" },
      ])
      assert.deepStrictEqual(yield* finer(sql), [])
      yield* sql`delete from jobs.job_queue`
    }),
  )

  it.effect("reads few pages while 100,000 jobs of one workspace and 2,000 other workspaces wait", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const read = Effect.gen(function* () {
        // The first call of a session reads the catalog. The planner knows the queue as empty, as after a quiet night.
        yield* claim(sql)
        yield* enqueue(sql, "large", 1, 100_000)
        const alone = yield* pagesOf(sql, false)
        yield* enqueue(sql, "many", 2_000, 5)
        for (let each = 0; each < 40; each++) yield* claim(sql)
        return [
          alone,
          yield* pagesOf(sql, false),
          yield* pagesOf(sql, true),
          yield* pagesOf(sql, false, "f".repeat(32)),
        ]
      })
      yield* sql`delete from jobs.job_queue`
      const seen = yield* sql.withTransaction(read)
      for (const { pages, rows } of seen) {
        assert.strictEqual(rows, 1)
        assert.isBelow(pages, 1_000, JSON.stringify(seen))
      }
      yield* sql`delete from jobs.job_queue`
    }),
  )
})
