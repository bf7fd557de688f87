// The source of an export, which differs by kind: whether there is something to export, and its table.
import type { Effect, Stream } from "effect"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { ExportSubject } from "./Export.ts"

/** A table that is read as a stream. */
export interface OpenTable {
  /** The beginning of the file's name: letters, digits and hyphens. */
  readonly stem: string
  /** The columns' names. */
  readonly header: ReadonlyArray<string>
  /**
   * Chunks of rows from one consistent snapshot. A row has one cell for each column, with guards against formulas in
   * spreadsheets.
   */
  readonly rows: Stream.Stream<ReadonlyArray<ReadonlyArray<string>>>
}

export interface ExportSource<Subject extends ExportSubject> {
  /** Fails when the subject does not exist. */
  readonly check: (workspace: WorkspaceId, subject: Subject) => Effect.Effect<unknown, NotFound>
  /** Rows are read only when the stream runs. */
  readonly open: (workspace: WorkspaceId, subject: Subject) => Effect.Effect<OpenTable, NotFound>
  /** The error of an export whose subject was deleted meanwhile, as a sentence for users. */
  readonly deletedError: string
}
