// The first consumer of a workspace on PostgreSQL, beside transactions that write no events because there was none.
import { PgClient } from "@effect/sql-pg"
import { appendEventsIfRead, type EventJson, eventsIfRead } from "@tentpole/adapters/postgres/kernel/Outbox"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { eventually, Fresh } from "@tentpole/core/contract"
import { Outbox } from "@tentpole/core/kernel/changes/Outbox"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { postgres } from "../../fixtures/Stores.ts"

layer(postgres, { excludeTestServices: true })("the first consumer on PostgreSQL", (it) => {
  const begin = Effect.gen(function* () {
    const outbox = yield* Outbox
    const { transact } = yield* Transactor
    const workspace = yield* (yield* Fresh).unreadWorkspace
    const sql = yield* PgClient.PgClient
    return {
      sql,
      workspace,
      within: fenced(sql),
      transact,
      subscribe: transact(outbox.subscribe(workspace, "first")),
      types: Effect.map(outbox.read(workspace, "first", 10), (events) => events.map(({ type }) => type)),
      checked: yield* Deferred.make<void>(),
      go: yield* Deferred.make<void>(),
    }
  })

  it.effect("a transaction whose statement built no events is repeated if a consumer was added before its commit", () =>
    Effect.gen(function* () {
      const { checked, go, sql, subscribe, transact, types, within, workspace } = yield* begin
      let attempts = 0
      const body = Effect.gen(function* () {
        attempts++
        const [row] = yield* sql<{ readonly events: ReadonlyArray<EventJson> | null }>`
          select ${eventsIfRead(sql, workspace, sql`'[["a", null, "2026-01-02T03:04:05.678Z", {}]]'::jsonb`)} as events`
        yield* appendEventsIfRead(workspace, row?.events ?? null)
        yield* Deferred.succeed(checked, undefined)
        yield* Deferred.await(go)
      })
      const writing = yield* Effect.forkChild(transact(within(workspace, body)))
      yield* Deferred.await(checked)
      yield* subscribe
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(writing)
      assert.deepStrictEqual([attempts, yield* types], [2, ["a"]])
    }),
  )

  it.effect("a consumer is added after the commits of the transactions that found none", () =>
    Effect.gen(function* () {
      const { checked, go, sql, subscribe, within, workspace } = yield* begin
      const body = Effect.gen(function* () {
        const [row] = yield* sql<{ readonly found: boolean }>`select outbox_has_consumer(${workspace}) as found`
        yield* Deferred.succeed(checked, undefined)
        yield* Deferred.await(go)
        return row?.found
      })
      const unread = yield* Effect.forkChild(within(workspace, body))
      yield* Deferred.await(checked)
      const subscribing = yield* Effect.forkChild(subscribe)
      const waiting = sql`
        select 1 from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and not granted
          and database = (select oid from pg_database where datname = current_database())`
      yield* eventually(waiting, (rows) => rows.length === 1)
      assert.strictEqual(subscribing.pollUnsafe(), undefined)
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual(yield* Fiber.join(unread), false)
      yield* Fiber.join(subscribing)
      assert.strictEqual(
        yield* Effect.map(within(workspace, sql`select 1 from outbox_consumer`), (rows) => rows.length),
        1,
      )
    }),
  )
})
