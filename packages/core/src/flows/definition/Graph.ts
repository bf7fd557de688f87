// The graph of a flow's steps: edges, reachable steps, and cycles without a wait.
import type { Structure } from "./FlowSchema.ts"
import type { Step, StepId } from "./Step.ts"

export const edgeKinds = ["next", "true", "false", "default", "timeout"] as const
export type EdgeKind = (typeof edgeKinds)[number]

/** An edge of a step. Its target may not exist. */
export interface Edge {
  readonly from: StepId
  readonly to: StepId
  readonly kind: EdgeKind
  /** The key of the step that names the target: `next_step_id`. */
  readonly key: string
  /** A fixed duration passes before a member follows the edge. */
  readonly takesTime: boolean
}

/** The edges to draw: those whose target exists. */
export const edgesBetween = (steps: ReadonlyArray<Step>): ReadonlyArray<Edge> => {
  const ids = new Set(steps.map(({ step_id: id }) => id))
  return steps.flatMap(edgesOf).filter(({ to }) => ids.has(to))
}

/** The edges of a step, in documented order. */
export const edgesOf = (step: Step): ReadonlyArray<Edge> => {
  const edge = (kind: EdgeKind, to: StepId | null, takesTime = false): ReadonlyArray<Edge> =>
    to === null ? [] : [{ from: step.step_id, to, kind, key: `${kind}_step_id`, takesTime }]
  switch (step.type) {
    case "condition_check":
      return [
        ...edge("true", step.true_step_id),
        ...edge("false", step.false_step_id),
        ...edge("default", step.default_step_id),
      ]
    case "wait":
      // The condition may hold immediately; only the timeout edge takes a fixed time.
      return step.mode === "duration"
        ? edge("next", step.next_step_id, true)
        : [...edge("next", step.next_step_id), ...edge("timeout", step.timeout_step_id, true)]
    default:
      return edge("next", step.next_step_id)
  }
}

/** The steps that are reachable from this one. It is included only if it is in a cycle. */
export const reachableFrom = (
  { steps }: Structure,
  from: StepId,
  follows: (edge: Edge) => boolean = () => true,
): ReadonlySet<StepId> => {
  const byId = new Map(steps.map((step) => [step.step_id, step]))
  const reached = new Set<StepId>()
  const open = [from]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const step = byId.get(id)
    for (const edge of step === undefined ? [] : edgesOf(step)) {
      if (!byId.has(edge.to) || reached.has(edge.to) || !follows(edge)) continue
      reached.add(edge.to)
      open.push(edge.to)
    }
  }
  return reached
}

/** The steps that no member can reach. */
export const unreachable = (structure: Structure): ReadonlyArray<StepId> => {
  const [first] = structure.steps
  if (first === undefined) return []
  const reached = reachableFrom(structure, first.step_id)
  return structure.steps.flatMap(({ step_id: id }) => (id === first.step_id || reached.has(id) ? [] : [id]))
}

/** Cycles that a member could follow without a wait: the steps of each, in flow order. */
export const cyclesWithoutWait = (structure: Structure): ReadonlyArray<ReadonlyArray<StepId>> => {
  const atOnce = new Map(
    structure.steps.map(
      ({ step_id: id }) => [id, reachableFrom(structure, id, ({ takesTime }) => !takesTime)] as const,
    ),
  )
  const reaches = (from: StepId, to: StepId) => atOnce.get(from)?.has(to) === true
  const reported = new Set<StepId>()
  return structure.steps.flatMap(({ step_id: id }) => {
    if (reported.has(id) || !reaches(id, id)) return []
    const cycle = structure.steps
      .map((step) => step.step_id)
      .filter((other) => reaches(id, other) && reaches(other, id))
    for (const each of cycle) reported.add(each)
    return [cycle]
  })
}
