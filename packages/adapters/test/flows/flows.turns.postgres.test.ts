// Turns of workspaces on PostgreSQL while other transactions are open.
import { PgClient } from "@effect/sql-pg"
import { takeTurns } from "@tentpole/adapters/postgres/kernel/DueWork"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { eventually, flowLive, turning } from "@tentpole/core/contract"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { postgresTimes } from "../fixtures/FlowTimesOf.ts"
import { postgres } from "../fixtures/Stores.ts"

const live = flowLive.pipe(Layer.provideMerge(Layer.provideMerge(postgresTimes, postgres)))

/** A workspace, and `during`: runs statements in a transaction that stays open while the effect runs. */
const opened = Effect.gen(function* () {
  const world = yield* turning()
  const sql = yield* PgClient.PgClient
  const { transact, workspace } = world
  const during = <A, E, R>(statements: Effect.Effect<unknown, unknown>, effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const [begun, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const other = yield* Effect.forkChild(
        transact(
          Effect.gen(function* () {
            yield* fenced(sql)(workspace, statements)
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(done)
          }),
        ),
      )
      yield* Deferred.await(begun)
      const result = yield* effect
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(other)
      return result
    })
  return { ...world, during, sql }
})

layer(live, { excludeTestServices: true })("turns of flows on PostgreSQL", (it) => {
  it.effect("a hint of a transaction that is open while a turn is taken and ended is not lost", () =>
    Effect.gen(function* () {
      const { asleep, during, end, kinds, sql, turnOf, workspace } = yield* opened
      yield* asleep
      const hint = sql`select hint_due('flows', ${workspace}, clock_timestamp())`
      const turn = yield* during(
        hint,
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* kinds, [])
          yield* fenced(sql)(workspace, hint)
          const turn = yield* turnOf("flows")
          yield* end(turn)
          assert.deepStrictEqual(yield* kinds, [])
          return turn
        }),
      )
      const next = yield* turnOf("flows")
      assert.notStrictEqual(next.token, turn.token)
    }),
  )

  it.effect("a turn that could not lock the events is followed by another one", () =>
    Effect.gen(function* () {
      const { asleep, during, end, kinds, person, sql, takeNews, turnOf, workspace } = yield* opened
      yield* asleep
      yield* person("bob")
      yield* during(
        sql`select 1 from outbox_consumer where workspace_id = ${workspace} for update`,
        Effect.gen(function* () {
          const turn = yield* turnOf("flow_events")
          yield* takeNews
          yield* end(turn)
        }),
      )
      assert.include(yield* eventually(kinds, (found) => found.length > 0), "flow_events")
    }),
  )

  it.effect("a hint is found while the loop of another kind moves its own", () =>
    Effect.gen(function* () {
      const { asleep, during, kinds, sql, workspace } = yield* opened
      yield* asleep
      yield* fenced(sql)(workspace, sql`select hint_due('flows', ${workspace}, clock_timestamp())`)
      const found = yield* during(takeTurns(sql, ["webhooks"], { limit: 1, turn_ms: 1_000 }), kinds)
      assert.deepStrictEqual(found, ["flows"])
    }),
  )

  it.effect("hints of a deleted workspace are removed", () =>
    Effect.gen(function* () {
      const { asleep, kinds, sql, workspace } = yield* opened
      yield* asleep
      const hints = fenced(sql)(workspace, sql`select 1 from due_hint where workspace_id = ${workspace}`)
      yield* fenced(sql)(workspace, sql`select hint_due('flows', ${workspace}, clock_timestamp())`)
      assert.lengthOf(yield* hints, 1)
      yield* fenced(sql)(workspace, sql`delete from due_work where workspace_id = ${workspace}`)
      yield* kinds
      assert.lengthOf(yield* hints, 0)
    }),
  )
})
