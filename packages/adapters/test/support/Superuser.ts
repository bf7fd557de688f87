// Statements of a superuser in the database of a test.
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"

/** In a session of its own: what it counts is reported when it ends. */
export const asSuperuser = (statement: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [database] = yield* sql<{ readonly name: string }>`select current_database() as name`
    const url = Redacted.make(`${inject("pgServer")}/${database?.name}`)
    return yield* Effect.flatMap(PgClient.PgClient, (owner) => owner.unsafe<Record<string, unknown>>(statement)).pipe(
      Effect.provide(PgClient.layer({ url, maxConnections: 1 })),
    )
  })
