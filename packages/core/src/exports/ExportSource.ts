// What differs from one kind of export to another: whether there is anything to export, and which table comes of it.
import type { Effect, Stream } from "effect"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { ExportSubject } from "./Export.ts"

/** A table on its way into a file. */
export interface OpenTable {
  /** How its file's name begins: letters, digits and hyphens. */
  readonly stem: string
  /** The columns' names. */
  readonly header: ReadonlyArray<string>
  /**
   * Some rows at a time, all as they were at one moment. A row has as many cells as there are columns, guarded against
   * spreadsheets that would run them.
   */
  readonly rows: Stream.Stream<ReadonlyArray<ReadonlyArray<string>>>
}

export interface ExportSource<Subject extends ExportSubject> {
  /** Fails when what is to be exported is not there. */
  readonly check: (workspace: WorkspaceId, subject: Subject) => Effect.Effect<unknown, NotFound>
  /** Nothing is read of the rows before somebody asks for them. */
  readonly open: (workspace: WorkspaceId, subject: Subject) => Effect.Effect<OpenTable, NotFound>
  /** A sentence for who waits for an export of what has gone meanwhile. */
  readonly gone: string
}
