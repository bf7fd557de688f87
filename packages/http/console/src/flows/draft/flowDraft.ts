// The draft of a flow in the page: what differs from the stored flow, with undo and redo. Pure.
import type { Structure } from "./steps.ts"

/** Edits that can be undone. */
const history_max = 200

export interface FlowDraft {
  /** What was stored when the draft began, or was saved last. */
  readonly base: Structure
  readonly present: Structure
  /** The newest one last. */
  readonly past: ReadonlyArray<Structure>
  /** The next one to redo last. */
  readonly future: ReadonlyArray<Structure>
  /** What the last edit changed. Edits of the same field, one after another, are one. */
  readonly field: string | null
}

/** JSON with sorted keys: equal values have the same text. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([left], [right]) => (left < right ? -1 : 1)))
      : each,
  )

export const isSame = (left: unknown, right: unknown): boolean => left === right || textOf(left) === textOf(right)

export const begin = (base: Structure): FlowDraft => ({ base, present: base, past: [], future: [], field: null })

export const isChanged = ({ base, present }: FlowDraft): boolean => !isSame(base, present)

/** The draft after an edit. `field` names what is typed, such as `email_1.label`. */
export const edit = (draft: FlowDraft, present: Structure, field: string | null = null): FlowDraft => {
  if (isSame(draft.present, present)) return draft
  const continues = field !== null && field === draft.field
  const past = continues ? draft.past : [...draft.past, draft.present].slice(-history_max)
  return { ...draft, present, past, future: [], field }
}

export const undo = (draft: FlowDraft): FlowDraft => {
  const last = draft.past.at(-1)
  if (last === undefined) return draft
  const { future, past, present } = draft
  return { ...draft, present: last, past: past.slice(0, -1), future: [...future, present], field: null }
}

export const redo = (draft: FlowDraft): FlowDraft => {
  const next = draft.future.at(-1)
  if (next === undefined) return draft
  const { future, past, present } = draft
  return { ...draft, present: next, past: [...past, present], future: future.slice(0, -1), field: null }
}

/** The draft over another stored state. Without changes it follows; with changes it stays as it is. */
export const rebased = (draft: FlowDraft, base: Structure): FlowDraft => {
  if (isSame(draft.present, base)) return { ...draft, base, present: base }
  return isChanged(draft) ? { ...draft, base } : begin(base)
}

/** The draft after a part of it was stored. The service may write it in another way, such as `day` for `days`. */
export const saved = (draft: FlowDraft, sent: Partial<Structure>, stored: Partial<Structure>): FlowDraft => {
  const { base, present } = draft
  return {
    ...draft,
    base: { ...base, ...stored },
    present: {
      triggers: sent.triggers === present.triggers ? (stored.triggers ?? present.triggers) : present.triggers,
      steps: sent.steps === present.steps ? (stored.steps ?? present.steps) : present.steps,
    },
    field: null,
  }
}

/** Forgets the changes. They can be taken back by undo. */
export const discard = (draft: FlowDraft): FlowDraft => edit(draft, draft.base)

/** For the storage of the tab. Null: nothing is changed. */
export const toStored = (draft: FlowDraft): string | null => (isChanged(draft) ? JSON.stringify(draft.present) : null)

const isStructure = (value: unknown): value is Structure =>
  typeof value === "object" &&
  value !== null &&
  "steps" in value &&
  "triggers" in value &&
  [value.steps, value.triggers].every(
    (part) => Array.isArray(part) && part.every((each) => typeof each === "object" && each !== null && "type" in each),
  )

/** The draft of a stored text. What is not readable is ignored. */
export const fromStored = (text: string | null, base: Structure): FlowDraft => {
  try {
    const stored: unknown = JSON.parse(text ?? "null")
    return isStructure(stored) ? edit(begin(base), stored) : begin(base)
  } catch {
    return begin(base)
  }
}

/** Removed steps and how many members are there. They are dropped when the flow becomes active again. */
export const leftBehind = ({ base, present }: FlowDraft, counts: ReadonlyMap<string, number>) => {
  const stay = new Set(present.steps.map(({ step_id }) => step_id))
  return base.steps.flatMap((step) => {
    const count = counts.get(step.step_id) ?? 0
    return stay.has(step.step_id) || count === 0 ? [] : [{ step, count }]
  })
}
