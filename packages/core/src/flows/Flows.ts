// The use cases of flows: create, edit as a whole or step by step, activate, pause, archive, delete, count members by step.
// Request bodies are JSON: this service decodes them, so that one answer reports every issue with its path.
import { Context, DateTime, Effect, Layer, Result } from "effect"
import { emailChooser, type EmailChoice } from "../emails/NewEmail.ts"
import type { HtmlTooLarge, TemplateNotApproved } from "../documents/DocumentErrors.ts"
import { FlowId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import type { Paged } from "../kernel/Page.ts"
import type { Invalid, InvalidState, NotFound } from "../kernel/Refusal.ts"
import { type Transaction, Transactor } from "../kernel/changes/Transactor.ts"
import { type Flow, type FlowStatus, flowStatuses } from "./definition/Flow.ts"
import { createFlow, decide, type FlowEvent } from "./definition/machine.ts"
import {
  toDraft,
  type Draft,
  fieldNamesOf,
  resolveDraft,
  type FlowPatch,
  type InputRefusal,
  readFlowPatch,
  readNewFlow,
  readReplacement,
} from "./definition/FlowInput.ts"
import type { FlowNotReady, PaidPlanRequired, StepReferenced, StepTypeInvalid } from "./definition/FlowErrors.ts"
import type { NamedFields } from "../segments/Parse.ts"
import { RuleFactsStore } from "../segments/RuleFacts.ts"
import { type FlowQuery, FlowStore, type FlowView } from "./definition/FlowStore.ts"
import { namedBy, namedByFlow } from "./definition/FlowReferences.ts"
import { type FlowReadiness, flowReadiness } from "./definition/Readiness.ts"
import type { Structure } from "./definition/FlowSchema.ts"
import type { StepId } from "./definition/Step.ts"
import { insertStep, patchStep, readRepair, removeStep, setStepEmail } from "./definition/StepEdits.ts"

/** The filter of a listing. Archived flows are listed only if `status` or `archived` names them. */
export interface FlowStatusFilter {
  readonly status: FlowStatus | "any" | null
  /** Null: the status decides. */
  readonly archived: boolean | "any" | null
}

export type FlowListing = Omit<FlowQuery, "statuses"> & FlowStatusFilter

/** A flow and the number of its live members at each step. */
export interface FlowStepCounts {
  readonly flow: Flow
  readonly counts: ReadonlyMap<StepId, number>
}

/** Whether the flow could be activated now. */
export interface FlowReadinessView extends FlowReadiness {
  readonly needsPaidPlan: boolean
}

type ChangeResult<Refusal = never> = Effect.Effect<FlowView, Refusal | NotFound | InvalidState>
type EditResult<Refusal = InputRefusal> = ChangeResult<Refusal>

export class Flows extends Context.Service<
  Flows,
  {
    readonly create: (workspace: WorkspaceId, body: unknown) => Effect.Effect<FlowView, InputRefusal>
    readonly get: (workspace: WorkspaceId, id: FlowId) => Effect.Effect<FlowView, NotFound>
    readonly list: (workspace: WorkspaceId, listing: FlowListing) => Effect.Effect<Paged<FlowView>>
    readonly update: (workspace: WorkspaceId, id: FlowId, body: unknown) => EditResult
    /** Deletes the emails that its steps created, too. */
    readonly delete: (workspace: WorkspaceId, id: FlowId) => Effect.Effect<void, NotFound | InvalidState>
    /** Takes the body `{triggers}` or `{steps}`: a full replacement. */
    readonly replace: (workspace: WorkspaceId, id: FlowId, part: "triggers" | "steps", body: unknown) => EditResult
    readonly insertStep: (workspace: WorkspaceId, id: FlowId, body: unknown) => EditResult
    readonly updateStep: (workspace: WorkspaceId, id: FlowId, stepId: StepId, body: unknown) => EditResult
    readonly deleteStep: (
      workspace: WorkspaceId,
      id: FlowId,
      stepId: StepId,
      body: unknown,
    ) => EditResult<Invalid | StepReferenced>
    /** `by` is the name of the creator, for an inline email. */
    readonly setStepEmail: (
      workspace: WorkspaceId,
      id: FlowId,
      at: { readonly stepId: StepId; readonly choice: EmailChoice; readonly by: string },
    ) => EditResult<Invalid | StepTypeInvalid | HtmlTooLarge | TemplateNotApproved>
    readonly activate: (workspace: WorkspaceId, id: FlowId) => ChangeResult<PaidPlanRequired | FlowNotReady>
    readonly pause: (workspace: WorkspaceId, id: FlowId) => ChangeResult
    readonly archive: (workspace: WorkspaceId, id: FlowId) => ChangeResult
    readonly getStepCounts: (workspace: WorkspaceId, id: FlowId) => Effect.Effect<FlowStepCounts, NotFound>
    readonly getReadiness: (workspace: WorkspaceId, id: FlowId) => Effect.Effect<FlowReadinessView, NotFound>
  }
>()("tentpole/Flows") {
  static readonly layer = Layer.effect(
    Flows,
    Effect.gen(function* () {
      const store = yield* FlowStore
      const ids = yield* Ids
      const emails = yield* emailChooser
      const { transact } = yield* Transactor
      const ruleFacts = yield* RuleFactsStore

      const fieldsNamedIn = Effect.fnUntraced(function* (workspace: WorkspaceId, body: unknown) {
        const fieldNames = fieldNamesOf(body)
        return fieldNames.length === 0
          ? []
          : (yield* ruleFacts.of(workspace, { fields: [], lists: [], fieldNames })).fields
      })

      /** Decides the event and writes the change. */
      const write = Effect.fnUntraced(function* <T extends FlowEvent["_tag"]>(
        workspace: WorkspaceId,
        before: Flow,
        event: FlowEvent<T>,
      ) {
        const change = yield* Effect.fromResult(decide(before, event, yield* DateTime.now))
        if (change.before !== change.after) yield* store.apply(workspace, change)
      })

      /** Returns the flow after the transaction. */
      const viewAfter = <E>(workspace: WorkspaceId, id: FlowId, body: Effect.Effect<unknown, E, Transaction>) =>
        Effect.andThen(transact(body), store.get(workspace, id))

      /** Locks the flow, decodes the body against it and writes the edit. */
      const edit = <Refusal>(
        workspace: WorkspaceId,
        id: FlowId,
        body: unknown,
        read: (flow: Flow, fields: NamedFields) => Draft<FlowPatch, Refusal>,
      ) =>
        viewAfter(
          workspace,
          id,
          Effect.gen(function* () {
            const before = yield* store.lock(workspace, id)
            const draft = read(before, yield* fieldsNamedIn(workspace, body))
            const named = yield* store.lockNamed(workspace, namedBy(draft.pieces))
            const patch = yield* Effect.fromResult(resolveDraft(draft, named))
            yield* write(workspace, before, { _tag: "edit", patch })
          }),
        )

      const editStructure = <Refusal>(
        workspace: WorkspaceId,
        id: FlowId,
        body: unknown,
        read: (structure: Structure, fields: NamedFields) => Draft<Structure, Refusal>,
      ) => edit(workspace, id, body, ({ structure }, fields) => asPatch(read(structure, fields)))

      const transition = (workspace: WorkspaceId, id: FlowId, _tag: "pause" | "archive" | "delete") =>
        Effect.flatMap(store.lock(workspace, id), (before) => write(workspace, before, { _tag }))

      const create = Effect.fnUntraced(function* (workspace: WorkspaceId, body: unknown) {
        const draft = readNewFlow(body, yield* fieldsNamedIn(workspace, body))
        const named = yield* store.lockNamed(workspace, namedBy(draft.pieces))
        const input = yield* Effect.fromResult(resolveDraft(draft, named))
        const id = FlowId.make(yield* ids.next)
        yield* store.apply(workspace, createFlow(id, input, yield* DateTime.now))
        return id
      }, transact)

      return Flows.of({
        create: Effect.fn("Flows.create")(function* (workspace, body) {
          return yield* Effect.orDie(store.get(workspace, yield* create(workspace, body)))
        }),

        get: Effect.fn("Flows.get")(store.get),

        list: Effect.fn("Flows.list")((workspace, { status, archived: shown, ...query }) =>
          store.list(workspace, { ...query, statuses: listedStatuses({ status, archived: shown }) }),
        ),

        update: Effect.fn("Flows.update")((workspace, id, body) =>
          edit(workspace, id, body, (_, fields) => readFlowPatch(body, fields)),
        ),

        delete: Effect.fn("Flows.delete")((workspace, id) => transact(transition(workspace, id, "delete"))),

        replace: Effect.fn("Flows.replace")((workspace, id, part, body) =>
          edit(workspace, id, body, (_, fields) => readReplacement(part, body, fields)),
        ),

        insertStep: Effect.fn("Flows.insertStep")((workspace, id, body) =>
          editStructure(workspace, id, body, (structure, fields) => insertStep(structure, body, fields)),
        ),

        updateStep: Effect.fn("Flows.updateStep")((workspace, id, stepId, body) =>
          editStructure(workspace, id, body, (structure, fields) => patchStep(structure, stepId, body, fields)),
        ),

        deleteStep: Effect.fn("Flows.deleteStep")(function* (workspace, id, stepId, body) {
          const repair = yield* Effect.fromResult(readRepair(body))
          return yield* editStructure(workspace, id, body, (structure) =>
            toDraft(() => removeStep(structure, stepId, repair)),
          )
        }),

        setStepEmail: Effect.fn("Flows.setStepEmail")(function* (workspace, id, { stepId, choice, by }) {
          const cleaned = yield* emails.clean(workspace, choice)
          return yield* viewAfter(
            workspace,
            id,
            Effect.gen(function* () {
              const before = yield* store.lock(workspace, id)
              const { change, ...email } = yield* emails.choose(workspace, before, cleaned, by)
              const structure = yield* Effect.fromResult(setStepEmail(before.structure, stepId, email))
              yield* write(workspace, before, { _tag: "edit", patch: { structure }, email: change })
            }),
          )
        }),

        activate: Effect.fn("Flows.activate")((workspace, id) =>
          viewAfter(
            workspace,
            id,
            Effect.flatMap(store.lockForActivation(workspace, id), ({ flow, facts }) =>
              write(workspace, flow, { _tag: "activate", facts }),
            ),
          ),
        ),

        pause: Effect.fn("Flows.pause")((workspace, id) =>
          viewAfter(workspace, id, transition(workspace, id, "pause")),
        ),

        archive: Effect.fn("Flows.archive")((workspace, id) =>
          viewAfter(workspace, id, transition(workspace, id, "archive")),
        ),

        getStepCounts: Effect.fn("Flows.getStepCounts")(function* (workspace, id) {
          const { flow } = yield* store.get(workspace, id)
          return { flow, counts: yield* store.stepCounts(workspace, id) }
        }),

        getReadiness: Effect.fn("Flows.getReadiness")(function* (workspace, id) {
          const { structure } = (yield* store.get(workspace, id)).flow
          const facts = yield* store.activationFacts(workspace, namedByFlow(structure))
          return { ...flowReadiness(structure, facts), needsPaidPlan: !facts.plan.flows }
        }),
      })
    }),
  )
}

const asPatch = <Refusal>(draft: Draft<Flow["structure"], Refusal>): Draft<FlowPatch, Refusal> => ({
  ...draft,
  build: () => Result.map(draft.build(), (structure) => ({ structure })),
})

/** The statuses that a listing shows: those that `status` and `archived` both allow. */
export const listedStatuses = ({ status, archived }: FlowStatusFilter): ReadonlyArray<FlowStatus> => {
  const includesArchived = status === "any" || status === "archived"
  const shown = archived ?? (includesArchived ? "any" : false)
  return flowStatuses.filter(
    (each) =>
      (status === null || status === "any" || status === each) && (shown === "any" || shown === (each === "archived")),
  )
}
