// Changes of single steps: put in, merged, taken out, given an email. Each makes a structure of a structure; whether the flow
// may be changed at all is `FlowChange`'s to say.
import { Result } from "effect"
import type { EmailId } from "../../kernel/Ids.ts"
import { Invalid, NotFound } from "../../kernel/Refusal.ts"
import { isObject, type Json } from "../../segments/RuleTree.ts"
import { steps_max, type Structure, stepOf } from "./Flow.ts"
import { settle, type InputRefusal } from "./FlowInput.ts"
import { type FlowReading, readingOf } from "./FlowReading.ts"
import { stepJson } from "./FlowJson.ts"
import { DuplicateStepId, StepReferenced, StepTypeInvalid } from "./FlowErrors.ts"
import { edgesOf } from "./Graph.ts"
import { JsonFields, objectAt } from "./JsonFields.ts"
import type { NamedFacts } from "./FlowReferences.ts"
import type { Step, StepId } from "./Step.ts"
import { foreignWaitKeys, readStep } from "./StepInput.ts"

type Edited<Refusal = InputRefusal> = Result.Result<Structure, Refusal>

const noStep = (path?: string) => new NotFound({ resource: "flow step", ...(path === undefined ? {} : { path }) })

/** `{step, position | before_step_id | after_step_id}`: at the end unless it says otherwise. No edge is changed. */
export const insertStep = (structure: Structure, body: unknown, named: NamedFacts): Edited => {
  const reading = readingOf(named)
  const fields = fieldsOf(reading, body, ["step", "position", "before_step_id", "after_step_id"])
  if (fields === null) return Result.fail(Invalid.at("", "must be an object"))
  const step = readStep(reading, fields.raw("step"), "step")
  const place = readPlace(fields)
  if (structure.steps.length >= steps_max)
    fields.refuse("step", `is one too many: a flow has at most ${steps_max} steps`)
  return Result.flatMap(settle(reading, step), (read): Edited => {
    if (read === null) return Result.fail(Invalid.at("step", "is required"))
    const index = indexOf(structure, place)
    if (index === undefined) return Result.fail(noStep(place.key))
    if (stepOf(structure, read.id) !== undefined) {
      return Result.fail(new DuplicateStepId({ stepId: read.id, path: "step.step_id" }))
    }
    return Result.succeed({ ...structure, steps: structure.steps.toSpliced(index, 0, read) })
  })
}

const fieldsOf = (reading: FlowReading, body: unknown, known: ReadonlyArray<string>): JsonFields | null => {
  const node = objectAt(reading, body, "")
  if (node === null) return null
  const fields = new JsonFields(reading, node, "")
  fields.only(known)
  return fields
}

interface Place {
  readonly key: "position" | "before_step_id" | "after_step_id"
  /** `start` or `end`, or the id of a step. */
  readonly at: string
}

const readPlace = (fields: JsonFields): Place => {
  const keys = ["position", "before_step_id", "after_step_id"] as const
  const said = keys.filter((key) => fields.raw(key) !== undefined)
  for (const key of said.slice(1)) fields.refuse(key, `can't stand beside ${said[0]}: say one place`)
  const [key = "position"] = said
  const at = key === "position" ? fields.oneOf(key, ["start", "end"]) : fields.text(key, Infinity)
  return { key, at: at ?? "end" }
}

/** Where among the steps; undefined when the step that it is named by is not there. */
const indexOf = ({ steps }: Structure, { key, at }: Place): number | undefined => {
  if (key === "position") return at === "start" ? 0 : steps.length
  const index = steps.findIndex(({ id }) => id === at)
  if (index < 0) return undefined
  return key === "before_step_id" ? index : index + 1
}

/**
 * `{step: {...}}`: what is said takes the place of what was, null included. Neither the step's id nor its type changes. What is
 * left alone is not judged again: it may name what has been archived since.
 */
export const patchStep = (structure: Structure, stepId: StepId, body: unknown, named: NamedFacts): Edited => {
  const before = stepOf(structure, stepId)
  if (before === undefined) return Result.fail(noStep())
  const reading = readingOf(named)
  const patch = fieldsOf(reading, body, ["step"])?.raw("step")
  if (!isObject(patch)) return Result.fail(Invalid.at("step", "is required: an object of the fields to change"))
  const fields = new JsonFields(reading, patch, "step")
  const kept = stepJson(before)
  if (Object.hasOwn(patch, "step_id") && patch["step_id"] !== stepId) {
    fields.refuse("step_id", "can't be changed: members and edges know the step by it")
  }
  if (Object.hasOwn(patch, "type") && patch["type"] !== before.type) {
    fields.refuse("type", `can't be changed from ${before.type}: remove the step and insert another`)
  }
  const mode = patch["mode"] ?? kept["mode"]
  const fixed = { type: before.type, step_id: stepId, ...(mode === undefined ? {} : { mode }) }
  readStep(reading, { ...patch, ...fixed }, "step")
  // Only the whole tells whether amount and unit, say, go together.
  const whole = readingOf("kept")
  const after = readStep(whole, { ...withoutForeign(kept, mode), ...patch, ...fixed }, "step")
  if (reading.issues.length === 0) reading.issues.push(...whole.issues)
  return Result.map(settle(reading, after), (step) => replace(structure, step ?? before))
}

/** A wait that gets another mode loses what belongs to the old one. */
const withoutForeign = (kept: Json, mode: unknown): Json => {
  if (mode !== "duration" && mode !== "condition") return kept
  const foreign: ReadonlyArray<string> = foreignWaitKeys[mode]
  return Object.fromEntries(Object.entries(kept).filter(([key]) => !foreign.includes(key)))
}

const replace = (structure: Structure, step: Step): Structure => ({
  ...structure,
  steps: structure.steps.map((each) => (each.id === step.id ? step : each)),
})

/** Where edges lead to instead of to the step that goes; null: they end there. */
export interface EdgeRepair {
  readonly replacement: StepId | null
}

/** The body of a DELETE, which may be absent: `{repair_edges: {replacement_step_id}}`. Null: edges are not to be repaired. */
export const readRepair = (body: unknown): Result.Result<EdgeRepair | null, Invalid> => {
  if (body === undefined) return Result.succeed(null)
  const reading = readingOf("kept")
  const fields = fieldsOf(reading, body, ["repair_edges"])
  const said = fields?.raw("repair_edges")
  const repair = said === undefined ? null : objectAt(reading, said, "repair_edges")
  if (repair !== null) {
    const inner = new JsonFields(reading, repair, "repair_edges")
    inner.only(["replacement_step_id"])
    if (!Object.hasOwn(repair, "replacement_step_id")) {
      inner.refuse("replacement_step_id", "is required: the step to lead to instead, or null for none")
    }
    const replacement = inner.text("replacement_step_id", Infinity)
    if (reading.issues.length === 0) return Result.succeed({ replacement })
  }
  return reading.issues.length === 0 ? Result.succeed(null) : Result.fail(new Invalid({ issues: reading.issues }))
}

/** Takes a step out. What other steps refer to goes only with a repair of their edges. */
export const removeStep = (
  structure: Structure,
  stepId: StepId,
  repair: EdgeRepair | null,
): Edited<Invalid | NotFound | StepReferenced> => {
  if (stepOf(structure, stepId) === undefined) return Result.fail(noStep())
  const path = "repair_edges.replacement_step_id"
  if (repair?.replacement === stepId) return Result.fail(Invalid.at(path, "is the step that is to be deleted"))
  const replacement = repair === null || repair.replacement === null ? null : stepOf(structure, repair.replacement)
  if (replacement === undefined) return Result.fail(noStep(path))
  const references = referencesTo(structure, stepId)
  if (references.length > 0 && repair === null) return Result.fail(new StepReferenced({ stepId, references }))
  const others = structure.steps.filter(({ id }) => id !== stepId)
  return Result.succeed({ ...structure, steps: others.map((step) => redirected(step, stepId, replacement)) })
}

/** Edges of other steps to it, and what they send that it creates. */
const referencesTo = ({ steps }: Structure, stepId: StepId): StepReferenced["references"] =>
  steps.flatMap((step, index) => {
    if (step.id === stepId) return []
    const sends = step.type === "send_email" && step.email.source === "flow_step" && step.email.createdBy === stepId
    const keys = [
      ...edgesOf(step).flatMap(({ to, key }) => (to === stepId ? [key] : [])),
      ...(sends ? ["create_email_step_id"] : []),
    ]
    return keys.map((key) => ({ path: `steps.${index}.${key}`, stepId: step.id }))
  })

const redirected = (step: Step, from: StepId, to: Step | null): Step => {
  const edge = (id: StepId | null): StepId | null => (id === from ? (to?.id ?? null) : id)
  switch (step.type) {
    case "condition_check":
      return {
        ...step,
        whenTrue: edge(step.whenTrue),
        whenFalse: edge(step.whenFalse),
        byDefault: edge(step.byDefault),
      }
    case "wait":
      return step.mode === "duration"
        ? { ...step, next: edge(step.next) }
        : { ...step, next: edge(step.next), timeoutStep: edge(step.timeoutStep) }
    case "send_email": {
      const { email } = step
      const creates = to?.type === "create_email" ? to.id : null
      return email.source === "flow_step" && email.createdBy === from
        ? { ...step, next: edge(step.next), email: { ...email, createdBy: creates } }
        : { ...step, next: edge(step.next) }
    }
    default:
      return { ...step, next: edge(step.next) }
  }
}

/** Gives a `send_email` step the email that is there or was made for it. */
export const setStepEmail = (
  structure: Structure,
  stepId: StepId,
  email: { readonly source: "existing" | "inline"; readonly emailId: EmailId },
): Edited<NotFound | StepTypeInvalid> => {
  const step = stepOf(structure, stepId)
  if (step === undefined) return Result.fail(noStep())
  if (step.type !== "send_email") return Result.fail(new StepTypeInvalid({ stepId, type: step.type }))
  return Result.succeed(replace(structure, { ...step, email }))
}
