// Owner: a client of the tables' owner, without row-level security and with settings for long reads; and single statements.
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, type Redacted } from "effect"

export class Owner extends Context.Service<Owner, PgClient.PgClient>()("tentpole/test/Owner") {}

export const layer = (url: Redacted.Redacted) =>
  Layer.effect(Owner, PgClient.PgClient).pipe(
    Layer.provide(
      PgClient.layer({
        url,
        maxConnections: 2,
        startupParameters: { timezone: "UTC", search_path: "public", jit: "off", work_mem: "64MB" },
      }),
    ),
  )

/** Runs a statement in its own session. */
export const statement = <Row extends object>(url: Redacted.Redacted, text: string): Promise<ReadonlyArray<Row>> =>
  Effect.runPromise(
    Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(text).unprepared).pipe(
      Effect.provide(PgClient.layer({ url, maxConnections: 1 })),
    ),
  )
