// Metrics and readiness on PostgreSQL: how much work waits and for how long, and whether the database can serve.
import { PgClient } from "@effect/sql-pg"
import { processMetrics, serviceMetrics } from "@tentpole/adapters/operations/Metrics"
import { EventLoop } from "@tentpole/adapters/operations/ProcessMeasures"
import { databaseState } from "@tentpole/adapters/postgres/operations/Ready"
import { DeliveryScenario, eventually, Fresh, webhookWorld, wholeAudience } from "@tentpole/core/contract"
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { TentId } from "@tentpole/core/kernel/Ids"
import { Jobs } from "@tentpole/core/kernel/changes/Jobs"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { disable } from "@tentpole/core/webhooks/endpoints/EndpointChange"
import { assert, it, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted } from "effect"
import parse from "parse-prometheus-text-format"
import { inject } from "vitest"
import { postgresScenario } from "../fixtures/DeliveryScenarios.ts"
import { postgres } from "../fixtures/Stores.ts"

/** The value of a series, by an independent parser; undefined when there is none. */
const valueOf = (text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined => {
  const found = parse(text)
    .find((family) => family.name === name)
    ?.metrics.find((each) => Object.entries(labels).every(([key, value]) => each.labels?.[key] === value))
  return found?.value === undefined ? undefined : Number(found.value)
}

/** Both queries have a short timeout, so a slow answer is repeated. */
const measured = eventually(serviceMetrics, (text) => valueOf(text, "tentpole_database_up") === 1)
const stateTold = eventually(databaseState, (state) => state !== "unavailable")

const world = Layer.merge(postgresScenario.pipe(Layer.provideMerge(postgres)), EventLoop.layer)

layer(world, { excludeTestServices: true })("metrics", (it) => {
  it.effect("deliveries: reports open, in-flight and unconfirmed ones, of sending and of paused blasts", () =>
    Effect.gen(function* () {
      const scenario = yield* DeliveryScenario
      const store = yield* DeliveryStore
      const { transact } = yield* Transactor
      const fresh = yield* Fresh
      const people = Array.from({ length: 5 }, (_, at) => ({ email: `contact-${at}@example.test` }))
      const begun = Effect.gen(function* () {
        const workspace = yield* fresh.workspace()
        const { blast } = yield* scenario.blast(workspace, people)
        yield* transact(wholeAudience(store, workspace, blast))
        return { workspace, blast }
      })
      const sending = yield* begun
      const paused = yield* begun
      yield* scenario.setBlast(paused.workspace, paused.blast, "paused")
      const claimed = yield* transact(store.claim(sending.workspace, { limit: 3, lease_ms: 60_000 }))
      const [first] = claimed
      if (first === undefined) return assert.fail("nothing was claimed")
      yield* store.grant(sending.workspace, [{ ...first }], 60_000)

      const text = yield* measured
      const deliveries = ["open", "paused", "claimed", "handed_over"].map((state) =>
        valueOf(text, "tentpole_deliveries", { state }),
      )
      assert.deepStrictEqual(deliveries, [5, 5, 2, 1])
      assert.isAtLeast(valueOf(text, "tentpole_deliveries_handed_over_oldest_seconds") ?? -1, 0)
      assert.strictEqual(valueOf(text, "tentpole_database_up"), 1)
    }),
  )

  it.effect("due work: reports every kind, also one that this version does not know", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const workspace = yield* (yield* Fresh).workspace()
      yield* sql`
        insert into due_work (kind, workspace_id, due_at) values
          ('members', ${workspace}, clock_timestamp() - interval '90 seconds'),
          ('later', ${workspace}, clock_timestamp() + interval '1 hour')`
      const text = yield* measured
      assert.strictEqual(valueOf(text, "tentpole_due_workspaces", { kind: "members" }), 1)
      assert.isAtLeast(valueOf(text, "tentpole_due_lag_seconds", { kind: "members" }) ?? 0, 90)
      assert.strictEqual(valueOf(text, "tentpole_due_workspaces", { kind: "later" }), 0)
      assert.strictEqual(valueOf(text, "tentpole_due_lag_seconds", { kind: "later" }), 0)
    }),
  )

  it.effect("jobs: reports counts by type and state, and the age of the oldest", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const jobs = yield* Jobs
      const { transact } = yield* Transactor
      const fresh = yield* Fresh
      const workspaceId = yield* fresh.workspace()
      const job = { type: "tent_generation", workspaceId, tentId: TentId.make(yield* fresh.id) } as const
      const ids = yield* Effect.all(Array.from({ length: 4 }, () => fresh.id))
      for (const id of ids) yield* transact(jobs.enqueue(job, { id }))
      yield* transact(jobs.enqueue(job, { id: yield* fresh.id, delay: "1 hour" }))
      yield* sql`update jobs.job_queue set state = 'dead' where id = ${ids[0] ?? ""}`
      yield* sql`
        update jobs.job_queue set state = 'running', token = gen_random_uuid(), lease_until = now() where id = ${ids[1] ?? ""}`
      yield* sql`update jobs.job_queue set due_at = now() - interval '75 seconds' where id = ${ids[2] ?? ""}`
      yield* sql`update jobs.job_queue set state = 'completed' where id = ${ids[3] ?? ""}`
      const text = yield* measured
      const type = "tent_generation"
      const counts = ["ready", "running", "later", "dead", "completed"].map((state) =>
        valueOf(text, "tentpole_jobs", { type, state }),
      )
      assert.deepStrictEqual(counts, [1, 1, 1, 1, undefined])
      assert.isAtLeast(valueOf(text, "tentpole_jobs_oldest_seconds", { type, state: "ready" }) ?? 0, 75)
    }),
  )

  it.effect("webhooks: reports what waits, events that are not taken over, and endpoints that do not work", () =>
    Effect.gen(function* () {
      const { acquired, apply, create, now, spread, write } = yield* webhookWorld
      const endpoint = yield* create()
      const lease = yield* acquired()
      yield* spread(lease, endpoint, 2)
      yield* spread(lease, endpoint, 1, { nextAttemptAt: DateTime.add(now, { hours: 1 }) })
      const waiting = (text: string) =>
        ["due", "later"].map((state) => valueOf(text, "tentpole_webhook_pending", { state }))
      const before = yield* measured
      assert.deepStrictEqual(waiting(before), [2, 1])
      assert.strictEqual(valueOf(before, "tentpole_webhook_lag_seconds"), 0)
      assert.strictEqual(valueOf(before, "tentpole_webhook_disabled"), 0)
      yield* write(1)
      assert.isAbove(valueOf(yield* measured, "tentpole_webhook_lag_seconds") ?? 0, 0)
      yield* apply(disable(endpoint, "failing", now))
      const after = yield* measured
      assert.strictEqual(valueOf(after, "tentpole_webhook_lag_seconds"), 0)
      assert.strictEqual(valueOf(after, "tentpole_webhook_disabled"), 1)
    }),
  )

  it.effect("no series of an earlier request remains, and no label contains customer data", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const workspace = yield* (yield* Fresh).workspace()
      yield* sql`insert into due_work (kind, workspace_id, due_at) values ('gone', ${workspace}, clock_timestamp())`
      assert.strictEqual(valueOf(yield* measured, "tentpole_due_workspaces", { kind: "gone" }), 1)
      yield* sql`delete from due_work where kind = 'gone'`
      const text = yield* measured
      assert.isUndefined(valueOf(text, "tentpole_due_workspaces", { kind: "gone" }))
      assert.notMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-|@/)
    }),
  )

  it.effect("process: reports memory, CPU and the delay of the event loop", () =>
    Effect.gen(function* () {
      const text = yield* processMetrics
      assert.isAbove(valueOf(text, "process_resident_memory_bytes") ?? 0, 1_000_000)
      assert.isAbove(valueOf(text, "process_cpu_seconds_total") ?? 0, 0)
      for (const which of ["p50", "p99", "max"]) {
        assert.isAtLeast(valueOf(text, `nodejs_eventloop_lag_${which}_seconds`) ?? -1, 0)
      }
    }),
  )

  it.effect("the database is ready if it has every migration of this version", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* stateTold, "ready")
      const owner = PgClient.layer({ url: yield* ownUrl, maxConnections: 1 })
      const asOwner = (statement: string) =>
        Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(owner))
      yield* asOwner("insert into schema_migration (name) values ('9999_of_a_newer_version')")
      assert.strictEqual(yield* stateTold, "ready")
      yield* asOwner("update schema_migration set name = 'x' where name = '0001_baseline'")
      assert.strictEqual(yield* stateTold, "not migrated")
      yield* asOwner("update schema_migration set name = '0001_baseline' where name = 'x'")
    }),
  )
})

/** The test database, as its owner. */
const ownUrl = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(sql<{ readonly name: string }>`select current_database() as name`, ([row]) =>
    Redacted.make(`${inject("pgOwner")}/${row?.name ?? ""}`),
  ),
)

it.live("without a database, process metrics are reported and database_up is 0", () =>
  Effect.gen(function* () {
    const text = yield* serviceMetrics
    assert.strictEqual(valueOf(text, "tentpole_database_up"), 0)
    assert.isUndefined(valueOf(text, "tentpole_deliveries", { state: "open" }))
    assert.isAbove(valueOf(text, "process_resident_memory_bytes") ?? 0, 1_000_000)
    assert.strictEqual(yield* databaseState, "unavailable")
  }).pipe(
    Effect.provide(
      Layer.merge(EventLoop.layer, PgClient.layer({ url: Redacted.make("postgres://unused@127.0.0.1:9/x") })),
    ),
  ),
)
