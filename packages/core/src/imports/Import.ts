// An import: the session with the file and its preview, the run that applies it, and the result of each row.
import type { DateTime } from "effect"
import type { ColumnMatch } from "../ports/Ai.ts"
import type { ValueFormat } from "../contacts/values/ValueFormat.ts"
import type { SuppressionReason } from "../sending/Suppression.ts"
import type { ContactId, ImportRunId, ImportSessionId, ListId, TopicId, WorkspaceId } from "../kernel/Ids.ts"

/** How long a session can be previewed and executed. */
export const session_lifetime_ms = 24 * 60 * 60_000
/** How long an upload address is valid. */
export const upload_lifetime_ms = 60 * 60_000
/** The maximum of rows in the request itself. */
export const rows_max = 1000
export const list_ids_max = 500
export const columns_max = 2000
/** The maximum of rows that one transaction applies. */
export const chunk_rows_max = 1000

export type ImportSource = "upload" | "rows"

/** The AI's suggestions for the columns that the headers left open. */
export interface StoredSuggestions {
  /** A digest of the request: the same file with the same fields gives the same request. */
  readonly key: string
  readonly matches: ReadonlyArray<ColumnMatch>
}

export interface ImportSession {
  readonly id: ImportSessionId
  readonly source: ImportSource
  readonly fileName: string | null
  readonly contentType: string
  /** The key of the uploaded file in the blob store. */
  readonly blobKey: string
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
  readonly executedAt: DateTime.Utc | null
  /** Null until the AI has answered a preview. */
  readonly suggestions: StoredSuggestions | null
}

/** What a column can be proposed for. */
export type FieldKind = "standard" | "custom"
export type TargetKind = FieldKind | "topic"
export type OverwriteBehavior = "overwrite" | "skip_if_filled"
export type DuplicateStrategy = "update" | "skip"
/** What an invalid cell of an optional field rejects: its row, or only itself. An invalid email or phone rejects the row. */
export type InvalidCellPolicy = "skip_row" | "skip_cell"

/** What the rows of a file become: contacts, or suppressions of their addresses. */
export type ImportTarget = "contacts" | "suppressions"

export interface Mapping {
  /** The column's header as the preview names it. Null: every row gets `value`. */
  readonly header: string | null
  /** The field's `api_name`, or the id of the topic. */
  readonly targetField: string
  readonly targetKind: TargetKind
  readonly overwriteBehavior: OverwriteBehavior
  /** The cell of every row, in place of a column. */
  readonly value?: string
  /** The notation of the cells; absent: the service's own. */
  readonly format?: ValueFormat
}

/** What the people of the file agreed to, and how it is known. */
export interface ImportConsent {
  /** Every imported contact subscribes to these. */
  readonly topicIds: ReadonlyArray<TopicId>
  /** Words of the caller: `shop`. */
  readonly source: string
  readonly text: string
  /** Null: the column has it, or it was at the import. */
  readonly collectedAt: DateTime.Utc | null
  /** The column with the time of each row. */
  readonly collectedAtHeader: string | null
  /** All have to confirm by mail. */
  readonly doubleOptIn: boolean
}

export type RunStatus = "queued" | "running" | "completed" | "failed"

export interface RowCounts {
  readonly created: number
  readonly updated: number
  readonly skipped: number
  readonly failed: number
  /** Created and updated rows of which an invalid cell, or a topic, was left out. */
  readonly warned: number
}

export interface ImportRun {
  readonly id: ImportRunId
  readonly sessionId: ImportSessionId
  readonly status: RunStatus
  /** The file's columns as the preview names them; null for runs of versions that did not store them. */
  readonly headers: ReadonlyArray<string> | null
  readonly as: ImportTarget
  /** Of suppressions: the reason of rows whose columns say none. */
  readonly suppressionReason: SuppressionReason | null
  readonly mappings: ReadonlyArray<Mapping>
  readonly duplicateStrategy: DuplicateStrategy
  readonly overwriteBlankOnly: boolean
  readonly onInvalidCell: InvalidCellPolicy
  readonly listIds: ReadonlyArray<ListId>
  /** Null: only columns name topics, if any. */
  readonly consent: ImportConsent | null
  /** Rows whose chunk is committed, from the beginning of the file. */
  readonly processedRows: number
  /** Null until the file is counted. */
  readonly totalRows: number | null
  readonly counts: RowCounts
  /** Why the run failed, as a sentence for users. */
  readonly error: string | null
  readonly createdAt: DateTime.Utc
  readonly startedAt: DateTime.Utc | null
  readonly completedAt: DateTime.Utc | null
}

/** A run as callers see it. */
export interface RunView extends ImportRun {
  /** Contacts that have to confirm, and that wait for their mail. */
  readonly confirmationsWaiting: number
}

export type RowStatus = "created" | "updated" | "skipped" | "failed"

export type RowIssueCode =
  | "invalid_email"
  | "invalid_phone"
  | "invalid_value"
  | "invalid_custom_field_value"
  | "unknown_custom_field"
  | "missing_identity"
  | "wrong_column_count"
  | "empty_row"
  | "conflict"
  | "invalid_topic_status"
  /** The contact ended the subscription, or all marketing. The row is imported without the topic. */
  | "kept_unsubscribed"
  /** Of suppressions: no column says that the address is suppressed, or none says why; or a stronger reason is stored. */
  | "not_suppressed"
  | "unknown_reason"
  | "already_suppressed"

export interface RowIssue {
  /** The column and field of the issue; null when it is about the whole row. */
  readonly header: string | null
  readonly targetField: string | null
  readonly code: RowIssueCode
  readonly message: string
  /** The cell as it was decoded. */
  readonly value: string | null
}

export interface RowResult {
  /** The header is 1. */
  readonly rowNumber: number
  /** The line of the file on which the row begins, from 1; null when unknown, and for rows of a request. */
  readonly line: number | null
  readonly status: RowStatus
  readonly contactId: ContactId | null
  /** Why the row was rejected, or which cells of an imported row were left out. */
  readonly issues: ReadonlyArray<RowIssue>
  /** The cells of a row with issues, so that they can be exported, corrected and imported again. */
  readonly record: ReadonlyArray<string> | null
}

/** A row that was not imported, or not with all of its cells. */
export interface RejectedRow extends RowResult {
  readonly record: ReadonlyArray<string>
}

const folder = (workspace: WorkspaceId, session: ImportSessionId): string => `imports/${workspace}/${session}`

/** The key of a session's file, which can be replaced until the session is executed. */
export const uploadKey = (workspace: WorkspaceId, session: ImportSessionId): string =>
  `${folder(workspace, session)}/file`

/** The key of a run's file: a copy that no upload replaces. */
export const frozenKey = (workspace: WorkspaceId, run: Pick<ImportRun, "id" | "sessionId">): string =>
  `${folder(workspace, run.sessionId)}/run-${run.id}`

/** The progress of a run in chunks of at most `size` rows. `total` is null until the file is counted. */
export const chunksOf = (
  run: ImportRun,
): { readonly size: number; readonly total: number | null; readonly completed: number } => {
  const total = run.totalRows === null ? null : Math.ceil(run.totalRows / chunk_rows_max)
  const done = run.totalRows !== null && run.processedRows >= run.totalRows
  return {
    size: chunk_rows_max,
    total,
    completed: done && total !== null ? total : Math.floor(run.processedRows / chunk_rows_max),
  }
}
