// Tests of the administration API of the installation: its state, dead jobs and the doctor.
import { PgClient } from "@effect/sql-pg"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ServiceOverviewStore } from "@tentpole/core/operations/overview/ServiceOverviewStore"
import { Doctor, DoctorBusy } from "@tentpole/http/doctor/Doctor"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { administrationOver } from "../fixtures/AdminWorld.ts"
import { postgresWorld } from "../fixtures/PostgresWorld.ts"
import { type Json, unknownId } from "../fixtures/World.ts"

const workspace = WorkspaceId.make("3f9fd0f6-6d43-4c8a-9a3a-6c2b3f1d7e55")

const begin = Effect.gen(function* () {
  const { admin, context } = yield* administrationOver(postgresWorld)
  const addDead = (id: string, second: number) =>
    Effect.flatMap(
      PgClient.PgClient,
      (sql) => sql`
        insert into jobs.job_queue (id, workspace_id, type, payload, state, attempts, last_failure, updated_at)
        values (${id}, ${workspace}, ${id.split(":")[0]}, '{}', 'dead', 10, 'AccessDenied',
          '2026-05-01T00:00:00Z'::timestamptz + make_interval(secs => ${second}))`,
    ).pipe(Effect.orDie, Effect.provide(context))
  const log = Effect.map(admin("GET", `/admin/v1/audit-log?workspace_id=${workspace}`), ({ json }) =>
    json.entries.map(({ action, details, target }: Json) => [action, target, details]),
  )
  return { addDead, admin, context, log }
})

describe("dead jobs", () => {
  it.live("are listed page by page, the newest failure first", () =>
    Effect.gen(function* () {
      const { addDead, admin } = yield* begin
      yield* addDead("list_export:1", 1)
      yield* addDead("import_run:2", 3)
      yield* addDead("import_run:1", 3)
      const first = yield* admin("GET", "/admin/v1/jobs?state=dead&limit=2")
      assert.deepStrictEqual(
        first.json.jobs.map(({ job_id }: Json) => job_id),
        ["import_run:1", "import_run:2"],
      )
      const rest = yield* admin("GET", `/admin/v1/jobs?state=dead&cursor=${first.json.next_cursor}`)
      assert.deepStrictEqual(rest.json, {
        jobs: [
          {
            job_id: "list_export:1",
            type: "list_export",
            workspace_id: workspace,
            attempts: 10,
            failure: "AccessDenied",
            failed_at: "2026-05-01T00:00:01.000Z",
          },
        ],
        next_cursor: null,
      })
      assert.strictEqual((yield* admin("GET", "/admin/v1/jobs")).status, 400)
    }).pipe(Effect.scoped),
  )

  it.live("are requeued and discarded once, which the audit log records", () =>
    Effect.gen(function* () {
      const { addDead, admin, log } = yield* begin
      yield* addDead("list_export:1", 1)
      yield* addDead("import_run:2", 2)
      const requeued = yield* admin("POST", "/admin/v1/jobs/list_export:1/requeue")
      assert.deepStrictEqual([requeued.status, requeued.json], [202, { job_id: "list_export:1", state: "ready" }])
      assert.strictEqual((yield* admin("DELETE", "/admin/v1/jobs/import_run%3A2")).status, 204)
      assert.deepStrictEqual((yield* admin("GET", "/admin/v1/jobs?state=dead")).json.jobs, [])
      for (const [method, path] of [
        ["POST", "list_export:1/requeue"],
        ["DELETE", "list_export:1"],
        ["DELETE", "import_run:2"],
        ["DELETE", unknownId],
      ] as const) {
        assert.strictEqual((yield* admin(method, `/admin/v1/jobs/${path}`)).status, 404, path)
      }
      assert.deepStrictEqual(yield* log, [
        ["job.abandoned", "import_run:2", { type: "import_run", attempts: 10 }],
        ["job.requeued", "list_export:1", { type: "list_export", attempts: 10 }],
      ])
    }).pipe(Effect.scoped),
  )
})

describe("the doctor over HTTP", () => {
  it.live("returns each check with what was found and how to fix it", () =>
    Effect.gen(function* () {
      const { admin } = yield* begin
      const { json, status } = yield* admin("POST", "/admin/v1/doctor")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        json.checks.map(({ mend, name, ok }: Json) => [name, ok, mend !== null]),
        [
          ["database", true, false],
          ["APP_SECRET", true, true],
          ["mail", false, true],
        ],
      )
      assert.strictEqual(json.checks[0].found, "PostgreSQL 18 answers")
    }).pipe(Effect.scoped),
  )

  it.live("answers 409 while another call runs", () =>
    Effect.gen(function* () {
      const busy = Layer.mock(Doctor, { run: Effect.fail(new DoctorBusy()) })
      const { admin } = yield* administrationOver(Layer.merge(postgresWorld, busy))
      const { json, status } = yield* admin("POST", "/admin/v1/doctor")
      assert.deepStrictEqual([status, json.error_code], [409, "conflict"])
    }).pipe(Effect.scoped),
  )
})

describe("the state of the installation", () => {
  it.live("has its processes, queues, deliveries and database", () =>
    Effect.gen(function* () {
      const { addDead, admin, context } = yield* begin
      yield* addDead("list_export:1", 1)
      yield* addDead("import_run:2", 2)
      const process_id = "0190d6a4-6c2b-7d55-9a3a-3f1d7e553f9f"
      const beat = { id: process_id, kind: "worker", uptime_s: 60, rss_bytes: 1_000, eventLoopP99_ms: 2.5 } as const
      yield* ServiceOverviewStore.use(({ beat: report, recordLag }) => Effect.andThen(report(beat), recordLag)).pipe(
        Effect.provide(context),
      )
      const { json, status } = yield* admin("GET", "/admin/v1/operations")
      assert.strictEqual(status, 200)
      const { database, due, lags, processes, ...rest } = json
      assert.deepStrictEqual(rest, {
        version: "0.1.0",
        jobs: [
          { type: "import_run", ready: 0, running: 0, later: 0, dead: 1, oldest_s: null },
          { type: "list_export", ready: 0, running: 0, later: 0, dead: 1, oldest_s: null },
        ],
        deliveries: { open: 0, paused: 0, claimed: 0, handed_over: 0, oldest_s: null },
        sending: "on",
        mail: "smtp",
      })
      const [{ seen_at, started_at, ...process }] = processes
      assert.deepStrictEqual(process, { process_id, kind: "worker", rss_bytes: 1_000, event_loop_p99_ms: 2.5 })
      assert.isBelow(Date.parse(started_at), Date.parse(seen_at))
      assert.isAbove(database.bytes, 1_000_000)
      assert.isArray(due)
      assert.lengthOf(lags, 96)
      const recorded = lags.filter(({ deliveries }: Json) => deliveries !== null)
      assert.lengthOf(recorded, 1)
      const { at, ...lag } = recorded[0]
      assert.deepStrictEqual(lag, {
        blasts: 0,
        deliveries: 0,
        flows: 0,
        flow_events: 0,
        flow_dates: 0,
        webhooks: 0,
        messages: 0,
        subscriptions: 0,
        confirmations: 0,
      })
      assert.isBelow(Date.now() - Date.parse(at), 1_800_000)
    }).pipe(Effect.scoped),
  )
})

describe("the lag of due work", () => {
  it.live("is the longest one of its period, of workspaces that are due", () =>
    Effect.gen(function* () {
      const { admin, context } = yield* begin
      const sql = Context.get(context, PgClient.PgClient)
      const { recordLag } = Context.get(context, ServiceOverviewStore)
      const { json } = yield* admin("POST", "/admin/v1/workspaces", { json: { name: "Bakery" } })
      for (const [kind, due_at] of [
        ["deliveries", sql`now() - interval '80 seconds'`],
        ["flows", sql`'infinity'`],
        ["flow_dates", sql`now() + interval '1 hour'`],
      ] as const) {
        yield* sql`insert into due_work (kind, workspace_id, due_at) values (${kind}, ${json.workspace_id}, ${due_at})`
      }
      yield* recordLag
      yield* sql`delete from due_work`
      yield* recordLag
      const { lags } = (yield* admin("GET", "/admin/v1/operations")).json
      const peakOf = (kind: string) => Math.max(...lags.map((point: Json) => point[kind] ?? -1))
      assert.isAtLeast(peakOf("deliveries"), 80)
      assert.deepStrictEqual([peakOf("flows"), peakOf("flow_dates"), peakOf("blasts")], [0, 0, 0])
    }).pipe(Effect.scoped),
  )
})
