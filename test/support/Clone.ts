// A database of its own for a test that spans packages: a clone of the migrated template of this run, or an empty one.
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"

let cloned = 0

const from = (template: "template_tentpole" | "template0", prefix: string): Effect.Effect<Redacted.Redacted> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const name = `${prefix}_${process.pid}_${++cloned}`
    const [migrated] = yield* sql<{ readonly owner: string }>`
      select datdba::regrole::text as owner from pg_database where datname = 'template_tentpole'`
    yield* sql`create database ${sql(name)} owner ${sql(migrated?.owner ?? "")} template ${sql(template)} strategy file_copy`
    return Redacted.make(`${inject("pgOwner")}/${name}`)
  }).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(`${inject("pgServer")}/postgres`), maxConnections: 1 })),
    Effect.orDie,
  )

/** Answers its address, as the owner's. `prefix` tells files apart that share a process. */
export const clone = (prefix: string) => from("template_tentpole", prefix)

/** The same with nothing in it, as somebody has it who begins. */
export const empty = (prefix: string) => from("template0", prefix)
