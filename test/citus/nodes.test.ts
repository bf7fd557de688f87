// Tests that a node that does not answer stops only its own workspaces.
import { PgClient } from "@effect/sql-pg"
import { takeTurns } from "@tentpole/adapters/postgres/kernel/DueWork"
import { Effect, Exit, Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "vitest"
import { statement } from "../support/Owner.ts"
import { createDistributed, startCluster } from "./Cluster.ts"

const database = "tentpole"
const programs = process.env["CITUS"]

const seed = `
  with added as (
    insert into workspace (workspace_id, name, slug, plan, credits, created_at, updated_at)
    select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Name', 'slug' || n, 'pro', 0, now(), now()
    from generate_series(1, 20) as n returning workspace_id)
  insert into due_work (kind, workspace_id, due_at) select 'webhooks', workspace_id, now() from added`

it.skipIf(programs === undefined)("turns of workspaces on other nodes go on while a node is stopped", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tentpole-citus-"))
  const scope = Scope.makeUnsafe()
  try {
    const cluster = await Effect.runPromise(Scope.provide(startCluster(programs ?? "", folder), scope))
    await Effect.runPromise(createDistributed(cluster, database))
    const url = cluster.coordinator.url(database)
    await statement(url, seed)
    const counts = await statement<{ node: number; workspaces: number }>(
      url,
      `select p.nodeport as node, count(*)::int as workspaces from due_work w
       join pg_dist_shard_placement p on p.shardid = get_shard_id_for_distribution_column('due_work', w.workspace_id) group by 1`,
    )
    assert.strictEqual(counts.length, 2)
    const [stopped, other] = cluster.workers
    await Effect.runPromise(stopped?.stop ?? Effect.void)
    const take = Effect.flatMap(PgClient.PgClient, (sql) =>
      sql.withTransaction(takeTurns(sql, ["webhooks"], { limit: 100, turn_ms: 60_000 })),
    ).pipe(
      Effect.provide(PgClient.layer({ url: cluster.coordinator.url(database, "tentpole_service"), maxConnections: 1 })),
    )
    const turns = await Effect.runPromise(take)
    assert.strictEqual(turns.length, counts.find(({ node }) => node === other?.port)?.workspaces)
    assert.isAbove(turns.length, 0)
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  }
})
