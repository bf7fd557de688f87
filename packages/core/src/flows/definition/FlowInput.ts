// Reads what people write of a flow: unknown JSON becomes a structure, or everything that is wrong with it, each with its
// path. A flow may be incomplete; what it needs to run is `Readiness.ts`'s to say.
import { Result } from "effect"
import { encodeText } from "../../kernel/Bytes.ts"
import { Invalid, type NotFound } from "../../kernel/Refusal.ts"
import { parseRules } from "../../segments/Parse.ts"
import { isObject, type RuleTree } from "../../segments/RuleTree.ts"
import {
  emptyStructure,
  flow_description_length_max,
  flow_name_length_max,
  reentryPolicies,
  type Settings,
  settings_size_bytes_max,
  steps_max,
  type Structure,
  triggers_max,
} from "./Flow.ts"
import { type FlowReading, noted, readingOf } from "./FlowReading.ts"
import { DuplicateStepId } from "./FlowErrors.ts"
import { below, JsonFields, note, objectAt } from "./JsonFields.ts"
import type { NamedFacts } from "./FlowReferences.ts"
import type { Step } from "./Step.ts"
import { readStep } from "./StepInput.ts"
import type { Trigger } from "./Trigger.ts"
import { readTrigger } from "./TriggerInput.ts"

export interface NewFlow {
  readonly name: string
  readonly description: string | null
  readonly structure: Structure
}

/** What is to change of a flow; a part that is absent stays. Triggers and steps are replaced as a whole. */
export interface FlowPatch {
  readonly name?: string
  /** Null clears. */
  readonly description?: string | null
  readonly structure: Partial<Structure>
}

export type InputRefusal = Invalid | NotFound | DuplicateStepId

/** Issues of the JSON itself come before ids of what is not there, and those before an id that stands twice. */
export const settle = <Value>(
  reading: FlowReading,
  value: Value,
  steps: ReadonlyArray<{ readonly step: Step; readonly path: string }> = [],
): Result.Result<Value, InputRefusal> => {
  if (reading.issues.length > 0) return Result.fail(new Invalid({ issues: reading.issues }))
  const [missing] = reading.missing
  if (missing !== undefined) return Result.fail(missing)
  const ids = new Set<string>()
  for (const { step, path } of steps) {
    if (ids.has(step.id)) return Result.fail(new DuplicateStepId({ stepId: step.id, path: `${path}.step_id` }))
    ids.add(step.id)
  }
  return Result.succeed(value)
}

const patchKeys = [
  "name",
  "description",
  "reentry_policy",
  "triggers",
  "steps",
  "disqualification_rules",
  "settings",
  "manual_membership_enabled",
]

/** The body of a new flow. */
export const readNewFlow = (body: unknown, named: NamedFacts): Result.Result<NewFlow, InputRefusal> => {
  const reading = readingOf(named)
  const node = objectAt(reading, body, "")
  if (node === null) return Result.fail(Invalid.at("", "must be an object"))
  const fields = new JsonFields(reading, node, "")
  if (!Object.hasOwn(node, "name")) fields.refuse("name", "is required")
  const { patch, steps } = readParts(reading, fields)
  const { name = "", description = null, structure } = patch
  return settle(reading, { name, description, structure: { ...emptyStructure, ...structure } }, steps)
}

/** The body of a PATCH. */
export const readFlowPatch = (body: unknown, named: NamedFacts): Result.Result<FlowPatch, InputRefusal> => {
  const reading = readingOf(named)
  const node = objectAt(reading, body, "")
  if (node === null) return Result.fail(Invalid.at("", "must be an object"))
  const { patch, steps } = readParts(reading, new JsonFields(reading, node, ""))
  return settle(reading, patch, steps)
}

/** `{triggers: [...]}` or `{steps: [...]}`: a full replacement of the one or the other. */
export const readReplacement = (
  key: "triggers" | "steps",
  body: unknown,
  named: NamedFacts,
): Result.Result<FlowPatch, InputRefusal> => {
  const reading = readingOf(named)
  const node = objectAt(reading, body, "")
  if (node === null) return Result.fail(Invalid.at("", "must be an object"))
  const fields = new JsonFields(reading, node, "")
  fields.only([key])
  if (fields.raw(key) === undefined) fields.refuse(key, "is required: an array, which may be empty")
  if (key === "triggers") return settle(reading, { structure: { triggers: readTriggers(reading, fields) } })
  const steps = readSteps(reading, fields)
  return settle(reading, { structure: { steps: steps.map(({ step }) => step) } }, steps)
}

interface ReadParts {
  readonly patch: FlowPatch
  readonly steps: ReadonlyArray<{ readonly step: Step; readonly path: string }>
}

/** Every part of a body that is there. */
const readParts = (reading: FlowReading, fields: JsonFields): ReadParts => {
  fields.only(patchKeys, readOnly)
  const said = (key: string) => Object.hasOwn(fields.node, key)
  const steps = readSteps(reading, fields)
  for (const key of ["name", "reentry_policy", "triggers", "steps", "settings", "manual_membership_enabled"]) {
    if (said(key) && fields.raw(key) === undefined) fields.refuse(key, "can't be null; leave it out to keep it")
  }
  const name = fields.text("name", flow_name_length_max)
  const reentryPolicy = fields.oneOf("reentry_policy", reentryPolicies)
  const structure: Partial<Structure> = {
    ...(said("triggers") ? { triggers: readTriggers(reading, fields) } : {}),
    ...(said("steps") ? { steps: steps.map(({ step }) => step) } : {}),
    ...(reentryPolicy === null ? {} : { reentryPolicy }),
    ...(said("disqualification_rules") ? { disqualificationRules: readRules(reading, fields) } : {}),
    ...(said("manual_membership_enabled")
      ? { manualMembershipEnabled: fields.flag("manual_membership_enabled", true) }
      : {}),
    ...(said("settings") ? { settings: readSettings(fields) } : {}),
  }
  const description = readDescription(fields)
  return {
    patch: {
      ...(name === null ? {} : { name }),
      ...(said("description") ? { description } : {}),
      structure,
    },
    steps,
  }
}

const isReadOnly = "is set by the service and can't be written"
const readOnly = Object.fromEntries(
  ["flow_id", "type", "status", "details", "archived_at", "created_at", "updated_at"].map((key) => [key, isReadOnly]),
)

const readTriggers = (reading: FlowReading, fields: JsonFields): ReadonlyArray<Trigger> =>
  fields.members("triggers", triggers_max).flatMap(({ value, path }) => readTrigger(reading, value, path) ?? [])

const readSteps = (reading: FlowReading, fields: JsonFields): ReadParts["steps"] =>
  fields.members("steps", steps_max).flatMap(({ value, path }) => {
    const step = readStep(reading, value, path)
    return step === null ? [] : [{ step, path }]
  })

const readRules = (reading: FlowReading, fields: JsonFields): RuleTree | null => {
  const tree = fields.raw("disqualification_rules")
  return tree === undefined ? null : noted(reading, parseRules(tree, reading.named, "disqualification_rules"))
}

/** Empty is none. */
const readDescription = (fields: JsonFields): string | null => {
  const value = fields.raw("description")
  if (value === undefined || value === "") return null
  if (typeof value === "string" && value.length <= flow_description_length_max) return value
  return fields.refuse("description", `must be text of at most ${flow_description_length_max} characters`)
}

const readSettings = (fields: JsonFields): Settings => {
  const value = fields.raw("settings")
  if (!isObject(value)) {
    if (value !== undefined) fields.refuse("settings", "must be an object")
    return {}
  }
  for (const path of endless(value, "settings")) note(fields.notes, path, "is too large a number to be kept")
  const size_bytes = encodeText(JSON.stringify(value)).length
  if (size_bytes > settings_size_bytes_max) {
    fields.refuse("settings", `must have at most ${settings_size_bytes_max} bytes of JSON, got ${size_bytes}`)
  }
  return value
}

/** Where 1e309 stands and its like: JSON can say it, and nothing can keep it. */
const endless = (value: unknown, path: string): ReadonlyArray<string> => {
  if (typeof value === "number") return Number.isFinite(value) ? [] : [path]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => endless(inner, below(path, key)))
}

/** The structure that JSON says, whatever there is of what it names. */
export const readKept = (json: unknown): Result.Result<Structure, InputRefusal> => {
  const reading = readingOf("kept")
  const node = objectAt(reading, json, "")
  if (node === null) return Result.fail(Invalid.at("", "must be an object"))
  const { patch, steps } = readParts(reading, new JsonFields(reading, node, ""))
  return settle(reading, { ...emptyStructure, ...patch.structure }, steps)
}

/**
 * The structure that `structureJson` wrote, read again from where it was stored. What it names may be archived or gone by now.
 *
 * @throws when the JSON is none: what the service itself has stored was changed by somebody else.
 */
export const readStored = (json: unknown): Structure => {
  const read = readKept(json)
  if (Result.isFailure(read)) throw new Error(`a stored flow can't be read: ${read.failure.message}`)
  return read.success
}
