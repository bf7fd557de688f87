// What can be done with flows: written as a whole or step by step, activated, paused, put away, drawn and tried out. Bodies are
// JSON: the room reads them itself, so that all that is wrong with one is told at once, each with its path.
import { Context, DateTime, Effect, Layer, Result } from "effect"
import { emailChooser, type EmailChoice } from "../emails/EmailChoice.ts"
import type { HtmlTooLarge, TemplateNotApproved } from "../documents/DocumentErrors.ts"
import { FlowId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import type { Paged } from "../kernel/Page.ts"
import type { Invalid, InvalidState, NotFound } from "../kernel/Refusal.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { type Flow, type FlowStatus, flowStatuses } from "./definition/Flow.ts"
import { createFlow, decide, type FlowChange } from "./definition/machine.ts"
import {
  decided,
  type Draft,
  finish,
  type FlowPatch,
  type InputRefusal,
  readFlowPatch,
  readNewFlow,
  readReplacement,
} from "./definition/FlowInput.ts"
import type { FlowNotReady, PaidPlanRequired, StepReferenced, StepTypeInvalid } from "./definition/FlowErrors.ts"
import { type FlowQuery, FlowStore, type FlowView } from "./definition/FlowStore.ts"
import { namedBy } from "./definition/FlowReferences.ts"
import type { StepId } from "./definition/Step.ts"
import { insertStep, patchStep, readRepair, removeStep, setStepEmail } from "./definition/StepEdits.ts"

/** Which flows a listing shows; those that are archived have to be asked for, by one or the other. */
export interface Shown {
  readonly status: FlowStatus | "any" | null
  /** Null: as the status asks. */
  readonly archived: boolean | "any" | null
}

export type FlowListing = Omit<FlowQuery, "statuses"> & Shown

/** A flow with how many members stand at each of its steps. */
export interface CountedFlow {
  readonly flow: Flow
  readonly counts: ReadonlyMap<StepId, number>
}

type Edited<Refusal = InputRefusal> = Effect.Effect<FlowView, Refusal | NotFound | InvalidState>
type Moved<Refusal = never> = Effect.Effect<FlowView, Refusal | NotFound | InvalidState>

export class Flows extends Context.Service<
  Flows,
  {
    readonly create: (ws: WorkspaceId, body: unknown) => Effect.Effect<FlowView, InputRefusal>
    readonly get: (ws: WorkspaceId, id: FlowId) => Effect.Effect<FlowView, NotFound>
    readonly list: (ws: WorkspaceId, listing: FlowListing) => Effect.Effect<Paged<FlowView>>
    readonly update: (ws: WorkspaceId, id: FlowId, body: unknown) => Edited
    /** The emails that its steps have made go with it. */
    readonly delete: (ws: WorkspaceId, id: FlowId) => Effect.Effect<void, NotFound | InvalidState>
    /** `{triggers}` or `{steps}`: a full replacement. */
    readonly replace: (ws: WorkspaceId, id: FlowId, part: "triggers" | "steps", body: unknown) => Edited
    readonly insertStep: (ws: WorkspaceId, id: FlowId, body: unknown) => Edited
    readonly updateStep: (ws: WorkspaceId, id: FlowId, stepId: StepId, body: unknown) => Edited
    readonly deleteStep: (
      ws: WorkspaceId,
      id: FlowId,
      stepId: StepId,
      body: unknown,
    ) => Edited<Invalid | StepReferenced>
    /** `by`: who is named as the maker of an inline email. */
    readonly setStepEmail: (
      ws: WorkspaceId,
      id: FlowId,
      at: { readonly stepId: StepId; readonly choice: EmailChoice; readonly by: string },
    ) => Edited<Invalid | StepTypeInvalid | HtmlTooLarge | TemplateNotApproved>
    readonly activate: (ws: WorkspaceId, id: FlowId) => Moved<PaidPlanRequired | FlowNotReady>
    readonly pause: (ws: WorkspaceId, id: FlowId) => Moved
    readonly archive: (ws: WorkspaceId, id: FlowId) => Moved
    readonly counted: (ws: WorkspaceId, id: FlowId) => Effect.Effect<CountedFlow, NotFound>
  }
>()("tentpole/Flows") {
  static readonly layer = Layer.effect(
    Flows,
    Effect.gen(function* () {
      const store = yield* FlowStore
      const ids = yield* Ids
      const emails = yield* emailChooser
      const { transact } = yield* Transactor
      const write = (ws: WorkspaceId, change: FlowChange) =>
        change.before === change.after ? Effect.void : store.apply(ws, change)

      /** What the body makes of the flow, which nobody else changes meanwhile. */
      const edited = <Refusal>(read: (flow: Flow) => Draft<FlowPatch, Refusal>) =>
        Effect.fnUntraced(function* (ws: WorkspaceId, id: FlowId) {
          const before = yield* store.lock(ws, id)
          const draft = read(before)
          const named = yield* store.lockNamed(ws, namedBy(draft.pieces))
          const patch = yield* Effect.fromResult(finish(draft, named))
          yield* write(ws, yield* Effect.fromResult(decide(before, { _tag: "edit", patch }, yield* DateTime.now)))
        }, transact)

      const moved = (_tag: "pause" | "archive" | "delete") =>
        Effect.fnUntraced(function* (ws: WorkspaceId, id: FlowId) {
          const before = yield* store.lock(ws, id)
          yield* write(ws, yield* Effect.fromResult(decide(before, { _tag }, yield* DateTime.now)))
        }, transact)

      const paused = moved("pause")
      const archived = moved("archive")
      const deleted = moved("delete")

      const activated = Effect.fnUntraced(function* (ws: WorkspaceId, id: FlowId) {
        const { flow, facts } = yield* store.lockForActivation(ws, id)
        yield* write(ws, yield* Effect.fromResult(decide(flow, { _tag: "activate", facts }, yield* DateTime.now)))
      }, transact)

      const created = Effect.fnUntraced(function* (ws: WorkspaceId, body: unknown) {
        const draft = readNewFlow(body)
        const wanted = yield* Effect.fromResult(finish(draft, yield* store.lockNamed(ws, namedBy(draft.pieces))))
        const id = FlowId.make(yield* ids.next)
        yield* write(ws, createFlow(id, wanted, yield* DateTime.now))
        return id
      }, transact)

      const emailSet = Effect.fnUntraced(function* (
        ws: WorkspaceId,
        id: FlowId,
        { stepId, choice, by }: { readonly stepId: StepId; readonly choice: EmailChoice; readonly by: string },
      ) {
        const before = yield* store.lock(ws, id)
        const { change, ...email } = yield* emails.choose(ws, before, choice, by)
        const structure = yield* Effect.fromResult(setStepEmail(before.structure, stepId, email))
        const now = yield* DateTime.now
        const edit = { _tag: "edit", patch: { structure }, email: change } as const
        yield* write(ws, yield* Effect.fromResult(decide(before, edit, now)))
      }, transact)

      return Flows.of({
        create: Effect.fn("Flows.create")(function* (ws, body) {
          return yield* Effect.orDie(store.get(ws, yield* created(ws, body)))
        }),

        get: Effect.fn("Flows.get")(store.get),

        list: Effect.fn("Flows.list")((ws, { status, archived: shown, ...query }) =>
          store.list(ws, { ...query, statuses: statusesShown({ status, archived: shown }) }),
        ),

        update: Effect.fn("Flows.update")(function* (ws, id, body) {
          yield* edited(() => readFlowPatch(body))(ws, id)
          return yield* store.get(ws, id)
        }),

        delete: Effect.fn("Flows.delete")(deleted),

        replace: Effect.fn("Flows.replace")(function* (ws, id, part, body) {
          yield* edited(() => readReplacement(part, body))(ws, id)
          return yield* store.get(ws, id)
        }),

        insertStep: Effect.fn("Flows.insertStep")(function* (ws, id, body) {
          yield* edited(({ structure }) => asPatch(insertStep(structure, body)))(ws, id)
          return yield* store.get(ws, id)
        }),

        updateStep: Effect.fn("Flows.updateStep")(function* (ws, id, stepId, body) {
          yield* edited(({ structure }) => asPatch(patchStep(structure, stepId, body)))(ws, id)
          return yield* store.get(ws, id)
        }),

        deleteStep: Effect.fn("Flows.deleteStep")(function* (ws, id, stepId, body) {
          const repair = yield* Effect.fromResult(readRepair(body))
          yield* edited(({ structure }) => asPatch(decided(() => removeStep(structure, stepId, repair))))(ws, id)
          return yield* store.get(ws, id)
        }),

        setStepEmail: Effect.fn("Flows.setStepEmail")(function* (ws, id, { choice, ...at }) {
          yield* emailSet(ws, id, { ...at, choice: yield* emails.clean(choice) })
          return yield* store.get(ws, id)
        }),

        activate: Effect.fn("Flows.activate")(function* (ws, id) {
          yield* activated(ws, id)
          return yield* store.get(ws, id)
        }),

        pause: Effect.fn("Flows.pause")(function* (ws, id) {
          yield* paused(ws, id)
          return yield* store.get(ws, id)
        }),

        archive: Effect.fn("Flows.archive")(function* (ws, id) {
          yield* archived(ws, id)
          return yield* store.get(ws, id)
        }),

        counted: Effect.fn("Flows.counted")(function* (ws, id) {
          const { flow } = yield* store.get(ws, id)
          return { flow, counts: yield* store.stepCounts(ws, id) }
        }),
      })
    }),
  )
}

const asPatch = <Refusal>(draft: Draft<Flow["structure"], Refusal>): Draft<FlowPatch, Refusal> => ({
  ...draft,
  settle: () => Result.map(draft.settle(), (structure) => ({ structure })),
})

/** The statuses that a listing shows: what both of its questions allow. */
export const statusesShown = ({ status, archived }: Shown): ReadonlyArray<FlowStatus> => {
  const asksForArchived = status === "any" || status === "archived"
  const shown = archived ?? (asksForArchived ? "any" : false)
  return flowStatuses.filter(
    (each) =>
      (status === null || status === "any" || status === each) && (shown === "any" || shown === (each === "archived")),
  )
}
