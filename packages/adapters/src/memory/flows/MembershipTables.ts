// The tables of members of flows in memory, what stands for their steps among the blasts, and what wakes them.
import type { FlowTally } from "@tentpole/core/flows/definition/FlowStore"
import type { FlowWork } from "@tentpole/core/flows/engine/FlowQueue"
import { currentStepOf, isLive, type Membership, type TimelineEntry } from "@tentpole/core/flows/members/Membership"
import { awaitedVisitOf } from "@tentpole/core/flows/members/MemberDeliveries"
import { finalStates } from "@tentpole/core/sending/Delivery"
import type { BlastId, ContactId, FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Clock, DateTime, Effect } from "effect"
import { deliveries, type DeliveryRow } from "../sending/DeliveryTables.ts"
import { flowStepTallies, flowTallies } from "./FlowTables.ts"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"

export interface MemberRow {
  readonly membership: Membership
  /** When to look at them; null: something has to happen first. */
  readonly dueAt: DateTime.Utc | null
}

export const memberships = table<MemberRow>("flow_membership")
/** By membership. */
export const timelines = table<ReadonlyArray<TimelineEntry>>("flow_event")

interface SendingStep {
  readonly id: BlastId
  readonly flowId: FlowId
  readonly stepId: string
  readonly status: "sending" | "cancelled"
  readonly paused: boolean
}

/** By blast id. */
export const sendingSteps = table<SendingStep>("blast of a flow's step")

interface WaitingWork {
  readonly workspace: WorkspaceId
  readonly kind: FlowWork
  readonly dueAt_ms: number
  /** Looks in vain since the last hint. */
  readonly looks: number
}

/** By kind and workspace; belongs to none. */
export const waitingWork = table<WaitingWork>("due_work flows")
export const workKey = (kind: FlowWork, workspace: WorkspaceId): string => `${kind} ${workspace}`

/** What visits have had made for them, by membership, visit and attempt. */
export const madeIds = table<string>("flow_made")

/** By flow, contact and day. */
export const firedDates = table<ContactId>("flow_date_fired")
/** Up to when dates have been looked at, under `dates`. */
export const flowClock = table<DateTime.Utc>("flow_clock")
/** How far the outbox was when the flow was activated, by flow. */
export const activations = table<string>("flow activated_in")

/** Says that there may be work; nothing where no flow has ever run. */
export const hintDue = Effect.fnUntraced(function* (db: Rows, kind: FlowWork, workspace: WorkspaceId) {
  const key = workKey(kind, workspace)
  const there = yield* db.find(waitingWork, null, key)
  if (there === undefined) return
  const now = yield* Clock.currentTimeMillis
  yield* db.put(waitingWork, null, key, { ...there, dueAt_ms: Math.min(now, there.dueAt_ms), looks: 0 })
})

/** Writes a delivery that has moved; when a member's message has ended, the member is woken. */
export const putMoved = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  before: DeliveryRow,
  after: DeliveryRow,
) {
  yield* db.put(deliveries, workspace, after.id, after)
  if (after.flow === null || finalStates.has(before.state) || !finalStates.has(after.state)) return
  const row = yield* db.find(memberships, workspace, after.flow.membershipId)
  if (row === undefined || awaitedVisitOf(row.membership.state) !== after.flow.visit) return
  yield* db.put(memberships, workspace, row.membership.id, { ...row, dueAt: yield* DateTime.now })
  yield* hintDue(db, "flows", workspace)
})

/** The member does not wait for this message any more, and is not to be sent it. */
export const isWithdrawn = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, { flow }: DeliveryRow) {
  if (flow === null) return false
  const state = (yield* db.find(memberships, workspace, flow.membershipId))?.membership.state
  return state?.status !== "active" || awaitedVisitOf(state) !== flow.visit
})

/** Those on the way are looked at, and dropped. */
export const leaveFlows = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, gone: ReadonlySet<ContactId>) {
  const now = yield* DateTime.now
  for (const row of yield* db.all(memberships, workspace)) {
    const { contactId, id, state } = row.membership
    if (gone.has(contactId) && isLive(state)) yield* db.put(memberships, workspace, id, { ...row, dueAt: now })
  }
  yield* hintDue(db, "flows", workspace)
})

const nobody: FlowTally = { active: 0, waiting: 0, completed: 0, dropped: 0, failed: 0, lastEntryAt: null }

/** Counts the members of a flow anew. */
export const recount = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, flow: FlowId) {
  const steps = new Map<string, number>()
  let tally = nobody
  for (const { membership } of yield* db.all(memberships, workspace)) {
    const { enteredAt, flowId, state } = membership
    if (flowId !== flow) continue
    const { lastEntryAt } = tally
    tally = {
      ...tally,
      [state.status]: tally[state.status] + 1,
      lastEntryAt: lastEntryAt === null ? enteredAt : DateTime.max(lastEntryAt, enteredAt),
    }
    const step = isLive(state) ? currentStepOf(state) : null
    if (step !== null) steps.set(step, (steps.get(step) ?? 0) + 1)
  }
  yield* db.put(flowTallies, workspace, flow, tally)
  yield* db.put(flowStepTallies, workspace, flow, steps)
})
