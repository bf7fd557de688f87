// Tries a flow out for somebody of the workspace or for somebody made up. Nothing is sent and nothing is written.
import { Clock, Context, DateTime, Effect, Layer, Result } from "effect"
import { blankContact, type Contact } from "../../contacts/Contact.ts"
import { ContactFieldStore } from "../../contacts/ContactFieldStore.ts"
import { patchContact } from "../../contacts/ContactPatch.ts"
import { ContactStore } from "../../contacts/ContactStore.ts"
import { fieldsByName, readPatch } from "../../contacts/batch/ContactItem.ts"
import { ContactId, type FlowId, Ids } from "../../kernel/Ids.ts"
import { Invalid, NotFound } from "../../kernel/Refusal.ts"
import { conditionsOf, type Json, type RuleCondition, type RuleTree } from "../../segments/RuleTree.ts"
import { SegmentStore } from "../../segments/SegmentStore.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import type { Workspace } from "../../workspaces/Workspace.ts"
import type { EntryRefusal } from "../members/Enrollment.ts"
import type { TokenRefusal } from "../members/EntryTokens.ts"
import type { Structure } from "../definition/FlowSchema.ts"
import type { FlowNotReady } from "../definition/FlowErrors.ts"
import { FlowStore } from "../definition/FlowStore.ts"
import { below } from "../../kernel/Decoding.ts"
import { namedByFlow } from "../definition/FlowReferences.ts"
import { beginSimulation, type RunningSimulation, type SimulatedPerson, type Simulation } from "./Simulate.ts"
import { readSimulation } from "./SimulationInput.ts"

/** As far as trials care: whose they are, and what a phone number without country code is read by. */
export type TrialWorkspace = Pick<Workspace, "id" | "defaultCountry">

export class FlowSimulations extends Context.Service<
  FlowSimulations,
  {
    /** Of a flow in whatever status. The body is JSON: all that is wrong with it is told at once. */
    readonly run: (
      workspace: TrialWorkspace,
      id: FlowId,
      body: unknown,
    ) => Effect.Effect<Simulation, NotFound | TokenRefusal | EntryRefusal | FlowNotReady>
  }
>()("tentpole/FlowTrials") {
  static readonly layer = Layer.effect(
    FlowSimulations,
    Effect.gen(function* () {
      const store = yield* FlowStore
      const contacts = yield* ContactStore
      const segments = yield* SegmentStore
      const fieldStore = yield* ContactFieldStore
      const ids = yield* Ids
      const { transact } = yield* Transactor

      const stored = Effect.fnUntraced(function* (ws: TrialWorkspace, id: ContactId, structure: Structure) {
        const contact = yield* contacts
          .get(ws.id, id)
          .pipe(Effect.catchTag("NotFound", () => new NotFound({ resource: "contact", path: "contact_id" })))
        const [subject] = yield* segments.subjects(ws.id, [contact], asked(structure))
        return { contact, lists: subject?.lists ?? new Set(), activities: subject?.activities ?? [] }
      })

      const madeUp = Effect.fnUntraced(function* ({ id, defaultCountry }: TrialWorkspace, contact: Json) {
        const fields = fieldsByName(yield* fieldStore.list(id))
        const patch = readPatch(contact, { values: "json", fields, defaultCountry, allowNotEditable: true })
        if (Result.isFailure(patch)) {
          const issues = patch.failure.issues.map(({ path, message }) => ({
            path: path === "" ? "contact" : below("contact", path),
            message,
          }))
          return yield* new Invalid({ issues })
        }
        const blank = blankContact(ContactId.make(yield* ids.next), yield* DateTime.now)
        const made: Contact = patchContact(blank, patch.success, blank.createdAt)
        return { contact: made, lists: new Set<never>(), activities: [] }
      })

      /** One transaction for all readings: beginning and ending one costs as much as a reading. */
      const begun = Effect.fnUntraced(function* (workspace: TrialWorkspace, id: FlowId, body: unknown) {
        const { flow } = yield* store.get(workspace.id, id)
        const { who, request } = yield* Effect.fromResult(readSimulation(flow.structure, body, yield* DateTime.now))
        const person: Omit<SimulatedPerson, "suppression"> = yield* "contactId" in who
          ? stored(workspace, who.contactId, flow.structure)
          : madeUp(workspace, who.contact)
        const named = namedByFlow(flow.structure)
        const { emailNormalized } = person.contact
        const { facts, suppression } = yield* store.trialFacts(workspace.id, { named, emailNormalized })
        return yield* Effect.fromResult(beginSimulation(flow, facts, { ...person, suppression }, request))
      }, transact)

      return FlowSimulations.of({
        run: Effect.fn("FlowTrials.run")(function* (workspace, id, body) {
          return yield* patiently(yield* begun(workspace, id, body))
        }),
      })
    }),
  )
}

/** Between them others get their turn: all of a simulation may take seconds. */
const entries_at_once = 100
const simulation_time_max_ms = 5_000

const patiently = Effect.fnUntraced(function* (simulation: RunningSimulation) {
  const began_ms = yield* Clock.currentTimeMillis
  while (!simulation.goOn(entries_at_once)) {
    if ((yield* Clock.currentTimeMillis) - began_ms > simulation_time_max_ms) {
      return yield* Invalid.at("until", "is too far off: what happens until then takes too long to be worked out")
    }
    yield* Effect.yieldNow
  }
  return simulation.result
})

/** Everything that the flow may ask of a contact besides their fields, as the one tree that it would be. */
const asked = ({ steps, disqualification_rules }: Structure): RuleTree => ({
  kind: "group",
  operator: "and",
  conditions: [
    ...steps
      .flatMap((step) => ("condition" in step && step.condition !== null ? conditionsOf(step.condition) : []))
      .filter((each): each is RuleCondition => each.source !== "email_step"),
    ...(disqualification_rules === null ? [] : conditionsOf(disqualification_rules)),
  ],
})
