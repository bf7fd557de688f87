// The order of events while the shard of their workspace moves to another node.
import { PgClient } from "@effect/sql-pg"
import { Fresh } from "@tentpole/core/contract"
import { Outbox } from "@tentpole/core/kernel/changes/Outbox"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Redacted } from "effect"
import { describe, inject } from "vitest"
import { postgres } from "../../fixtures/Stores.ts"
import { without_dead_node } from "../../support/TestDatabase.ts"

const workers = inject("pgWorkers")
const writers_count = 4
const commits_count = 40

describe.skipIf(workers.length === 0)("while the shard of its workspace moves", () => {
  layer(postgres, { excludeTestServices: true })("the outbox", (it) => {
    it.effect("has each event once, and readers find them in the order of the commits", () =>
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const { transact } = yield* Transactor
        const sql = yield* PgClient.PgClient
        const workspace = yield* (yield* Fresh).unreadWorkspace
        yield* transact(outbox.subscribe(workspace, "flows"))
        const [database] = yield* sql<{ readonly name: string }>`select current_database() as name`
        const asAdministrator = <Row extends object>(text: string) =>
          Effect.flatMap(PgClient.PgClient, (administrator) => administrator.unsafe<Row>(text).unprepared).pipe(
            Effect.provide(
              PgClient.layer({ url: Redacted.make(`${inject("pgServer")}/${database?.name}`), maxConnections: 1 }),
            ),
          )
        yield* asAdministrator(without_dead_node)
        const event = { type: "tag", contactId: null, at: DateTime.makeUnsafe(0) } as const
        const write = (writer: number) =>
          Effect.forEach(
            Array.from({ length: commits_count }, (_, index) => index),
            (index) => transact(outbox.append(workspace, [{ ...event, data: { writer, index } }])),
            { discard: true },
          )
        const writing = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: writers_count }, (_, writer) => writer),
            write,
            { concurrency: "unbounded", discard: true },
          ),
        )
        const move = Effect.gen(function* () {
          const [shard] = yield* asAdministrator<{ id: string; node: number }>(`
            select shardid::text as id, nodeport as node from pg_dist_shard_placement
            where shardid = get_shard_id_for_distribution_column('outbox_stream', '${workspace}')`)
          const to = workers.map((worker) => Number(new URL(worker).port)).find((port) => port !== shard?.node)
          yield* asAdministrator(`
            select citus_move_shard_placement(${shard?.id}, '127.0.0.1', ${shard?.node}, '127.0.0.1', ${to}, 'force_logical')`)
        })
        const moving = yield* Effect.forkChild(move)
        const read: Array<string> = []
        const seen: Array<unknown> = []
        while (seen.length < writers_count * commits_count) {
          const events = yield* outbox.read(workspace, "flows", 25)
          for (const { data, position } of events) {
            read.push(position)
            seen.push(data)
          }
          const last = events.at(-1)
          if (last !== undefined) yield* transact(outbox.advance(workspace, "flows", last.position))
        }
        yield* Fiber.join(writing)
        yield* Fiber.join(moving)
        const positions = read.map(Number)
        const first = positions[0] ?? 0
        assert.deepStrictEqual(
          positions,
          Array.from(positions, (_, index) => first + index),
        )
        for (let writer = 0; writer < writers_count; writer++) {
          const own = seen.filter((data) => (data as { writer: number }).writer === writer)
          assert.deepStrictEqual(
            own.map((data) => (data as { index: number }).index),
            Array.from({ length: commits_count }, (_, index) => index),
          )
        }
      }),
    )
  })
})
