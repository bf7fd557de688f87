// The port to imports: sessions, runs, and the results of rows.
import { Context, type Effect } from "effect"
import type { IdentityTaken } from "../contacts/ContactStore.ts"
import type { ImportRunId, ImportSessionId, ListId, WorkspaceId } from "../kernel/Ids.ts"
import type { Cursor, Paged, Sliced } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { ImportRun, ImportSession, RejectedRow, RowResult, RowStatus } from "./Import.ts"
import type { ImportChange } from "./machine.ts"
import type { ImportChunkChange } from "./ImportChunk.ts"

export const results_limit_max = 250

export interface ListKind {
  readonly id: ListId
  readonly kind: "static" | "dynamic" | "system"
}

export interface ResultsQuery {
  readonly status: RowStatus | null
  /** From 1. */
  readonly page: number
  /** 1 to 250. */
  readonly limit: number
}

export interface RunsQuery {
  readonly after: Cursor | null
  readonly limit: number
}

/** A run in a listing. */
export interface NamedRun extends ImportRun {
  /** The name of the uploaded file. Null for rows of a request without a name. */
  readonly fileName: string | null
}

/** Rows are identified by their numbers; the header is 1. */
export interface RejectedRowsQuery {
  /** The last row that the reader has; 1 at the beginning. */
  readonly after: number
  /** The last row to return. */
  readonly through: number
  readonly limit: number
}

export class ImportStore extends Context.Service<
  ImportStore,
  {
    readonly getSession: (workspace: WorkspaceId, id: ImportSessionId) => Effect.Effect<ImportSession, NotFound>
    /** Blocks other `lockSession` calls for this session until the transaction ends: one execution, not two. */
    readonly lockSession: (
      workspace: WorkspaceId,
      id: ImportSessionId,
    ) => Effect.Effect<ImportSession, NotFound, Transaction>
    /** Those of the lists that exist, each once. */
    readonly listKinds: (workspace: WorkspaceId, ids: ReadonlyArray<ListId>) => Effect.Effect<ReadonlyArray<ListKind>>
    readonly getRun: (workspace: WorkspaceId, id: ImportRunId) => Effect.Effect<ImportRun, NotFound>
    readonly lockRun: (workspace: WorkspaceId, id: ImportRunId) => Effect.Effect<ImportRun, NotFound, Transaction>
    /** The run of an executed session; null before the execution. */
    readonly runOf: (workspace: WorkspaceId, session: ImportSessionId) => Effect.Effect<ImportRun | null>
    /** Newest first. */
    readonly runs: (workspace: WorkspaceId, query: RunsQuery) => Effect.Effect<Sliced<NamedRun>>
    /** Writes all parts, or returns false if the session or the run has changed since the decision. */
    readonly apply: (workspace: WorkspaceId, change: ImportChange) => Effect.Effect<boolean, never, Transaction>
    /**
     * Writes contacts, list members, row results and counters of the chunk. Returns false and writes nothing when the run
     * is not at the chunk's first row. Deleted lists are left out. New members of each list go to the timeline and the
     * outbox, and are counted. Fails with `IdentityTaken` like `ContactStore.apply`.
     */
    readonly applyChunk: (
      workspace: WorkspaceId,
      change: ImportChunkChange,
    ) => Effect.Effect<boolean, IdentityTaken, Transaction>
    /** By row number. Records are not read: `record` is null. */
    readonly results: (
      workspace: WorkspaceId,
      run: ImportRunId,
      query: ResultsQuery,
    ) => Effect.Effect<Paged<RowResult>, NotFound>
    /** Rows that have a record, by row number; none for an unknown run. */
    readonly rejectedRows: (
      workspace: WorkspaceId,
      run: ImportRunId,
      query: RejectedRowsQuery,
    ) => Effect.Effect<ReadonlyArray<RejectedRow>>
    /** The number of cells in the longest record up to row `through`; 0 when there is none. */
    readonly widestRejected: (workspace: WorkspaceId, run: ImportRunId, through: number) => Effect.Effect<number>
    /** Deletes a session that was never executed. An executed session stays, because its run refers to it. */
    readonly deleteSession: (workspace: WorkspaceId, id: ImportSessionId) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/ImportStore") {}
