// The layer of a store on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { type Context, Effect, Layer } from "effect"
import { fencedWrites, LongReads, Reads } from "./kernel/Postgres.ts"

interface Database {
  readonly sql: PgClient.PgClient
  /** Runs statements that only read, as a workspace. In the caller's transaction, if there is one. */
  readonly within: Reads["Service"]["within"]
  /** Runs statements of the caller's transaction, as a workspace. */
  readonly write: ReturnType<typeof fencedWrites>
  readonly quick: Reads["Service"]
  readonly long: LongReads["Service"]
  readonly writer: ChangeWriter["Service"]
}

export const storeLayer = <Id, Store>(store: Context.Service<Id, Store>, make: (database: Database) => Store) =>
  Layer.effect(
    store,
    Effect.map(
      Effect.all({ sql: PgClient.PgClient, quick: Reads, long: LongReads, writer: ChangeWriter }),
      ({ sql, quick, ...others }) => make({ sql, within: quick.within, write: fencedWrites(sql), quick, ...others }),
    ),
  )
