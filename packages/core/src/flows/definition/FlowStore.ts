// The port to stored flows: structure, lifecycle, member counts and references. `MembershipStore` is the port to members.
import { Context, type DateTime, type Effect } from "effect"
import type { SortOrder } from "../../blasts/BlastStore.ts"
import type { SuppressionReason } from "../../sending/Suppression.ts"
import type { EmailId, FlowId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Paged, PageRequest } from "../../kernel/Page.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { Flow, FlowStatus } from "./Flow.ts"
import type { ActivationFacts, FlowChange } from "./machine.ts"
import type { NamedByFlow, NamedFacts } from "./FlowReferences.ts"
import type { SimulationFacts } from "./CompiledFlow.ts"
import type { StepId } from "./Step.ts"

/** Memberships by status. The sum is the number of entries. */
export interface FlowTally {
  readonly active: number
  readonly waiting: number
  readonly completed: number
  readonly dropped: number
  readonly failed: number
  /** Null: no contact has entered. */
  readonly lastEntryAt: DateTime.Utc | null
}

export interface FlowView {
  readonly flow: Flow
  readonly tally: FlowTally
}

export const flowSorts = ["updated_at", "created_at", "name"] as const
export type FlowSort = (typeof flowSorts)[number]

export interface FlowQuery extends PageRequest {
  readonly statuses: ReadonlyArray<FlowStatus>
  /** A substring of the name. Empty: no filter. */
  readonly search: string
  readonly sortBy: FlowSort
  readonly sortOrder: SortOrder
}

/** What a simulation depends on besides the flow. */
export interface StoredSimulationFacts {
  readonly facts: SimulationFacts
  /** The suppression of the given address. */
  readonly suppression: SuppressionReason | null
}

export class FlowStore extends Context.Service<
  FlowStore,
  {
    readonly get: (workspace: WorkspaceId, id: FlowId) => Effect.Effect<FlowView, NotFound>
    /** Names in folded order, ties by id. */
    readonly list: (workspace: WorkspaceId, query: FlowQuery) => Effect.Effect<Paged<FlowView>>
    /** Live members at each step. Steps without members may be missing. */
    readonly stepCounts: (workspace: WorkspaceId, id: FlowId) => Effect.Effect<ReadonlyMap<StepId, number>>
    /** The fields, lists, emails and templates that the structure names, and the suppression of an address. */
    readonly simulationFacts: (
      workspace: WorkspaceId,
      query: { readonly named: NamedByFlow; readonly emailNormalized: string | null },
    ) => Effect.Effect<StoredSimulationFacts>
    /** What activation would depend on now, without locks. */
    readonly activationFacts: (workspace: WorkspaceId, named: NamedByFlow) => Effect.Effect<ActivationFacts>
    /** Locks the flow until the transaction ends. */
    readonly lock: (workspace: WorkspaceId, id: FlowId) => Effect.Effect<Flow, NotFound, Transaction>
    /** The references that exist. The lists can't be deleted until the transaction ends. */
    readonly lockNamed: (workspace: WorkspaceId, named: NamedByFlow) => Effect.Effect<NamedFacts, never, Transaction>
    /**
     * As `lock`, with everything that activation depends on. Until the transaction ends, none of the emails, templates,
     * lists, fields and tents that the flow names is deleted, archived or loses its approval.
     */
    readonly lockForActivation: (
      workspace: WorkspaceId,
      id: FlowId,
    ) => Effect.Effect<{ readonly flow: Flow; readonly facts: ActivationFacts }, NotFound, Transaction>
    /**
     * Writes the flow, the change's email, what happens to unsent messages, and the events. With a deleted flow it deletes the
     * emails that its steps created, except those that something else sends. Dies if the flow is no longer the change's
     * `before`: lock before you decide.
     */
    readonly apply: (workspace: WorkspaceId, change: FlowChange) => Effect.Effect<void, never, Transaction>
    /** Records that a step created this email. It can't change while the flow is active, and is deleted with the flow. */
    readonly link: (
      workspace: WorkspaceId,
      made: { readonly flowId: FlowId; readonly stepId: StepId; readonly emailId: EmailId },
    ) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/FlowStore") {}
