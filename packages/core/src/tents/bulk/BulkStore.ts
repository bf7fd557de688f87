// The port to bulk jobs: the job with its tents, written together, and their progress.
import { Context, type Effect } from "effect"
import type { BulkJobId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Sliced, SliceQuery } from "../../kernel/Page.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { InsufficientCredits } from "../../workspaces/Workspace.ts"
import type { BulkChange, BulkJob, CountedBulkJob } from "./Bulk.ts"
import type { Tent } from "../Tent.ts"

export class BulkStore extends Context.Service<
  BulkStore,
  {
    /** The credits of the workspace. No other transaction takes credits until this one ends. */
    readonly lockCredits: (workspace: WorkspaceId) => Effect.Effect<number, NotFound, Transaction>
    /** Writes the job with all of its tents, and takes their credits. */
    readonly apply: (
      workspace: WorkspaceId,
      change: BulkChange,
    ) => Effect.Effect<void, InsufficientCredits, Transaction>
    /** The jobs, newest first, ties by id. */
    readonly list: (workspace: WorkspaceId, query: SliceQuery) => Effect.Effect<Sliced<CountedBulkJob>>
    /** The job, and those of its tents that still exist. */
    readonly get: (
      workspace: WorkspaceId,
      id: BulkJobId,
    ) => Effect.Effect<{ readonly job: BulkJob; readonly tents: ReadonlyArray<Tent> }, NotFound>
  }
>()("tentpole/BulkStore") {}
