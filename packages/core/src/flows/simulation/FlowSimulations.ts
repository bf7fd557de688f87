// The use case that simulates a flow for an existing or an invented contact. Nothing is sent or stored.
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
import { treesOf } from "../definition/Flow.ts"
import type { Structure } from "../definition/FlowSchema.ts"
import type { FlowNotReady } from "../definition/FlowErrors.ts"
import { FlowStore } from "../definition/FlowStore.ts"
import { below } from "../../kernel/Decoding.ts"
import { namedByFlow } from "../definition/FlowReferences.ts"
import { startSimulation, type RunningSimulation, type SimulatedContact, type Simulation } from "./Simulate.ts"
import { readSimulation } from "./SimulationInput.ts"

/** The id, and the country of phone numbers without a country code. */
export type SimulationWorkspace = Pick<Workspace, "id" | "defaultCountry">

export class FlowSimulations extends Context.Service<
  FlowSimulations,
  {
    /** Works for a flow in any status. The body is JSON: a refusal reports every issue. */
    readonly run: (
      workspace: SimulationWorkspace,
      id: FlowId,
      body: unknown,
    ) => Effect.Effect<Simulation, NotFound | TokenRefusal | EntryRefusal | FlowNotReady>
  }
>()("tentpole/FlowSimulations") {
  static readonly layer = Layer.effect(
    FlowSimulations,
    Effect.gen(function* () {
      const store = yield* FlowStore
      const contacts = yield* ContactStore
      const segments = yield* SegmentStore
      const fieldStore = yield* ContactFieldStore
      const ids = yield* Ids
      const { transact } = yield* Transactor

      const storedContact = Effect.fnUntraced(function* (
        workspace: SimulationWorkspace,
        id: ContactId,
        structure: Structure,
      ) {
        const contact = yield* contacts
          .get(workspace.id, id)
          .pipe(Effect.catchTag("NotFound", (error) => error.at("contact_id")))
        const [subject] = yield* segments.subjects(workspace.id, [contact], ruleConditionsOf(structure))
        return {
          contact,
          lists: subject?.lists ?? new Set(),
          topics: subject?.topics ?? new Map(),
          activities: subject?.activities ?? [],
        }
      })

      const inventedContact = Effect.fnUntraced(function* ({ id, defaultCountry }: SimulationWorkspace, contact: Json) {
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
        const invented: Contact = patchContact(blank, patch.success, blank.createdAt)
        return { contact: invented, lists: new Set<never>(), topics: new Map(), activities: [] }
      })

      /** One transaction for all queries, because each transaction costs as much as a query. */
      const start = Effect.fnUntraced(function* (workspace: SimulationWorkspace, id: FlowId, body: unknown) {
        const { flow } = yield* store.get(workspace.id, id)
        const { who, request } = yield* Effect.fromResult(readSimulation(flow.structure, body, yield* DateTime.now))
        const simulated: Omit<SimulatedContact, "suppression"> = yield* "contactId" in who
          ? storedContact(workspace, who.contactId, flow.structure)
          : inventedContact(workspace, who.contact)
        const named = namedByFlow(flow.structure)
        const { emailNormalized } = simulated.contact
        const { facts, suppression } = yield* store.simulationFacts(workspace.id, { named, emailNormalized })
        return yield* Effect.fromResult(startSimulation(flow, facts, { ...simulated, suppression }, request))
      }, transact)

      return FlowSimulations.of({
        run: Effect.fn("FlowSimulations.run")(function* (workspace, id, body) {
          return yield* runInChunks(yield* start(workspace, id, body))
        }),
      })
    }),
  )
}

/** A simulation may take seconds of CPU time: it yields after each chunk of entries. */
const entries_at_once = 100
const simulation_time_max_ms = 5_000

const runInChunks = Effect.fnUntraced(function* (simulation: RunningSimulation) {
  const started_ms = yield* Clock.currentTimeMillis
  while (!simulation.advance(entries_at_once)) {
    if ((yield* Clock.currentTimeMillis) - started_ms > simulation_time_max_ms) {
      return yield* Invalid.at("until", "is too far ahead: the simulation up to it takes too long")
    }
    yield* Effect.yieldNow
  }
  return simulation.result
})

/** All conditions of the flow on facts besides contact fields, as one rule tree. */
const ruleConditionsOf = (structure: Structure): RuleTree => ({
  kind: "group",
  operator: "and",
  conditions: treesOf(structure)
    .flatMap((tree) => conditionsOf(tree))
    .filter((each): each is RuleCondition => each.source !== "email_step"),
})
