// Flow events on PostgreSQL when the transaction of a chunk is aborted.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { day, flowLive, running } from "@tentpole/core/contract"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { postgresTimes } from "../fixtures/FlowTimesOf.ts"
import { postgres } from "../fixtures/Stores.ts"

const live = flowLive.pipe(Layer.provideMerge(Layer.provideMerge(postgresTimes, postgres)))

layer(live, { excludeTestServices: true })("flow events on PostgreSQL", (it) => {
  it.effect("a chunk of events that is the victim of a deadlock is processed again", () =>
    Effect.gen(function* () {
      const { flows, person, started, takeEvents, takeNews, transact, workspace } = yield* running()
      const sql = yield* PgClient.PgClient
      const flow = yield* started([day("a", null)], { triggers: [{ type: "contact_created" }] })
      const people = yield* Effect.all(
        Array.from({ length: 450 }, (_, at) => person(`p${at}`)),
        { concurrency: 4 },
      )
      const ids = people.map(({ id }) => id).toSorted()
      const hold = (id: string | undefined) =>
        fenced(sql)(
          workspace,
          sql`select 1 from contact where workspace_id = ${workspace} and contact_id = ${id ?? null} for update`,
        )
      // Events are processed in the order of ids: all others are locked when it waits for the last.
      const [held, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const other = yield* Effect.forkChild(
        transact(
          Effect.gen(function* () {
            yield* hold(ids.at(-1))
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(go)
            yield* Effect.forEach(ids.slice(0, 8), hold, { discard: true })
          }),
        ),
      )
      yield* Deferred.await(held)
      const dealing = yield* Effect.forkChild(takeEvents)
      yield* Effect.sleep("500 millis")
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.joinAll([other, dealing])
      yield* takeNews
      assert.deepInclude((yield* flows.get(workspace, flow)).tally, { active: 0, waiting: 450 })
    }),
  )
})
