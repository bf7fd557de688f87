// An embedded server with its owner and database, which the rest of the service knows as DATABASE_MIGRATION_URL.
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { EmbeddedFailed, type EmbeddedOptions, ownerStatements, start } from "./EmbeddedPostgres.ts"

export const prepared = (options: EmbeddedOptions) =>
  Effect.gen(function* () {
    const server = yield* start(options)
    yield* Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      for (const statement of ownerStatements(server.password)) yield* sql.unsafe(statement).unprepared
      const existing = yield* sql`select 1 from pg_database where datname = ${server.database}`
      if (existing.length === 0)
        yield* sql.unsafe(`create database ${server.database} owner ${server.owner}`).unprepared
    }).pipe(
      Effect.provide(PgClient.layer({ url: server.superuserUrl, maxConnections: 1 })),
      Effect.mapError((cause) => new EmbeddedFailed({ reason: "The embedded PostgreSQL does not let us in", cause })),
    )
    return server
  })
