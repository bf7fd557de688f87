// Reading a table from beginning to end in flat memory, under one snapshot: what exports are written from.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect, Queue, Stream } from "effect"
import type { SqlError, Statement } from "effect/sql"
import type { LongReads, Statements } from "./Postgres.ts"

/** Few enough that contacts of the largest size, which have two megabytes of custom fields, fit into memory. */
const fetch_rows = 250

/** A store of files may keep the reading waiting between two steps, for as long as a part of a large upload takes. */
const idle_max_ms = 5 * 60_000

/**
 * The rows of a select, some at a time, all as they were when the reading began. A cursor sees what was there when it was
 * opened, and is read in steps: the time limit of a statement is each step's, not the whole reading's, as it would be for
 * one statement whose rows are taken slowly. It is planned for a quick first row, so that no server sorts a million rows on
 * its disk where an index has them in order. The transaction lives in a fiber of its own, so that nothing of its reader's
 * runs in it; the stream's end ends it.
 */
export const readThrough = <Row extends object, A>(
  long: LongReads["Service"],
  workspace: WorkspaceId,
  select: Statements<Statement.Fragment, SqlError.SqlError, never>,
  to: (row: Row) => A,
) =>
  Stream.callback<ReadonlyArray<A>>(
    (queue) =>
      Effect.andThen(
        long.transaction(workspace, (sql) =>
          Effect.flatMap(select(sql), (selected) => steps(sql, selected, to, queue)),
        ),
        Queue.end(queue),
      ),
    { bufferSize: 1 },
  )

const steps = Effect.fnUntraced(function* <Row extends object, A>(
  sql: PgClient.PgClient,
  selected: Statement.Fragment,
  to: (row: Row) => A,
  into: Queue.Enqueue<ReadonlyArray<A>>,
) {
  yield* sql`select set_config('idle_in_transaction_session_timeout', ${String(idle_max_ms)}, true)`
  yield* sql`declare read_through no scroll cursor for ${selected}`.unprepared
  while (true) {
    const rows = yield* sql<Row>`fetch ${sql.literal(String(fetch_rows))} from read_through`.unprepared
    if (rows.length > 0) yield* Queue.offer(into, rows.map(to))
    if (rows.length < fetch_rows) return
  }
})
