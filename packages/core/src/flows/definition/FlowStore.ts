// The port to flows as they are written: their structure, where they are in their life, how many are in them, and what they
// name of other rooms. Their members are another port's.
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

/** Memberships by how they stand. Nobody is counted twice; all of them together are whoever has entered. */
export interface FlowTally {
  readonly active: number
  readonly waiting: number
  readonly completed: number
  readonly dropped: number
  readonly failed: number
  /** Null: nobody has entered yet. */
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
  /** In the name. Empty: everything. */
  readonly search: string
  readonly sortBy: FlowSort
  readonly sortOrder: SortOrder
}

/** What a trial run depends on besides the flow. */
export interface TrialFacts {
  readonly facts: SimulationFacts
  /** Of the address that was asked for. */
  readonly suppression: SuppressionReason | null
}

export class FlowStore extends Context.Service<
  FlowStore,
  {
    readonly get: (ws: WorkspaceId, id: FlowId) => Effect.Effect<FlowView, NotFound>
    /** Names by their folded form, ties by id. */
    readonly list: (ws: WorkspaceId, query: FlowQuery) => Effect.Effect<Paged<FlowView>>
    /** How many live members stand at each step; steps at which there is nobody may be left out. */
    readonly stepCounts: (ws: WorkspaceId, id: FlowId) => Effect.Effect<ReadonlyMap<StepId, number>>
    /** What is known of the structure's fields, lists, emails and templates, and of an address. */
    readonly trialFacts: (
      ws: WorkspaceId,
      asked: { readonly named: NamedByFlow; readonly emailNormalized: string | null },
    ) => Effect.Effect<TrialFacts>
    /** Holds the flow until the transaction ends. */
    readonly lock: (ws: WorkspaceId, id: FlowId) => Effect.Effect<Flow, NotFound, Transaction>
    /** Of what is named, what there is. Its lists are not deleted before the transaction ends. */
    readonly lockNamed: (ws: WorkspaceId, named: NamedByFlow) => Effect.Effect<NamedFacts, never, Transaction>
    /**
     * As `lock`, with everything that an activation depends on. Until the transaction ends, none of the emails, templates,
     * lists, fields and tents that the flow names is deleted, archived or loses its approval.
     */
    readonly lockForActivation: (
      ws: WorkspaceId,
      id: FlowId,
    ) => Effect.Effect<{ readonly flow: Flow; readonly facts: ActivationFacts }, NotFound, Transaction>
    /**
     * Writes the flow with the email that the change carries and its events. With a flow that goes, the emails go that its
     * steps have made, but for those that something else sends. A flow that is no longer what the change was decided on is a
     * defect: whoever decides, locks first.
     */
    readonly apply: (ws: WorkspaceId, change: FlowChange) => Effect.Effect<void, never, Transaction>
    /** Notes that a step has made this email: while the flow is active it stays as it is, and it goes with the flow. */
    readonly link: (
      ws: WorkspaceId,
      made: { readonly flowId: FlowId; readonly stepId: StepId; readonly emailId: EmailId },
    ) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/FlowStore") {}
