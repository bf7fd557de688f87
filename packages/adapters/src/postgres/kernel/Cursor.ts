// Streams of a whole table in constant memory, under one snapshot. Exports use them.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect, Queue, Stream } from "effect"
import type { SqlError, Statement } from "effect/sql"
import type { LongReads, Statements } from "./Postgres.ts"

/** Rows of one step. Contacts of the largest size, with two megabytes of custom fields, still fit into memory. */
const fetch_rows = 250

/** The longest pause between two steps: a blob store may stop reading while it uploads a part of a large file. */
const idle_max_ms = 5 * 60_000

/**
 * Streams the rows of a select in steps, all from the snapshot in which the cursor was opened. The statement timeout applies to
 * each step, not to the whole stream. The plan is optimised for the first row, so that the server does not sort a million rows
 * on disk where an index has them in order. The transaction runs in its own fiber: no effect of the consumer runs in it. It
 * ends with the stream.
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
        long.read(workspace, (sql) => Effect.flatMap(select(sql), (selected) => steps(sql, selected, to, queue))),
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
