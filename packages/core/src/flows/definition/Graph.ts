// The steps of a flow as a graph: which edges lead where, what can be reached, and where a member could run in a circle
// without ever waiting.
import type { Structure } from "./FlowSchema.ts"
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
  const ids = new Set(steps.map(({ step_id: id }) => id))
  return {
    nodes: steps.map(({ step_id: id, type, label }) => ({ stepId: id, type, label })),
    edges: steps
      .flatMap(edgesOf)
      .filter(({ to }) => ids.has(to))
      .map(({ from, to, kind }) => ({ from, to, kind })),
  }
}

/** The edges of a step, in the order in which they are described. */
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
      // A condition may hold as soon as somebody comes to it; only what is left by the timeout takes its time.
      return step.mode === "duration"
        ? edge("next", step.next_step_id, true)
        : [...edge("next", step.next_step_id), ...edge("timeout", step.timeout_step_id, true)]
    default:
      return edge("next", step.next_step_id)
  }
}

/** The steps that edges lead to from this one; itself only if it stands in a circle. */
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

/** The steps that no member can come to. */
export const unreachable = (structure: Structure): ReadonlyArray<StepId> => {
  const [first] = structure.steps
  if (first === undefined) return []
  const reached = reachableFrom(structure, first.step_id)
  return structure.steps.flatMap(({ step_id: id }) => (id === first.step_id || reached.has(id) ? [] : [id]))
}

/** Circles in which a member would not rest: the steps of each, in their order in the flow. */
export const circlesWithoutWait = (structure: Structure): ReadonlyArray<ReadonlyArray<StepId>> => {
  const atOnce = new Map(
    structure.steps.map(
      ({ step_id: id }) => [id, reachableFrom(structure, id, ({ takesTime }) => !takesTime)] as const,
    ),
  )
  const reaches = (from: StepId, to: StepId) => atOnce.get(from)?.has(to) === true
  const told = new Set<StepId>()
  return structure.steps.flatMap(({ step_id: id }) => {
    if (told.has(id) || !reaches(id, id)) return []
    const circle = structure.steps
      .map((step) => step.step_id)
      .filter((other) => reaches(id, other) && reaches(other, id))
    for (const each of circle) told.add(each)
    return [circle]
  })
}
