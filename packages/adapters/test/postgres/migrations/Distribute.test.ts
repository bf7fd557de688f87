// Tests of the refusals of the distribution, on PostgreSQL without Citus.
import { PgClient } from "@effect/sql-pg"
import { distribute } from "@tentpole/adapters/postgres/migrations/Distribute"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { clone } from "../../support/TestDatabase.ts"

it.live.skipIf(inject("pgWorkers").length > 0)("without Citus it is refused in one sentence, and changes nothing", () =>
  Effect.gen(function* () {
    const url = yield* clone("distribute")
    const refused = yield* Effect.flip(distribute(url))
    assert.match(
      refused.message,
      /^The database has no Citus: put citus into shared_preload_libraries .*`create extension citus`/,
    )
    const found = yield* Effect.flatMap(
      PgClient.PgClient,
      (sql) => sql`select 1 from pg_class where relname = 'foreign_key_taken_off'`,
    ).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
    assert.deepStrictEqual(found, [])
  }),
)
