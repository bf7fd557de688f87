// The database cost of send rate limits: a claim reads neither the rows of a waiting recipient domain queue nor empty queues.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { recount } from "@tentpole/adapters/test/Recount"
import { DeliveryScenario, Fresh, wholeAudience } from "@tentpole/core/contract"
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import type { WorkspaceFields } from "@tentpole/core/workspaces/Workspace"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresScenario } from "../fixtures/DeliveryScenarios.ts"
import { postgres } from "../fixtures/Stores.ts"

const crowd = 20_000

/** A blast with many recipients at one domain first, and then one at each of forty others. */
const begin = Effect.fnUntraced(function* (fields: WorkspaceFields) {
  const store = yield* DeliveryStore
  const { transact } = yield* Transactor
  const sql = yield* PgClient.PgClient
  const scenario = yield* DeliveryScenario
  const workspace = yield* (yield* Fresh).workspace(fields)
  const first = yield* scenario.blast(workspace, [{ email: "first@slow.test" }])
  yield* transact(wholeAudience(store, workspace, first.blast))
  yield* fenced(sql)(
    workspace,
    sql`
      with added as (
        insert into delivery (workspace_id, delivery_id, blast_id, contact_id, approval_id, email, email_normalized, operational,
          state, created_at)
        select d.workspace_id, uuid_v7(), d.blast_id, gen_random_uuid(), d.approval_id, a, a, false, 'queued',
          d.created_at
        from delivery d
        cross join lateral (
          select case when n <= ${crowd} then 'p' || n || '@slow.test' else 'p' || n || '@other' || n || '.test' end as a
          from generate_series(1, ${crowd + 40}) as n) as made
        where d.workspace_id = ${workspace}
        returning delivery_id, blast_id, contact_id, email_normalized
      )
      insert into delivery_queue (workspace_id, delivery_id, blast_id, contact_id, email_normalized, operational, lane, due_at)
      select ${workspace}, a.delivery_id, a.blast_id, a.contact_id, a.email_normalized, false,
        case when q.lane = '' then '' else split_part(a.email_normalized, '@', -1) end,
        q.due_at + make_interval(secs => substring(a.email_normalized from '[0-9]+')::int * 1e-6)
      from added a cross join delivery_queue q
      where q.workspace_id = ${workspace}`,
  )
  yield* fenced(sql)(workspace, sql.unsafe(recount, [workspace]))
  // The statistics of another session appear up to a second after its previous report.
  yield* Effect.orDie(sql`select pg_stat_force_next_flush()`)
  yield* Effect.sleep("1100 millis")
  yield* Effect.orDie(sql`select tentpole_statistics()`)
  const claim = (limit: number) =>
    transact(
      Effect.gen(function* () {
        const before = yield* readHere
        const claimed = yield* store.claim(workspace, { limit, lease_ms: 60_000 })
        return { claimed, read: (yield* readHere) - before }
      }),
    )
  return { claim, scenario, workspace }
})

/** Rows of deliveries that this connection has read and not yet reported, from the table or by an index. */
const readHere = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ readonly read: number }>`
    select sum(seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables
    where relname = 'delivery_queue' or relname ~ '^delivery_(rest|[0-9_]+)$'`
  return row?.read ?? 0
}).pipe(Effect.orDie)

layer(Layer.provideMerge(postgresScenario, postgres), { excludeTestServices: true })(
  "send rate limits on PostgreSQL",
  (it) => {
    it.effect("a claim does not read the waiting deliveries of a slow domain to reach other domains", () =>
      Effect.gen(function* () {
        const { claim } = yield* begin({ sendingPerDomainPerSecond: 1 })
        const { claimed, read } = yield* claim(100)
        assert.strictEqual(claimed.filter(({ address }) => !address.endsWith("@slow.test")).length, 40)
        assert.isAtMost(read, 500)
      }),
    )

    it.effect("a claim without permits in the workspace's bucket reads almost no rows", () =>
      Effect.gen(function* () {
        const { claim, scenario, workspace } = yield* begin({ sendingPerSecond: 1 })
        assert.strictEqual((yield* claim(100)).claimed.length, 1)
        yield* scenario.elapse(workspace, -60_000)
        const { claimed, read } = yield* claim(100)
        assert.isEmpty(claimed)
        assert.isAtMost(read, 10)
      }),
    )

    it.effect("a claim without a limit reads only the rows it takes and stores no recipient domain queue", () =>
      Effect.gen(function* () {
        const { claim, workspace } = yield* begin({})
        const { claimed, read } = yield* claim(100)
        assert.strictEqual(claimed.length, 100)
        assert.isAtMost(read, 500)
        const sql = yield* PgClient.PgClient
        assert.isEmpty(yield* fenced(sql)(workspace, sql`select from delivery_lane where workspace_id = ${workspace}`))
      }),
    )
  },
)
