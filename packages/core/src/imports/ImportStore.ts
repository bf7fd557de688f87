// The port to imports: sessions, runs, and what became of each row.
import { Context, type Effect } from "effect"
import type { IdentityTaken } from "../contacts/ContactStore.ts"
import type { ImportRunId, ImportSessionId, ListId, WorkspaceId } from "../kernel/Ids.ts"
import type { Paged } from "../kernel/Page.ts"
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

/** Rows are named by their numbers: the header is 1. */
export interface RejectedRowsQuery {
  /** The last row that the reader has; 1 at the beginning. */
  readonly after: number
  /** The last row that is asked for. */
  readonly through: number
  readonly limit: number
}

export class ImportStore extends Context.Service<
  ImportStore,
  {
    readonly getSession: (workspace: WorkspaceId, id: ImportSessionId) => Effect.Effect<ImportSession, NotFound>
    /** Nobody else's `lockSession` of it returns before this transaction ends: one execution, not two. */
    readonly lockSession: (
      workspace: WorkspaceId,
      id: ImportSessionId,
    ) => Effect.Effect<ImportSession, NotFound, Transaction>
    /** Those of the lists that there are, each once. */
    readonly listKinds: (workspace: WorkspaceId, ids: ReadonlyArray<ListId>) => Effect.Effect<ReadonlyArray<ListKind>>
    readonly getRun: (workspace: WorkspaceId, id: ImportRunId) => Effect.Effect<ImportRun, NotFound>
    readonly lockRun: (workspace: WorkspaceId, id: ImportRunId) => Effect.Effect<ImportRun, NotFound, Transaction>
    /** What an executed session is applied by, if it was executed. */
    readonly runOf: (workspace: WorkspaceId, session: ImportSessionId) => Effect.Effect<ImportRun | null>
    /**
     * Writes sessions, runs and field definitions of the change. False, and nothing is written, when the session or the run
     * is no longer in the state that was decided on.
     */
    readonly apply: (workspace: WorkspaceId, change: ImportChange) => Effect.Effect<boolean, never, Transaction>
    /**
     * Writes contacts, list members, row results and counters of the chunk. False, and nothing is written, when the run
     * doesn't stand where the chunk begins. Lists that are gone by now are left out; each list's new members are told to the
     * timeline and the outbox, and counted. `IdentityTaken` as of `ContactStore.apply`.
     */
    readonly applyChunk: (
      workspace: WorkspaceId,
      change: ImportChunkChange,
    ) => Effect.Effect<boolean, IdentityTaken, Transaction>
    /** By row number. The records of rows are not read: `record` is null. */
    readonly results: (
      workspace: WorkspaceId,
      run: ImportRunId,
      query: ResultsQuery,
    ) => Effect.Effect<Paged<RowResult>, NotFound>
    /** Rows that did not go in, by row number; none of a run that there is not. */
    readonly rejectedRows: (
      workspace: WorkspaceId,
      run: ImportRunId,
      query: RejectedRowsQuery,
    ) => Effect.Effect<ReadonlyArray<RejectedRow>>
    /** The cells of the longest record among the rows that did not go in, up to row `through`; 0 when there are none. */
    readonly widestRejected: (workspace: WorkspaceId, run: ImportRunId, through: number) => Effect.Effect<number>
    /** Forgets a session that was never executed. An executed one stays: its run tells of it. */
    readonly forgetSession: (workspace: WorkspaceId, id: ImportSessionId) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/ImportStore") {}
