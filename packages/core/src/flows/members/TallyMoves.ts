// The counters of flows: how changes of memberships move them. Stores add the moves; they count nothing themselves.
import { DateTime } from "effect"
import type { FlowTally } from "../definition/FlowStore.ts"
import type { StepId } from "../definition/Step.ts"
import type { FlowId } from "../../kernel/Ids.ts"
import { currentStepOf, isLive, type Membership } from "./Membership.ts"

/** The part of a membership that counters depend on. */
export type CountedMembership = Pick<Membership, "enteredAt" | "flowId" | "state">

/** Before null: the membership is new. After null: it is deleted. */
export interface CountedChange {
  readonly before: CountedMembership | null
  readonly after: CountedMembership | null
}

/** Differences by flow. A move of the tally may be all zeros; a step that does not move is missing. */
export interface TallyMoves {
  readonly tallies: ReadonlyMap<FlowId, FlowTally>
  readonly steps: ReadonlyMap<FlowId, ReadonlyMap<StepId, number>>
}

export const emptyTally: FlowTally = { active: 0, waiting: 0, completed: 0, dropped: 0, failed: 0, lastEntryAt: null }

const latest = (left: DateTime.Utc | null, right: DateTime.Utc): DateTime.Utc =>
  left === null ? right : DateTime.max(left, right)

/** The sum of the changes. Of memberships without a `before`, it is their count. */
export const tallyMoves = (changes: ReadonlyArray<CountedChange>): TallyMoves => {
  const tallies = new Map<FlowId, FlowTally>()
  const steps = new Map<FlowId, Map<StepId, number>>()
  const count = ({ flowId, state }: CountedMembership, difference: 1 | -1): void => {
    const tally = tallies.get(flowId) ?? emptyTally
    tallies.set(flowId, { ...tally, [state.status]: tally[state.status] + difference })
    const step = isLive(state) ? currentStepOf(state) : null
    if (step === null) return
    const members = steps.get(flowId) ?? new Map<StepId, number>()
    const sum = (members.get(step) ?? 0) + difference
    if (sum === 0) members.delete(step)
    else members.set(step, sum)
    steps.set(flowId, members)
  }
  for (const { after, before } of changes) {
    if (before !== null) count(before, -1)
    if (after !== null) count(after, 1)
    if (before !== null || after === null) continue
    const tally = tallies.get(after.flowId) ?? emptyTally
    tallies.set(after.flowId, { ...tally, lastEntryAt: latest(tally.lastEntryAt, after.enteredAt) })
  }
  return { tallies, steps }
}
