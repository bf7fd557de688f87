// Edits of single steps: insert, patch, remove, set the email. Each maps a structure to a structure; `machine.ts` decides
// whether the flow can be edited.
import { Result, Schema } from "effect"
import type { EmailId } from "../../kernel/Ids.ts"
import { Invalid, type Issue, NotFound } from "../../kernel/Refusal.ts"
import { decoderOf, isObject, issues_max, type Json } from "../../kernel/Decoding.ts"
import { InsertStep, RemoveStep, steps_max, type Structure } from "./FlowSchema.ts"
import { stepOf } from "./Flow.ts"
import type { NamedFields } from "../../segments/Parse.ts"
import { type Draft, invalid, emptyPieces, toDraft } from "./FlowInput.ts"
import { DuplicateStepId, StepReferenced, StepTypeInvalid } from "./FlowErrors.ts"
import { edgesOf } from "./Graph.ts"
import type { Pieces } from "./FlowReferences.ts"
import { decodeStep, foreignWaitKeys, type ReadStep, type Step, type StepId } from "./Step.ts"

const noStep = (path?: string) => new NotFound({ resource: "flow step", ...(path === undefined ? {} : { path }) })

const decodePlace = decoderOf(Schema.Struct({ ...InsertStep.fields, step: Schema.optionalKey(Schema.Any) }))

const piecesOf = ({ value, conditions }: ReadStep): Pieces => ({
  ...emptyPieces,
  steps: value === null ? [] : [{ value, path: "step" }],
  conditions,
})

/** Inserts the step of `{step, position | before_step_id | after_step_id}`, at the end by default. Edges do not change. */
export const insertStep = (
  structure: Structure,
  body: unknown,
  fields: NamedFields = [],
): Draft<Structure, Invalid | NotFound | DuplicateStepId> => {
  const decoded = decodePlace(body, "")
  if (!isObject(body)) return invalid(decoded.issues)
  const step = decodeStep(body["step"], "step", fields)
  const [first, ...others] = places.filter((key) => (body[key] ?? null) !== null)
  const issues = [
    ...decoded.issues,
    ...step.issues,
    ...others.map((path) => ({ path, message: `can't be used together with ${first}: give one place` })),
    ...(structure.steps.length >= steps_max
      ? [{ path: "step", message: `is one too many: a flow has at most ${steps_max} steps` }]
      : []),
  ]
  const { value: inserted } = step
  if (inserted === null) return invalid(issues, piecesOf(step))
  return {
    issues,
    pieces: piecesOf(step),
    build: () => {
      const index = indexOf(structure, decoded.value ?? {})
      if (index === undefined) return Result.fail(noStep(first))
      if (stepOf(structure, inserted.step_id) !== undefined) {
        return Result.fail(new DuplicateStepId({ stepId: inserted.step_id, path: "step.step_id" }))
      }
      return Result.succeed({ ...structure, steps: structure.steps.toSpliced(index, 0, inserted) })
    },
  }
}

const places = ["position", "before_step_id", "after_step_id"] as const

/** The index to insert at; undefined if the named step does not exist. */
const indexOf = (
  { steps }: Structure,
  {
    position = "end",
    before_step_id: before,
    after_step_id: after,
  }: { readonly [Key in (typeof places)[number]]?: string },
): number | undefined => {
  const at = before ?? after
  if (at === undefined) return position === "start" ? 0 : steps.length
  const index = steps.findIndex(({ step_id }) => step_id === at)
  if (index < 0) return undefined
  return before === undefined ? index + 1 : index
}

/**
 * Merges the fields of `{step: {...}}` into the step; null clears. The step's id and type can't change. Fields that are left
 * out are not checked again: they may name things that were archived since.
 */
export const patchStep = (
  structure: Structure,
  stepId: StepId,
  body: unknown,
  fields: NamedFields = [],
): Draft<Structure, Invalid | NotFound> => {
  const before = stepOf(structure, stepId)
  if (before === undefined) return toDraft(() => Result.fail(noStep()))
  const patch = isObject(body) ? body["step"] : undefined
  if (!isObject(body) || !isObject(patch)) {
    return invalid([{ path: "step", message: "is required: an object of the fields to change" }])
  }
  const mode = patch["mode"] ?? ("mode" in before ? before.mode : undefined)
  const fixed = { type: before.type, step_id: stepId, ...(mode === undefined ? {} : { mode }) }
  const after = decodeStep({ ...withoutForeign(before, mode), ...patch, ...fixed }, "step", fields)
  const { steps, conditions } = piecesOf(after)
  const names = (key: string) => Object.hasOwn(patch, key)
  return {
    issues: [
      ...unknownKeys(body, ["step"]),
      ...(names("step_id") && patch["step_id"] !== stepId
        ? [{ path: "step.step_id", message: "can't be changed: members and edges know the step by it" }]
        : []),
      ...(names("type") && patch["type"] !== before.type
        ? [{ path: "step.type", message: `can't be changed from ${before.type}: remove the step and insert another` }]
        : []),
      ...after.issues,
    ],
    pieces: {
      ...emptyPieces,
      steps: names("email_id") || names("template_id") || names("topic_id") ? steps : [],
      conditions: names("condition") ? conditions : [],
    },
    build: () => Result.succeed(replace(structure, after.value ?? before)),
  }
}

const unknownKeys = (body: Json, known: ReadonlyArray<string>): ReadonlyArray<Issue> =>
  Object.keys(body)
    .filter((key) => !known.includes(key))
    .slice(0, issues_max)
    .map((path) => ({ path, message: `is not a key here; known are ${known.join(", ")}` }))

/** A wait whose mode changes loses the fields of the old mode. */
const withoutForeign = (step: Step, mode: unknown): Json => {
  if (mode !== "duration" && mode !== "condition") return { ...step }
  const foreign: ReadonlyArray<string> = foreignWaitKeys[mode]
  return Object.fromEntries(Object.entries(step).filter(([key]) => !foreign.includes(key)))
}

const replace = (structure: Structure, step: Step): Structure => ({
  ...structure,
  steps: structure.steps.map((each) => (each.step_id === step.step_id ? step : each)),
})

/** The new target of edges to the removed step; null: they end the flow. */
export interface EdgeRepair {
  readonly replacement: StepId | null
}

const decodeRepair = decoderOf(RemoveStep)

/** Decodes the optional body of a DELETE: `{repair_edges: {replacement_step_id}}`. Null: edges are not repaired. */
export const readRepair = (body: unknown): Result.Result<EdgeRepair | null, Invalid> => {
  if (body === undefined) return Result.succeed(null)
  const { value, issues } = decodeRepair(body, "")
  if (value === null) return Result.fail(new Invalid({ issues }))
  const { repair_edges: repair } = value
  return Result.succeed(repair === undefined ? null : { replacement: repair.replacement_step_id })
}

/** Removes a step. If other steps refer to it, a repair is required. */
export const removeStep = (
  structure: Structure,
  stepId: StepId,
  repair: EdgeRepair | null,
): Result.Result<Structure, Invalid | NotFound | StepReferenced> => {
  if (stepOf(structure, stepId) === undefined) return Result.fail(noStep())
  const path = "repair_edges.replacement_step_id"
  if (repair?.replacement === stepId) return Result.fail(Invalid.at(path, "is the step that is to be deleted"))
  const replacement = repair === null || repair.replacement === null ? null : stepOf(structure, repair.replacement)
  if (replacement === undefined) return Result.fail(noStep(path))
  const references = referencesTo(structure, stepId)
  if (references.length > 0 && repair === null) return Result.fail(new StepReferenced({ stepId, references }))
  const others = structure.steps.filter(({ step_id }) => step_id !== stepId)
  return Result.succeed({ ...structure, steps: others.map((step) => redirected(step, stepId, replacement)) })
}

/** Edges of other steps to it, and `send_email` steps that send what it creates. */
const referencesTo = ({ steps }: Structure, stepId: StepId): StepReferenced["references"] =>
  steps.flatMap((step, index) => {
    if (step.step_id === stepId) return []
    const sends = step.type === "send_email" && step.create_email_step_id === stepId
    const keys = [
      ...edgesOf(step).flatMap(({ to, key }) => (to === stepId ? [key] : [])),
      ...(sends ? ["create_email_step_id"] : []),
    ]
    return keys.map((key) => ({ path: `steps.${index}.${key}`, stepId: step.step_id }))
  })

const redirected = (step: Step, from: StepId, to: Step | null): Step => {
  const edges = edgesOf(step).filter((edge) => edge.to === from)
  const redirections = Object.fromEntries(edges.map(({ key }) => [key, to?.step_id ?? null]))
  if (step.type !== "send_email" || step.create_email_step_id !== from) return { ...step, ...redirections }
  return { ...step, ...redirections, create_email_step_id: to?.type === "create_email" ? to.step_id : null }
}

/** Gives a `send_email` step an existing or inline email. */
export const setStepEmail = (
  structure: Structure,
  stepId: StepId,
  email: { readonly source: "existing" | "inline"; readonly emailId: EmailId },
): Result.Result<Structure, NotFound | StepTypeInvalid> => {
  const step = stepOf(structure, stepId)
  if (step === undefined) return Result.fail(noStep())
  if (step.type !== "send_email") return Result.fail(new StepTypeInvalid({ stepId, type: step.type }))
  const sent = { email_source: email.source, email_id: email.emailId, create_email_step_id: null }
  return Result.succeed(replace(structure, { ...step, ...sent }))
}
