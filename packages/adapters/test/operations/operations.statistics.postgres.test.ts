// The renewal of statistics on PostgreSQL: of partitions too, and only where the planner would take a large workspace for a small one.
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ownPostgres } from "../fixtures/Stores.ts"
import { asSuperuser } from "../support/Superuser.ts"

const valueOf = (statement: string) => Effect.map(asSuperuser(statement), ([row]) => Object.values(row ?? {})[0])

/** Deliveries of a workspace, with their counters, and without the rows that they refer to. */
const deliveries = (workspace: number, count: number) =>
  asSuperuser(`do $$ begin
    set local session_replication_role = replica;
    insert into delivery (workspace_id, delivery_id, blast_id, contact_id, approval_id, operational, state, sent_at, created_at)
    select lpad('${workspace}', 32, '0')::uuid, uuid_v7(), lpad('1', 32, '0')::uuid, gen_random_uuid(), gen_random_uuid(), false,
      'sent', now(), now() from generate_series(1, ${count});
    insert into delivery_tally (workspace_id, blast_id, shard, sent)
    values (lpad('${workspace}', 32, '0')::uuid, lpad('1', 32, '0')::uuid, 0, ${count})
    on conflict (workspace_id, blast_id, shard) do update set sent = delivery_tally.sent + excluded.sent;
  end $$`)

const isMisjudged = valueOf(
  "select tentpole_misjudged('delivery', 'delivery_tally', 'queued + sent + failed + blocked') as misjudged",
)
const analyzed = valueOf("select tentpole_statistics() as analyzed")

layer(ownPostgres, { excludeTestServices: true })("statistics", (it) => {
  it.effect(
    "are renewed for a new large workspace in a partition of another one, and not while they are right within a factor of four",
    () =>
      Effect.gen(function* () {
        yield* deliveries(1, 40_000)
        assert.strictEqual(yield* analyzed, 1)
        yield* deliveries(2, 400)
        assert.deepStrictEqual([yield* isMisjudged, yield* analyzed], [false, 0])
        yield* deliveries(3, 1_200)
        assert.deepStrictEqual([yield* isMisjudged, yield* analyzed], [true, 1])
        assert.deepStrictEqual([yield* isMisjudged, yield* analyzed], [false, 0])
        // Twice as many as the statistics say.
        yield* deliveries(3, 1_200)
        assert.deepStrictEqual([yield* isMisjudged, yield* analyzed], [false, 0])
      }),
  )
})
