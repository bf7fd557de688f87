// Tests of the answers to errors of the database, raised by a real server.
import * as Postgres from "@tentpole/adapters/postgres/kernel/Postgres"
import { clone, optionsOf } from "@tentpole/adapters/test/TestDatabase"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { assert, it } from "@effect/vitest"
import { Cause, Context, Effect, Layer, Logger, Schema } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { servingOver, world } from "../fixtures/World.ts"

const workspace = WorkspaceId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11")

const Toy = HttpApi.make("toy").add(
  HttpApiGroup.make("things")
    .add(HttpApiEndpoint.get("slow", "/v1/slow", { success: Schema.Void }))
    .add(HttpApiEndpoint.get("corrupt", "/v1/corrupt", { success: Schema.Void })),
)

const served = Effect.gen(function* () {
  const database = Postgres.longReadsOver(200).pipe(Layer.provide(Postgres.client(optionsOf(yield* clone()))))
  const { read } = Context.get(yield* Layer.build(database), Postgres.LongReads)
  const handlers = HttpApiBuilder.group(
    Toy,
    "things",
    Effect.fn(function* (group) {
      return group.handleAll({
        slow: () => Effect.asVoid(read(workspace, (sql) => sql`select pg_sleep(60)`)),
        corrupt: () =>
          Effect.asVoid(
            read(workspace, (sql) => {
              const raised = "do $$ begin raise exception 'could not read block 7' using errcode = 'XX000'; end $$"
              return sql.unsafe(raised).unprepared
            }),
          ),
      })
    }),
  )
  const logged: Array<string> = []
  const log = Logger.make(({ cause, logLevel, message }) =>
    logged.push(`${logLevel} ${String(message)} ${Cause.pretty(cause)}`),
  )
  const { call } = yield* servingOver(Layer.merge(world, Logger.layer([log])), Toy, handlers)
  return { call, logged }
})

it.live("answers 503 with the limit to a statement that exceeds its timeout, and logs it", () =>
  Effect.gen(function* () {
    const { call, logged } = yield* served
    const { headers, json, status } = yield* call("GET", "/v1/slow")
    assert.deepStrictEqual([status, json.error_code, headers.get("retry-after")], [503, "unavailable", "5"])
    assert.match(json.message, /took longer than 0\.2 s/)
    assert.isTrue(logged.some((line) => line.startsWith("Warn sql statement timed out")))
  }).pipe(Effect.scoped),
)

it.live("answers 500 to an internal error of the server, and logs its cause", () =>
  Effect.gen(function* () {
    const { call, logged } = yield* served
    const { json, status } = yield* call("GET", "/v1/corrupt")
    assert.deepStrictEqual([status, json.error_code], [500, "internal_error"])
    assert.notInclude(json.message, "block 7")
    assert.isTrue(logged.some((line) => line.startsWith("Error") && line.includes("could not read block 7")))
  }).pipe(Effect.scoped),
)
