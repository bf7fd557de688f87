// A database of its own for a test that spans packages: a clone of the migrated template of this run.
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"

let cloned = 0

/** Answers its address, as the owner's. `prefix` tells files apart that share a process. */
export const clone = (prefix: string): Effect.Effect<Redacted.Redacted> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const name = `${prefix}_${process.pid}_${++cloned}`
    const [template] = yield* sql<{ readonly owner: string }>`
      select datdba::regrole::text as owner from pg_database where datname = 'template_tentpole'`
    yield* sql`create database ${sql(name)} owner ${sql(template?.owner ?? "")} template template_tentpole strategy file_copy`
    return Redacted.make(`${inject("pgOwner")}/${name}`)
  }).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(`${inject("pgServer")}/postgres`), maxConnections: 1 })),
    Effect.orDie,
  )
