// Decoding of requests that write a flow. JSON becomes a draft; its references are then checked against the workspace.
// A flow may be incomplete: `Readiness.ts` decides what it needs to run.
import { Result } from "effect"
import { type Decoded, decoderOf, isObject, issues_max, refused } from "../../kernel/Decoding.ts"
import { Invalid, type Issue, type NotFound } from "../../kernel/Refusal.ts"
import type { StepCondition } from "../../segments/RuleSchema.ts"
import type { Leaf } from "../../segments/RuleTree.ts"
import { fieldNamesIn, type NamedFields, readRules } from "../../segments/Parse.ts"
import { FlowParts, steps_max, type Structure, triggers_max } from "./FlowSchema.ts"
import { emptyStructure } from "./Flow.ts"
import { DuplicateStepId } from "./FlowErrors.ts"
import { checkReferences, type NamedFacts, type Piece, type Pieces } from "./FlowReferences.ts"
import { decodeStep, type Step } from "./Step.ts"
import { decodeTrigger } from "./Trigger.ts"

export interface NewFlow {
  readonly name: string
  readonly description: string | null
  readonly structure: Structure
}

/** The changes of an edit; an absent part stays. Triggers and steps are replaced as a whole. */
export interface FlowPatch {
  readonly name?: string
  /** Null clears. */
  readonly description?: string | null
  readonly structure: Partial<Structure>
}

export type InputRefusal = Invalid | NotFound | DuplicateStepId

/** A decoded request before its references are checked. */
export interface Draft<Value, Refusal = InputRefusal> {
  readonly issues: ReadonlyArray<Issue>
  /** The well-formed parts, even if others have issues. */
  readonly pieces: Pieces
  /** Call it only without issues and after the references were checked. */
  readonly build: () => Result.Result<Value, Refusal>
}

export const emptyPieces: Pieces = { triggers: [], steps: [], conditions: [] }

/** A draft without references. */
export const toDraft = <Value, Refusal>(build: () => Result.Result<Value, Refusal>): Draft<Value, Refusal> => ({
  issues: [],
  pieces: emptyPieces,
  build,
})

export const invalid = (issues: ReadonlyArray<Issue>, pieces: Pieces = emptyPieces): Draft<never, never> => ({
  issues,
  pieces,
  build: () => Result.failVoid as never,
})

/** Reports issues first, then missing references, then what `build` refuses. */
export const resolveDraft = <Value, Refusal>(
  { issues, pieces, build }: Draft<Value, Refusal>,
  facts: NamedFacts,
): Result.Result<Value, Refusal | Invalid | NotFound> => {
  const found = checkReferences(pieces, facts)
  const all = [...issues, ...found.issues]
  if (all.length > 0) return Result.fail(new Invalid({ issues: all.slice(0, issues_max) }))
  const [missing] = found.missing
  return missing === undefined ? build() : Result.fail(missing)
}

const isReadOnly = "is set by the service and can't be written"
const hints = Object.fromEntries(
  ["flow_id", "type", "status", "details", "archived_at", "created_at", "updated_at"].map((key) => [key, isReadOnly]),
)
const decodeParts = decoderOf(FlowParts, { absent: false, hints })

/** The names in the conditions of a flow's body, or a step's, that may be `api_name`s of custom fields. */
export const fieldNamesOf = (body: unknown): ReadonlyArray<string> => {
  if (!isObject(body)) return []
  const { disqualification_rules: rules, step, steps } = body
  const many: ReadonlyArray<unknown> = Array.isArray(steps) ? steps.slice(0, steps_max) : []
  const trees = [rules, ...[step, ...many].map((each) => (isObject(each) ? each["condition"] : null))]
  return [...new Set(trees.flatMap((tree) => (tree === undefined || tree === null ? [] : fieldNamesIn(tree))))]
}

/** Decodes the body of a new flow. `fields` are those of `fieldNamesOf`, here and below. */
export const readNewFlow = (body: unknown, fields: NamedFields = []): Draft<NewFlow> => {
  const draft = readFlowPatch(body, fields)
  const isNamed = !isObject(body) || Object.hasOwn(body, "name")
  return {
    pieces: draft.pieces,
    issues: isNamed ? draft.issues : [{ path: "name", message: "is required" }, ...draft.issues],
    build: () =>
      Result.map(draft.build(), ({ name = "", description = null, structure }) => ({
        name,
        description,
        structure: { ...emptyStructure, ...structure },
      })),
  }
}

/** Decodes the body of a PATCH. */
export const readFlowPatch = (body: unknown, fields: NamedFields = []): Draft<FlowPatch> => {
  if (!isObject(body)) return invalid([{ path: "", message: "must be an object" }])
  const { value, issues } = decodeParts(body, "")
  const triggers = readMembers(body["triggers"], { path: "triggers", count_max: triggers_max }, decodeTrigger)
  const steps = readMembers(body["steps"], { path: "steps", count_max: steps_max }, (step, path) =>
    decodeStep(step, path, fields),
  )
  const sent = body["disqualification_rules"] ?? null
  const rules = sent === null ? null : readRules(sent, "disqualification_rules", fields)
  const { name, description, triggers: _triggers, steps: _steps, disqualification_rules: _rules, ...rest } = value ?? {}
  return {
    issues: [...issues, ...triggers.issues, ...steps.issues, ...(rules?.issues ?? [])],
    pieces: {
      triggers: triggers.pieces,
      steps: steps.pieces,
      conditions: [...steps.conditions, ...(rules?.leaves ?? [])],
    },
    build: () =>
      Result.map(uniqueIds(steps.pieces), () => ({
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description: description === "" ? null : description }),
        structure: {
          ...rest,
          ...("triggers" in body ? { triggers: valuesOf(triggers.pieces) } : {}),
          ...("steps" in body ? { steps: valuesOf(steps.pieces) } : {}),
          ...("disqualification_rules" in body ? { disqualification_rules: rules?.tree ?? null } : {}),
        },
      })),
  }
}

/** Decodes `{triggers: [...]}` or `{steps: [...]}`: a full replacement. */
export const readReplacement = (
  key: "triggers" | "steps",
  body: unknown,
  fields: NamedFields = [],
): Draft<FlowPatch> => {
  if (!isObject(body)) return invalid([{ path: "", message: "must be an object" }])
  const { [key]: members, ...others } = body
  const draft = readFlowPatch({ [key]: members }, fields)
  const unknown = Object.keys(others).map((other) => ({ path: other, message: `is not a key here; known is ${key}` }))
  const absent = members === undefined ? [{ path: key, message: "is required: an array, which may be empty" }] : []
  return { ...draft, issues: [...absent, ...unknown.slice(0, issues_max), ...draft.issues] }
}

const valuesOf = <Value>(pieces: ReadonlyArray<Piece<Value>>): ReadonlyArray<Value> => pieces.map(({ value }) => value)

/** A decoded trigger or step. `conditions` are its well-formed ones, even if it has issues. */
type DecodedPart<Value> = Decoded<Value> & { readonly conditions?: ReadonlyArray<Leaf<StepCondition>> }

/**
 * Decodes members one by one, so that issues in some leave the others well formed, until there are more issues than an answer
 * reports.
 */
const readMembers = <Value>(
  json: unknown,
  { path, count_max }: { readonly path: string; readonly count_max: number },
  decode: (json: unknown, path: string) => DecodedPart<Value>,
) => {
  const issues: Array<Issue> = []
  const pieces: Array<Piece<Value>> = []
  const conditions: Array<Leaf<StepCondition>> = []
  const read = { issues, pieces, conditions }
  if (json === undefined) return read
  if (!Array.isArray(json)) return { ...read, ...refused(path, "must be an array") }
  if (json.length > count_max) {
    return { ...read, ...refused(path, `must have at most ${count_max} members, got ${json.length}`) }
  }
  for (const [index, member] of json.entries()) {
    if (issues.length >= issues_max) break
    const at = `${path}.${index}`
    const decoded = decode(member, at)
    issues.push(...decoded.issues)
    conditions.push(...(decoded.conditions ?? []))
    if (decoded.value !== null) pieces.push({ value: decoded.value, path: at })
  }
  return read
}

const uniqueIds = (steps: ReadonlyArray<Piece<Step>>): Result.Result<void, DuplicateStepId> => {
  const ids = new Set<string>()
  for (const { value, path } of steps) {
    const stepId = value.step_id
    if (ids.has(stepId)) return Result.fail(new DuplicateStepId({ stepId, path: `${path}.step_id` }))
    ids.add(stepId)
  }
  return Result.void
}

/** Decodes a structure without a check of its references. */
export const readStructure = (json: unknown): Result.Result<Structure, InputRefusal> => {
  const { issues, build } = readFlowPatch(json, [])
  if (issues.length > 0) return Result.fail(new Invalid({ issues }))
  return Result.map(build(), ({ structure }) => ({ ...emptyStructure, ...structure }))
}

/**
 * Decodes a stored structure. What it names may have been archived or deleted since.
 *
 * @throws when the JSON is not a structure, which only a change from outside the service can cause.
 */
export const readStored = (json: unknown): Structure => {
  const read = readStructure(json)
  if (Result.isFailure(read)) throw new Error(`a stored flow can't be read: ${read.failure.message}`)
  return read.success
}
