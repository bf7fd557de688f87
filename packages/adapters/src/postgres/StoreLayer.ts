// The layer of a store on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { type Context, Effect, Layer } from "effect"
import { fenced, fencedWrites, LongReads, Reads } from "./kernel/Postgres.ts"

interface Database {
  readonly sql: PgClient.PgClient
  /** Runs statements as a workspace. */
  readonly within: ReturnType<typeof fenced>
  /** The same, for statements of the caller's transaction. */
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
      ({ sql, ...others }) => make({ sql, within: fenced(sql), write: fencedWrites(sql), ...others }),
    ),
  )
