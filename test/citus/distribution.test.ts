// Tests of the distribution over the nodes of Citus. They need the cluster of `npm run test:citus`.
import { PgClient } from "@effect/sql-pg"
import { undistributed } from "@tentpole/adapters/postgres/citus/Nodes"
import { distribute } from "@tentpole/adapters/postgres/migrations/Distribute"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { clone, empty, without_dead_node } from "@tentpole/adapters/test/TestDatabase"
import { Effect, Redacted } from "effect"
import { assert, describe, inject, it } from "vitest"
import { logins } from "./Cluster.ts"
import { next_applied } from "../support/NextRelease.ts"
import { statement } from "../support/Owner.ts"

const nodes = [inject("pgServer"), ...inject("pgWorkers")]

const databaseOf = (url: Redacted.Redacted): string => new URL(Redacted.value(url)).pathname

const onNode = <Row extends object>(node: string | undefined, url: Redacted.Redacted, text: string) =>
  statement<Row>(Redacted.make(`${node}${databaseOf(url)}`), text)

const refusal = async (url: Redacted.Redacted): Promise<string> =>
  (await Effect.runPromise(Effect.flip(distribute(url)))).message

const withCitus = async (): Promise<Redacted.Redacted> => {
  const url = await Effect.runPromise(empty())
  for (const node of nodes) {
    await onNode(node, url, "create extension citus")
    await onNode(node, url, logins(new URL(node).password))
  }
  return url
}

const workspace = "00000000-0000-7000-8000-000000000001"

const withWorkspace = async (): Promise<Redacted.Redacted> => {
  const url = await Effect.runPromise(clone())
  await onNode(
    nodes[0],
    url,
    `insert into workspace (workspace_id, name, slug, plan, credits, created_at, updated_at)
     values ('${workspace}', 'Name', 'slug', 'pro', 0, now(), now())`,
  )
  return url
}

const join = async (url: Redacted.Redacted): Promise<void> => {
  const [port, ...ports] = nodes.map((node) => new URL(node).port)
  await onNode(nodes[0], url, `select citus_set_coordinator_host('127.0.0.1', ${port})`)
  for (const each of ports) await onNode(nodes[0], url, `select citus_add_node('127.0.0.1', ${each})`)
}

describe.skipIf(nodes.length === 1)("the distribution", () => {
  it("does nothing the second time", async () => {
    const url = await Effect.runPromise(clone())
    await onNode(nodes[0], url, without_dead_node)
    assert.deepStrictEqual(await Effect.runPromise(distribute(url)), [])
  })

  it("places every table with row-level security by its workspace, in one group", async () => {
    const url = await Effect.runPromise(clone())
    const [row] = await onNode(
      nodes[0],
      url,
      `select count(distinct colocationid)::int as groups, (
          select array_agg(relname::text) from pg_class c
          where relrowsecurity and not exists (
            select from pg_dist_partition p where p.logicalrelid = c.oid and partmethod = 'h')) as others
        from pg_dist_partition where partmethod = 'h'`,
    )
    assert.deepStrictEqual(row, { groups: 1, others: null })
  })

  it("commits the writes of a workspace in two phases, and reads in none", async () => {
    const url = await withWorkspace()
    const prepared = async () => {
      const [row] = await onNode<{ n: number }>(nodes[0], url, "select count(*)::int as n from pg_dist_transaction")
      return row?.n ?? 0
    }
    const run = (begin: string, text: string) =>
      Effect.runPromise(
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const connection = yield* sql.reserve
          for (const each of [begin, `select fence_to('${workspace}')`, text, "commit"]) {
            yield* connection.execute(each, [], undefined)
          }
        }).pipe(Effect.scoped, Effect.provide(PgClient.layer({ url, maxConnections: 1 }))),
      )
    const before = await prepared()
    await run("begin read only", `select * from list where workspace_id = '${workspace}'`)
    assert.strictEqual(await prepared(), before)
    await run(
      "begin",
      `insert into suppression (workspace_id, email_normalized, reason, created_at)
       values ('${workspace}', 'ann@example.org', 'manual', now())`,
    )
    assert.strictEqual(await prepared(), before + 1)
  })

  it("renews the statistics of shards that have grown, beside a dead node", async () => {
    const url = await withWorkspace()
    await onNode(
      nodes[0],
      url,
      `insert into suppression (workspace_id, email_normalized, reason, created_at)
       select '${workspace}', 'person' || n || '@example.org', 'manual', now() from generate_series(1, 5000) as n`,
    )
    const renew = async () => {
      const [row] = await statement<{ count: number }>(url, "select tentpole_statistics() as count")
      return row?.count
    }
    assert.strictEqual(await renew(), 1)
    assert.strictEqual(await renew(), 0)
  })

  it("goes on with the schema of the next release: its new table is beside the others, and refers to them", async () => {
    const url = await Effect.runPromise(clone())
    await onNode(nodes[0], url, without_dead_node)
    await statement(url, next_applied)
    assert.deepStrictEqual(await Effect.runPromise(distribute(url)), [])
    const misplaced = await Effect.runPromise(Effect.provide(undistributed, PgClient.layer({ url, maxConnections: 1 })))
    assert.deepStrictEqual(misplaced, { misplaced: [], isUnfinished: false })
    const [table] = await onNode(
      nodes[0],
      url,
      `select count(distinct p.colocationid)::int as groups, (select count(*)::int from pg_constraint where conname = 'next_thing_contact') as keys
       from pg_dist_partition p where logicalrelid in ('contact'::regclass, 'next_thing'::regclass)`,
    )
    assert.deepStrictEqual(table, { groups: 1, keys: 1 })
    const strange = `insert into next_thing values ('${workspace}', '00000000-0000-7000-8000-000000000002')`
    const refused = await statement(url, strange).then(
      () => "accepted",
      (error: Error) => String(error.cause),
    )
    assert.match(refused, /ConstraintError/)
  })

  it("refuses a database without Citus, without workers, and one that is in use", async () => {
    assert.match(await refusal(await Effect.runPromise(empty())), /^The database has no Citus: put citus into/)
    const url = await withCitus()
    assert.match(await refusal(url), /^No worker has joined the cluster: run/)
    await join(url)
    await Effect.runPromise(migrate(url))
    const session = statement(url, "select pg_sleep(3)")
    await new Promise((resolve) => setTimeout(resolve, 1000))
    assert.match(await refusal(url), /^The tables are in use \(1 sessions of the service, 0 that write\): stop all/)
    await session
    assert.isAbove((await Effect.runPromise(distribute(url))).length, 80)
  })
})
