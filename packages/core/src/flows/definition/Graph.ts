// The steps of a flow as a graph: which edges lead where, what can be reached, and where a member could run in a circle
// without ever waiting.
import type { Structure } from "./Flow.ts"
import type { Step, StepId, StepType } from "./Step.ts"

export const edgeKinds = ["next", "true", "false", "default", "timeout"] as const
export type EdgeKind = (typeof edgeKinds)[number]

/** An edge as its step has it, also where nothing stands at its end. */
export interface Edge {
  readonly from: StepId
  readonly to: StepId
  readonly kind: EdgeKind
  /** The key that holds it: `next_step_id`. */
  readonly key: string
  /** Nobody takes it at once: a set time passes first. */
  readonly takesTime: boolean
}

export interface Graph {
  readonly nodes: ReadonlyArray<{ readonly stepId: StepId; readonly type: StepType; readonly label: string | null }>
  readonly edges: ReadonlyArray<Pick<Edge, "from" | "to" | "kind">>
}

/** What can be drawn: edges to steps that are not there are left out. */
export const graphOf = ({ steps }: Structure): Graph => {
  const ids = new Set(steps.map(({ id }) => id))
  return {
    nodes: steps.map(({ id, type, label }) => ({ stepId: id, type, label })),
    edges: steps
      .flatMap(edgesOf)
      .filter(({ to }) => ids.has(to))
      .map(({ from, to, kind }) => ({ from, to, kind })),
  }
}

/** The edges of a step, in the order in which they are described. */
export const edgesOf = (step: Step): ReadonlyArray<Edge> => {
  const edge = (kind: EdgeKind, to: StepId | null, takesTime = false): ReadonlyArray<Edge> =>
    to === null ? [] : [{ from: step.id, to, kind, key: `${kind}_step_id`, takesTime }]
  switch (step.type) {
    case "condition_check":
      return [...edge("true", step.whenTrue), ...edge("false", step.whenFalse), ...edge("default", step.byDefault)]
    case "wait":
      // A condition may hold as soon as somebody comes to it; only what is left by the timeout takes its time.
      return step.mode === "duration"
        ? edge("next", step.next, true)
        : [...edge("next", step.next), ...edge("timeout", step.timeoutStep, true)]
    default:
      return edge("next", step.next)
  }
}

/** The steps that edges lead to from this one; itself only if it stands in a circle. */
export const reachableFrom = (
  { steps }: Structure,
  from: StepId,
  follows: (edge: Edge) => boolean = () => true,
): ReadonlySet<StepId> => {
  const byId = new Map(steps.map((step) => [step.id, step]))
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

/** The steps that no member can come to. */
export const unreachable = (structure: Structure): ReadonlyArray<StepId> => {
  const [first] = structure.steps
  if (first === undefined) return []
  const reached = reachableFrom(structure, first.id)
  return structure.steps.flatMap(({ id }) => (id === first.id || reached.has(id) ? [] : [id]))
}

/** Circles in which a member would not rest: the steps of each, in their order in the flow. */
export const circlesWithoutWait = (structure: Structure): ReadonlyArray<ReadonlyArray<StepId>> => {
  const atOnce = new Map(
    structure.steps.map(({ id }) => [id, reachableFrom(structure, id, ({ takesTime }) => !takesTime)] as const),
  )
  const reaches = (from: StepId, to: StepId) => atOnce.get(from)?.has(to) === true
  const told = new Set<StepId>()
  return structure.steps.flatMap(({ id }) => {
    if (told.has(id) || !reaches(id, id)) return []
    const circle = structure.steps.map((step) => step.id).filter((other) => reaches(id, other) && reaches(other, id))
    for (const each of circle) told.add(each)
    return [circle]
  })
}
