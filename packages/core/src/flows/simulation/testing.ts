// Test helpers for authors of flows, for any test runner: a flow and a contact as sent to the API, a virtual clock, and
// expectations that throw. Nothing is sent, and a simulated year takes milliseconds.
//
//     simulate(flow, { email: "ann@example.com", first_name: "Ann" })
//       .when("hello", "opened", "2 hours")
//       .after("7 days")
//       .expect({ status: "waiting", step: "second_pause", emails: ["hello", "reminder"] })
import { DateTime, Result } from "effect"
import { blankContact, type Contact } from "../../contacts/Contact.ts"
import type { ValueType } from "../../contacts/ContactFields.ts"
import { patchContact } from "../../contacts/ContactPatch.ts"
import type { CustomField } from "../../contacts/CustomField.ts"
import { fieldsByName, readPatch } from "../../contacts/batch/ContactItem.ts"
import { ContactId, EmailId, EmailTemplateId, FieldDefinitionId, FlowId, type ListId } from "../../kernel/Ids.ts"
import type { Flow } from "../definition/Flow.ts"
import { readStructure } from "../definition/FlowInput.ts"
import type { FlowTokens } from "../../rendering/MergeTokens.ts"
import { currentStepOf, type MemberStatus, type TimelineEntry } from "../members/Membership.ts"
import { namedByFlow } from "../definition/FlowReferences.ts"
import type { SimulationFacts } from "../definition/CompiledFlow.ts"
import { type SimulatedEvent, type Simulation, simulate as run } from "./Simulate.ts"
import { endOf, type StepId, type Duration, waitUnits } from "../definition/Step.ts"

/** A custom field, as flows need it. */
export interface TestField {
  readonly field_definition_id: string
  readonly api_name: string
  readonly value_type: ValueType
}

export interface World {
  /** The custom fields that the flow or the contact names. */
  readonly fields?: ReadonlyArray<TestField>
  /** The contact's static lists. */
  readonly lists?: ReadonlyArray<ListId>
  /** Subjects by the email's or the template's id. */
  readonly subjects?: Readonly<Record<string, string>>
  readonly tokens?: FlowTokens
  /** When the contact enters. */
  readonly from?: string
  readonly workspaceName?: string
}

/** The expected state. A key that is left out is not checked. */
export interface Expectation {
  readonly status?: MemberStatus
  /** The member's step, or the one at which the membership ended early; null after completion. */
  readonly step?: StepId | null
  /** The steps whose messages were sent, in order. */
  readonly emails?: ReadonlyArray<StepId>
  /** Their subjects, in order. */
  readonly subjects?: ReadonlyArray<string>
  readonly dropReason?: string
}

/** Thrown when an expectation is not met. */
export class FlowExpectationError extends Error {
  override readonly name = "FlowExpectationError"
}

const id = "00000000-0000-4000-8000-000000000000"

/**
 * Starts a simulation. `flow` is the body of a POST to `/v1/email-flows`, `contact` an item of a POST to `/v1/contacts`.
 *
 * @throws when either can't be decoded, with every issue.
 */
export const simulate = (flow: object, contact: object, world: World = {}): SimulatedMember => {
  const from = DateTime.makeUnsafe(world.from ?? "2026-01-01T09:00:00.000Z")
  const { name, description: _description, ...parts } = { name: "Flow", description: null, ...flow }
  const read = readStructure(parts)
  if (Result.isFailure(read)) throw new Error(`the flow can't be read: ${read.failure.message}`)
  const draft: Flow = {
    id: FlowId.make(id),
    name: String(name),
    description: null,
    structure: read.success,
    revision: 1,
    lifecycle: { status: "draft" },
    createdAt: from,
    updatedAt: from,
  }
  return new SimulatedMember({
    flow: draft,
    contact: contactOf(contact, world, from),
    facts: factsOf(draft, world),
    world,
    now: from,
    events: [],
  })
}

const contactOf = (contact: object, { fields = [] }: World, from: DateTime.Utc): Contact => {
  const patch = readPatch(contact, {
    values: "json",
    fields: fieldsByName(fields.map(fieldOf)),
    defaultCountry: "US",
    allowNotEditable: true,
  })
  if (Result.isFailure(patch)) throw new Error(`the contact can't be read: ${patch.failure.message}`)
  return patchContact(blankContact(ContactId.make(id), from), patch.success, from)
}

const fieldOf = ({ field_definition_id, api_name, value_type }: TestField): CustomField => ({
  id: FieldDefinitionId.make(field_definition_id),
  apiName: api_name,
  displayName: api_name,
  valueType: value_type,
  isEditable: true,
  description: null,
  status: "active",
  managementMode: "org_managed",
  provenanceKind: "api",
  provenanceProvider: null,
  provenanceReference: null,
  createdByUserId: null,
  createdFromImportSessionId: null,
  showInPeopleListDefault: false,
  createdAt: anytime,
  updatedAt: anytime,
})

const anytime = DateTime.makeUnsafe(0)

const factsOf = (
  { structure }: Flow,
  { fields = [], lists = [], subjects = {}, workspaceName = "" }: World,
): SimulationFacts => {
  const named = namedByFlow(structure)
  const known = Object.entries(subjects)
  return {
    fields: fields.map(fieldOf),
    staticLists: new Set([...named.lists, ...lists]),
    topics: new Set(named.topics),
    subjects: new Map(known.map(([of, subject]) => [EmailId.make(of), subject])),
    templateSubjects: new Map(known.map(([of, subject]) => [EmailTemplateId.make(of), subject])),
    workspaceName,
  }
}

interface Simulated {
  readonly flow: Flow
  readonly contact: Contact
  readonly facts: SimulationFacts
  readonly world: World
  readonly now: DateTime.Utc
  readonly events: ReadonlyArray<SimulatedEvent>
}

/** Immutable: each call returns a new one, so that one beginning can continue in different ways. */
export class SimulatedMember {
  readonly #simulated: Simulated

  constructor(simulated: Simulated) {
    this.#simulated = simulated
  }

  /** The contact's reaction to each message of the step, and its delay after sending: `.when("hello", "clicked", "1 day")`. */
  when(stepId: StepId, metric: SimulatedEvent["metric"], after: string): SimulatedMember {
    const events = [...this.#simulated.events, { stepId, metric, after: parseDuration(after) }]
    return new SimulatedMember({ ...this.#simulated, events })
  }

  /** Moves the clock: `.after("7 days")`. */
  after(time: string): SimulatedMember {
    const { now } = this.#simulated
    return new SimulatedMember({ ...this.#simulated, now: endOf(now, parseDuration(time)) ?? now })
  }

  /** The result so far. */
  get result(): Simulation {
    const { contact, events, facts, flow, now: until, world } = this.#simulated
    const { tokens = {}, lists = [] } = world
    const simulated = { contact, lists: new Set(lists), topics: new Map(), activities: [], suppression: null }
    const simulation = run(flow, facts, simulated, { tokens, events, from: contact.createdAt, until })
    if (Result.isFailure(simulation))
      throw new Error(`the contact does not enter the flow: ${simulation.failure.message}`)
    return simulation.success
  }

  /**
   * Returns itself if all expectations are met.
   *
   * @throws FlowExpectationError with the differences and the timeline.
   */
  expect(expected: Expectation): SimulatedMember {
    const { result } = this
    const { state } = result.member
    const actual: Required<Expectation> = {
      status: state.status,
      step: currentStepOf(state),
      emails: result.emails.map(({ stepId }) => stepId),
      subjects: result.emails.map(({ subject }) => subject),
      dropReason: state.status === "dropped" ? state.reason : "",
    }
    const wrong = expectations.filter((part) => part in expected && !same(expected[part], actual[part]))
    if (wrong.length === 0) return this
    const lines = wrong.map((part) => `  ${part}: expected ${shown(expected[part])}, got ${shown(actual[part])}`)
    const timeline = result.timeline.map((entry) => `  ${line(entry)}`)
    throw new FlowExpectationError(
      [
        `At ${DateTime.formatIso(this.#simulated.now)} the flow is in another state:`,
        ...lines,
        "Timeline:",
        ...timeline,
      ].join("\n"),
    )
  }
}

const expectations = ["status", "step", "emails", "subjects", "dropReason"] as const

const shown = (value: unknown): string => JSON.stringify(value)

const same = (left: unknown, right: unknown): boolean => shown(left) === shown(right)

const line = ({ at, type, stepId, metadata }: TimelineEntry): string => {
  const reason = metadata["reason"]
  const words = [DateTime.formatIso(at), type, stepId ?? "", typeof reason === "string" ? `(${reason})` : ""]
  return words.filter((word) => word !== "").join(" ")
}

/** Parses `7 days`, `1 hour`. */
const parseDuration = (text: string): SimulatedEvent["after"] & Duration => {
  const [, amount = "", word = ""] = /^(\d+) ([a-z]+)$/.exec(text.trim()) ?? []
  const unit = waitUnits.find((each) => each === word || each === `${word}s`)
  if (unit === undefined)
    throw new Error(`"${text}" is not a duration: write a number and one of ${waitUnits.join(", ")}`)
  return { amount: Number(amount), unit }
}
