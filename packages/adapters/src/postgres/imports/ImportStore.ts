// `ImportStore` on PostgreSQL. A chunk takes a few statements, whatever its size.
import type { PgClient } from "@effect/sql-pg"
import type { ImportRunId, ImportSessionId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import {
  chunk_rows_max,
  type ImportConsent,
  type ImportRun,
  type ImportSession,
  type RejectedRow,
  type RowResult,
} from "@tentpole/core/imports/Import"
import type { ImportChange } from "@tentpole/core/imports/machine"
import type { ImportChunkChange } from "@tentpole/core/imports/ImportChunk"
import {
  ImportStore,
  type NamedRun,
  type RejectedRowsQuery,
  type ListKind,
  type ResultsQuery,
} from "@tentpole/core/imports/ImportStore"
import type { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect } from "effect"
import { ints, texts } from "../kernel/Arrays.ts"
import { writeFields } from "../contacts/ContactFieldStore.ts"
import { writeContacts } from "../contacts/ContactWrites.ts"
import { homeOf } from "../citus/Home.ts"
import { fromRow, iso, requireRow, type RowOf } from "../kernel/Instants.ts"
import { appendEventsIfRead, type EventJson, eventsIfRead } from "../kernel/Outbox.ts"
import { newestRows, slicedByAge } from "../kernel/Slices.ts"
import { renewStatistics } from "../kernel/Statistics.ts"
import { moveMemberCounts } from "../lists/StoredCounts.ts"
import { suppress } from "../sending/Suppressions.ts"
import { storeLayer } from "../StoreLayer.ts"

const sessionColumns = `s.import_session_id as id, s.source, s.file_name as "fileName", s.content_type as "contentType",
  s.blob_key as "blobKey", s.created_at as "createdAt", s.expires_at as "expiresAt", s.executed_at as "executedAt",
  s.suggestions`

const runColumns = `r.import_run_id as id, r.import_session_id as "sessionId", r.status, r.headers, r.rows_as as "as",
  r.suppression_reason as "suppressionReason", r.mappings,
  r.duplicate_strategy as "duplicateStrategy", r.overwrite_blank_only as "overwriteBlankOnly",
  r.on_invalid_cell as "onInvalidCell", r.list_ids as "listIds", r.consent,
  r.processed_rows as "processedRows", r.total_rows as "totalRows", jsonb_build_object('created', r.created_count,
  'updated', r.updated_count, 'skipped', r.skipped_count, 'failed', r.error_count,
  'warned', r.warning_count) as counts, r.error,
  r.created_at as "createdAt", r.started_at as "startedAt", r.completed_at as "completedAt"`

const resultColumns = `row_number as "rowNumber", line, status, contact_id as "contactId", field_issues as issues`

const suggested = ({ suggestions }: ImportSession): string | null =>
  suggestions === null ? null : JSON.stringify(suggestions)

const writeSession = (sql: PgClient.PgClient, workspace: WorkspaceId, change: NonNullable<ImportChange["session"]>) => {
  const { before, after } = change
  return before === null
    ? sql`
        insert into import_session (workspace_id, import_session_id, source, file_name, content_type, blob_key, created_at,
          expires_at, executed_at, suggestions)
        values (${workspace}, ${after.id}, ${after.source}, ${after.fileName}, ${after.contentType}, ${after.blobKey},
          ${iso(after.createdAt)}, ${iso(after.expiresAt)}, ${iso(after.executedAt)}, ${suggested(after)}::jsonb)
        returning 1`
    : sql`
        update import_session set executed_at = ${iso(after.executedAt)}, suggestions = ${suggested(after)}::jsonb
        where workspace_id = ${workspace} and import_session_id = ${after.id}
          and executed_at is not distinct from ${iso(before.executedAt)}::timestamptz
          and suggestions ->> 'key' is not distinct from ${before.suggestions?.key ?? null}::text
        returning 1`
}

/** Its instant is a text in the column. */
const stored = ({ consent }: ImportRun): string | null => (consent === null ? null : JSON.stringify(consent))

type StoredRun<Run extends ImportRun> = Omit<RowOf<Run>, "consent"> & {
  readonly consent: (Omit<ImportConsent, "collectedAt"> & { readonly collectedAt: string | null }) | null
}

const toRun = <Run extends ImportRun>({ consent, ...row }: StoredRun<Run>): Run =>
  fromRow<Run>({
    ...row,
    consent: consent && {
      ...consent,
      collectedAt: consent.collectedAt === null ? null : DateTime.makeUnsafe(consent.collectedAt),
    },
  } as unknown as RowOf<Run>)

const writeRun = (sql: PgClient.PgClient, workspace: WorkspaceId, change: NonNullable<ImportChange["run"]>) => {
  const { before, after } = change
  return before === null
    ? sql`
        insert into import_run (workspace_id, import_run_id, import_session_id, status, headers, rows_as,
          suppression_reason, mappings, duplicate_strategy, overwrite_blank_only, on_invalid_cell, list_ids, consent, created_at)
        values (${workspace}, ${after.id}, ${after.sessionId}, ${after.status},
          ${after.headers === null ? null : texts(after.headers)}::text[], ${after.as}, ${after.suppressionReason}::text, ${JSON.stringify(after.mappings)}::jsonb,
          ${after.duplicateStrategy}, ${after.overwriteBlankOnly}, ${after.onInvalidCell}, ${texts(after.listIds)}::uuid[],
          ${stored(after)}::jsonb, ${iso(after.createdAt)})
        returning 1`
    : sql`
        update import_run set status = ${after.status}, total_rows = ${after.totalRows}::int, error = ${after.error}::text,
          started_at = ${iso(after.startedAt)}::timestamptz, completed_at = ${iso(after.completedAt)}::timestamptz
        where workspace_id = ${workspace} and import_run_id = ${after.id} and status = ${before.status}
          and processed_rows = ${before.processedRows}
        returning 1`
}

const apply = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, change: ImportChange) {
  if (change.session !== null && (yield* writeSession(sql, workspace, change.session)).length === 0) return false
  if (change.run !== null && (yield* writeRun(sql, workspace, change.run)).length === 0) return false
  if (change.fields !== null) yield* writeFields(sql, workspace, change.fields)
  return true
})

/** Advances the run, which claims the chunk: a second worker finds another row count and changes nothing. */
const claimChunk = (sql: PgClient.PgClient, workspace: WorkspaceId, change: ImportChunkChange) => sql`
  update import_run set processed_rows = ${change.processedAfter},
    created_count = created_count + ${change.counts.created}, updated_count = updated_count + ${change.counts.updated},
    skipped_count = skipped_count + ${change.counts.skipped}, error_count = error_count + ${change.counts.failed},
    warning_count = warning_count + ${change.counts.warned}
  where workspace_id = ${workspace} and import_run_id = ${change.runId} and status = 'running'
    and processed_rows = ${change.processedBefore}
  returning 1`

/**
 * Adds the contacts to every list, with activities and events for new members. Lists are locked in the order of their ids.
 * Deleted lists are skipped.
 */
const addMembers = (sql: PgClient.PgClient, workspace: WorkspaceId, { members, at }: ImportChunkChange) =>
  members.listIds.length === 0 || members.contactIds.length === 0
    ? Effect.void
    : Effect.flatMap(
        sql<{ readonly events: ReadonlyArray<EventJson> | null }>`
          with target as (
            select list_id, name from list
            where workspace_id = ${workspace} and list_id = any(${texts(members.listIds)}::uuid[]) and kind = 'static'
            order by list_id for no key update
          ), moved as (
            insert into list_member (workspace_id, list_id, contact_id, added_at)
            select home.workspace_id, t.list_id, u.contact_id, ${iso(at)}::timestamptz
            from ${homeOf(sql, workspace)} cross join target t cross join unnest(${texts(members.contactIds)}::uuid[]) as u (contact_id)
            on conflict do nothing
            returning list_id, contact_id
          ), counted as (${moveMemberCounts(sql, workspace, 1)}), named as materialized (
            select uuid_v7() as id, m.contact_id, jsonb_build_object('list_id', t.list_id, 'list_name', t.name) as metadata
            from moved m join target t using (list_id)
          ), new_activities as (
            insert into activity (workspace_id, contact_id, at, activity_id, type, metadata)
            select home.workspace_id, contact_id, ${iso(at)}::timestamptz, id, 'list_added', metadata
            from ${homeOf(sql, workspace)} cross join named
            returning 1
          )
          select ${eventsIfRead(
            sql,
            workspace,
            sql`(
              select coalesce(json_agg(json_build_array('list_added', contact_id, ${iso(at)}::text, metadata)), '[]')
              from named)`,
          )} as events`,
        ([row]) => appendEventsIfRead(workspace, row?.events ?? null),
      )

const writeResults = (sql: PgClient.PgClient, workspace: WorkspaceId, { runId, results }: ImportChunkChange) =>
  results.length === 0
    ? Effect.void
    : sql`
        insert into import_row (workspace_id, import_run_id, row_number, line, status, contact_id, field_issues,
          record)
        select ${workspace}, ${runId}, * from unnest(${ints(results.map((row) => row.rowNumber))},
          ${ints(results.map((row) => row.line))},
          ${texts(results.map((row) => row.status))}, ${texts(results.map((row) => row.contactId))}::uuid[],
          ${texts(results.map((row) => JSON.stringify(row.issues)))}::jsonb[],
          ${texts(results.map((row) => (row.record === null ? null : JSON.stringify(row.record))))}::jsonb[])
        returning 1`

/** Whether the number of chunks is a power of two: often while the tables are small, rarely later. */
const isMilestone = (rows: number): boolean => {
  const chunks = Math.floor(rows / chunk_rows_max)
  return chunks > 0 && (chunks & (chunks - 1)) === 0
}

const applyChunk = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  writer: ChangeWriter["Service"],
  workspace: WorkspaceId,
  change: ImportChunkChange,
) {
  if ((yield* claimChunk(sql, workspace, change)).length === 0) return false
  yield* writeContacts(sql, workspace, change.contacts)
  yield* writer.writeEffects(workspace, [change.contacts])
  yield* suppress(sql, workspace, change.suppressions)
  yield* addMembers(sql, workspace, change)
  yield* writeResults(sql, workspace, change)
  if (isMilestone(change.processedAfter)) yield* sql.afterCommit(renewStatistics(sql))
  return true
})

/**
 * Unfiltered results have no gaps, so every page is found by its row numbers. Rows written after the run was read are left out,
 * because its counts do not include them.
 */
const pageOfResults = (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  { id: run, processedRows }: ImportRun,
  { status, page, limit }: ResultsQuery,
) =>
  status === null
    ? sql<RowResult>`
        select ${sql.literal(resultColumns)}, null as record from import_row
        where workspace_id = ${workspace} and import_run_id = ${run}
          and row_number > ${1 + (page - 1) * limit}::bigint
          and row_number <= ${1 + Math.min(page * limit, processedRows)}::bigint
        order by row_number`
    : sql<RowResult>`
        select ${sql.literal(resultColumns)}, null as record from import_row
        where workspace_id = ${workspace} and import_run_id = ${run} and status = ${status}
          and row_number <= ${1 + processedRows}::int
        order by row_number limit ${limit} offset ${(page - 1) * limit}`

/** Only rows with issues have a record, and an index has only those. */
const pageOfRejectedRows = (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  run: ImportRunId,
  { after, through, limit }: RejectedRowsQuery,
) => sql<RejectedRow>`
  select ${sql.literal(resultColumns)}, record from import_row
  where workspace_id = ${workspace} and import_run_id = ${run} and record is not null
    and row_number > ${after}::int and row_number <= ${through}::int
  order by row_number limit ${limit}`

/** Reads every row with issues, which takes seconds for a million. */
const widestRejectedRow = (sql: PgClient.PgClient, workspace: WorkspaceId, run: ImportRunId, through: number) => sql<{
  readonly widest: number
}>`
  select coalesce(max(jsonb_array_length(record)), 0) as widest from import_row
  where workspace_id = ${workspace} and import_run_id = ${run} and record is not null
    and row_number <= ${through}::int`

export const layer = storeLayer(ImportStore, ({ sql, within, write, long, writer }) => {
  const session = (workspace: WorkspaceId, id: ImportSessionId, lock: "" | "for update") =>
    within(
      workspace,
      sql<RowOf<ImportSession>>`
        select ${sql.literal(sessionColumns)} from import_session s
        where s.workspace_id = ${workspace} and s.import_session_id = ${id} ${sql.literal(lock)}`,
    ).pipe(Effect.flatMap(requireRow("import session")), Effect.map(fromRow<ImportSession>))

  const run = (workspace: WorkspaceId, id: ImportRunId, lock: "" | "for update") =>
    within(
      workspace,
      sql<StoredRun<ImportRun>>`
        select ${sql.literal(runColumns)} from import_run r
        where r.workspace_id = ${workspace} and r.import_run_id = ${id} ${sql.literal(lock)}`,
    ).pipe(Effect.flatMap(requireRow("import run")), Effect.map(toRun<ImportRun>))

  return {
    getSession: (workspace, id) => session(workspace, id, ""),
    lockSession: (workspace, id) => Effect.andThen(Transaction, session(workspace, id, "for update")),
    listKinds: (workspace, ids) =>
      ids.length === 0
        ? Effect.succeed([])
        : within(
            workspace,
            sql<ListKind>`
              select list_id as id, kind from list
              where workspace_id = ${workspace} and list_id = any(${texts(ids)}::uuid[])`,
          ),
    getRun: (workspace, id) => run(workspace, id, ""),
    lockRun: (workspace, id) => Effect.andThen(Transaction, run(workspace, id, "for update")),
    runOf: (workspace, id) =>
      within(
        workspace,
        sql<StoredRun<ImportRun>>`
          select ${sql.literal(runColumns)} from import_run r
          where r.workspace_id = ${workspace} and r.import_session_id = ${id}`,
      ).pipe(Effect.map(([row]) => (row === undefined ? null : toRun<ImportRun>(row)))),
    runs: (workspace, query) =>
      within(
        workspace,
        newestRows<StoredRun<NamedRun>>(sql, query, {
          columns: `${runColumns}, s.file_name as "fileName"`,
          from: "import_run r join import_session s using (workspace_id, import_session_id)",
          where: sql`r.workspace_id = ${workspace} and s.workspace_id = ${workspace}`,
          at: "r.created_at",
          id: "r.import_run_id",
        }),
      ).pipe(Effect.map((rows) => slicedByAge(rows.map(toRun<NamedRun>), query.limit))),
    apply: (workspace, change) =>
      Effect.tap(write(workspace, apply(sql, workspace, change)), (applied) =>
        applied ? writer.writeEffects(workspace, [change]) : Effect.void,
      ),
    applyChunk: (workspace, change) => write(workspace, applyChunk(sql, writer, workspace, change)),
    results: (workspace, id, query) =>
      Effect.gen(function* () {
        const counted = yield* run(workspace, id, "")
        const items = yield* within(workspace, pageOfResults(sql, workspace, counted, query))
        const total = query.status === null ? counted.processedRows : counted.counts[query.status]
        return { items, total }
      }),
    rejectedRows: (workspace, id, query) => within(workspace, pageOfRejectedRows(sql, workspace, id, query)),
    widestRejected: (workspace, id, through) =>
      long
        .read(workspace, (client) => widestRejectedRow(client, workspace, id, through))
        .pipe(Effect.map(([row]) => row?.widest ?? 0)),
    deleteSession: (workspace, id) =>
      write(
        workspace,
        sql`
          delete from import_session
          where workspace_id = ${workspace} and import_session_id = ${id} and executed_at is null`,
      ),
  }
})
