// Exports of lists on PostgreSQL, and the reading of a list's members from beginning to end.
import { PgClient } from "@effect/sql-pg"
import { ListExportId, ListId, type WorkspaceId } from "@tentpole/core/Ids"
import { type ListExport, ListExportChange } from "@tentpole/core/lists/ListExport"
import { ListExportStore } from "@tentpole/core/lists/ListExportStore"
import type { Audience } from "@tentpole/core/lists/ListStore"
import { NotFound } from "@tentpole/core/Refusal"
import { Transaction } from "@tentpole/core/Transactor"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { DateTime, Effect, Layer, Queue, Stream } from "effect"
import { contactColumns, type ContactRow, toContact } from "./ContactRows.ts"
import { fenced, LongReads } from "./Postgres.ts"
import { audienceCondition, withColumns } from "./Segment.ts"

type Sql = PgClient.PgClient

interface ExportRow {
  readonly list_export_id: string
  readonly list_id: string
  readonly exclude_unsubscribed: boolean
  readonly status: ListExport["status"]
  readonly file_name: string | null
  readonly row_count: number | null
  readonly error: string | null
  readonly created_at: Date
  readonly completed_at: Date | null
}

const exportColumns = `x.list_export_id, x.list_id, x.exclude_unsubscribed, x.status, x.file_name, x.row_count, x.error,
  x.created_at, x.completed_at`

const toExport = (row: ExportRow): ListExport => {
  const common = {
    id: ListExportId.make(row.list_export_id),
    listId: ListId.make(row.list_id),
    excludeUnsubscribed: row.exclude_unsubscribed,
    createdAt: DateTime.makeUnsafe(row.created_at),
  }
  // The table's checks say the same as the type: what has ended has its instant, and what belongs to its end.
  const completedAt = DateTime.makeUnsafe(row.completed_at ?? row.created_at)
  switch (row.status) {
    case "queued":
    case "running":
      return { ...common, status: row.status }
    case "completed":
      return {
        ...common,
        status: row.status,
        fileName: row.file_name ?? "",
        rowCount: row.row_count ?? 0,
        completedAt,
      }
    case "failed":
      return { ...common, status: row.status, error: row.error ?? "", completedAt }
  }
}

const found = (rows: ReadonlyArray<ExportRow>): Effect.Effect<ListExport, NotFound> =>
  rows[0] === undefined ? Effect.fail(new NotFound({ resource: "export" })) : Effect.succeed(toExport(rows[0]))

/** The columns that are written once an export has ended. */
const endOf = (it: ListExport) => ({
  file_name: it.status === "completed" ? it.fileName : null,
  row_count: it.status === "completed" ? it.rowCount : null,
  error: it.status === "failed" ? it.error : null,
  completed_at: it.status === "completed" || it.status === "failed" ? DateTime.formatIso(it.completedAt) : null,
})

const write = (sql: Sql, workspace: WorkspaceId, before: ListExport | null, after: ListExport) => {
  const end = endOf(after)
  return before === null
    ? sql`
        insert into list_export ${sql.insert({
          workspace_id: workspace,
          list_export_id: after.id,
          list_id: after.listId,
          exclude_unsubscribed: after.excludeUnsubscribed,
          status: after.status,
          created_at: DateTime.formatIso(after.createdAt),
          ...end,
        })} returning 1`
    : sql`
        update list_export set status = ${after.status}, file_name = ${end.file_name}::text,
          row_count = ${end.row_count}::int, error = ${end.error}::text, completed_at = ${end.completed_at}::timestamptz
        where workspace_id = ${workspace} and list_export_id = ${after.id} and status = ${before.status}
        returning 1`
}

const forget = (sql: Sql, workspace: WorkspaceId, { id, status }: ListExport) => sql`
  delete from list_export where workspace_id = ${workspace} and list_export_id = ${id} and status = ${status}
  returning 1`

const apply = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, change: ListExportChange) {
  if (!ListExportChange.is(change)) return yield* Effect.die("an export can only be written by a ListExportChange")
  const { before, after } = change
  if (after !== null) return (yield* write(sql, workspace, before, after)).length === 1
  return before !== null && (yield* forget(sql, workspace, before)).length === 1
})

/** Few enough that contacts of the largest size, which have two megabytes of custom fields, fit into memory. */
const fetch_rows = 250

/** A store of files may keep the reading waiting between two steps, for as long as a part of a large upload takes. */
const idle_max_ms = 5 * 60_000

/**
 * A cursor sees what was there when it was opened, and is read in steps: the time limit of a statement is each step's, not
 * the whole reading's, as it would be for one statement whose rows are taken slowly. Ids are the key's order, which is
 * read without sorting; it is planned for a quick first row, so that no server sorts a million contacts on its disk.
 */
const readMembers = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { list, fields, now }: Audience,
  options: { readonly excludeUnsubscribed: boolean },
  into: Queue.Enqueue<ReadonlyArray<Contact>>,
) {
  const reading = { fields: yield* withColumns(sql, workspace, fields), now }
  const held = audienceCondition(sql, workspace, list, reading)
  yield* sql`select set_config('idle_in_transaction_session_timeout', ${String(idle_max_ms)}, true)`
  yield* sql`
    declare members no scroll cursor for
    select ${sql.literal(contactColumns)} from fenced_contact c
    where c.workspace_id = ${workspace} and ${held}
      ${sql.literal(options.excludeUnsubscribed ? "and not c.unsubscribed" : "")}
    order by c.contact_id`.unprepared
  while (true) {
    const rows = yield* sql<ContactRow>`fetch ${sql.literal(String(fetch_rows))} from members`.unprepared
    if (rows.length > 0) yield* Queue.offer(into, rows.map(toContact))
    if (rows.length < fetch_rows) return
  }
})

export const layer = Layer.effect(
  ListExportStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const long = yield* LongReads
    const within = fenced(sql)
    return ListExportStore.of({
      find: (workspace, id) =>
        within(
          workspace,
          sql<ExportRow>`
            select ${sql.literal(exportColumns)} from list_export x
            join list l on l.workspace_id = x.workspace_id and l.list_id = x.list_id
            where x.workspace_id = ${workspace} and x.list_export_id = ${id}`,
        ).pipe(Effect.flatMap(found)),
      lock: (workspace, id) =>
        Effect.andThen(
          Transaction,
          within(
            workspace,
            sql<ExportRow>`
              select ${sql.literal(exportColumns)} from list_export x
              where x.workspace_id = ${workspace} and x.list_export_id = ${id} for update`,
          ).pipe(Effect.flatMap(found)),
        ),
      apply: (workspace, change) => Effect.andThen(Transaction, within(workspace, apply(sql, workspace, change))),
      // The transaction lives in a fiber of its own, so that nothing of its reader's runs in it; the stream's end ends it.
      members: (workspace, audience, options) =>
        Stream.callback<ReadonlyArray<Contact>>(
          (queue) =>
            Effect.andThen(
              long.transaction(workspace, (client) => readMembers(client, workspace, audience, options, queue)),
              Queue.end(queue),
            ),
          { bufferSize: 1 },
        ),
    })
  }),
)
