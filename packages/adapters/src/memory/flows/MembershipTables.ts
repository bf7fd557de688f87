// The memory tables of flow memberships, of the sending rows of their steps, and of due flow work.
import type { FlowWork } from "@tentpole/core/flows/engine/FlowQueue"
import { isLive, type Membership, type TimelineEntry } from "@tentpole/core/flows/members/Membership"
import { awaitedVisitOf } from "@tentpole/core/flows/members/MemberDeliveries"
import { tallyMoves } from "@tentpole/core/flows/members/TallyMoves"
import { finalStates } from "@tentpole/core/sending/Delivery"
import type { BlastId, ContactId, FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import { deliveries, type DeliveryRow, isFailed } from "../sending/DeliveryTables.ts"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"

export interface MemberRow {
  readonly membership: Membership
  /** When the membership can advance; null: it waits for an event. */
  readonly dueAt: DateTime.Utc | null
}

export const memberships = table<MemberRow>("flow_membership")
/** By membership id. */
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
  /** Grows with each turn. */
  readonly token: number
}

/** By kind and workspace. The rows are stored outside workspaces. */
export const waitingWork = table<WaitingWork>("due_work flows")
export const workKey = (kind: FlowWork, workspace: WorkspaceId): string => `${kind} ${workspace}`

/** Ids that executed steps created, by membership, visit and attempt. */
export const createdIds = table<string>("flow_made")

/** By flow, contact and day. */
export const firedDates = table<ContactId>("flow_date_fired")
/** The time up to which date triggers were checked, under the key `dates`. */
export const flowClock = table<DateTime.Utc>("flow_clock")
/** The outbox position at a flow's activation, by flow id. */
export const activations = table<string>("flow activated_after")

/** Records that there is work from a time on. Does nothing in a workspace where no flow was ever active. */
export const hintDue = Effect.fnUntraced(function* (
  db: Rows,
  kind: FlowWork,
  workspace: WorkspaceId,
  at: DateTime.Utc,
) {
  const key = workKey(kind, workspace)
  const work = yield* db.find(waitingWork, null, key)
  if (work === undefined) return
  const dueAt_ms = Math.min(at.epochMilliseconds, work.dueAt_ms)
  yield* db.put(waitingWork, null, key, { ...work, dueAt_ms })
})

/** Writes a changed delivery. When a membership's message has ended, the membership becomes due. */
export const putMoved = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  before: DeliveryRow,
  after: DeliveryRow,
) {
  const failedAt = isFailed(after) ? (after.failedAt ?? (yield* DateTime.now)) : null
  yield* db.put(deliveries, workspace, after.id, { ...after, failedAt })
  if (after.flow === null || finalStates.has(before.state) || !finalStates.has(after.state)) return
  const row = yield* db.find(memberships, workspace, after.flow.membershipId)
  if (row === undefined || awaitedVisitOf(row.membership.state) !== after.flow.visit) return
  const now = yield* DateTime.now
  yield* db.put(memberships, workspace, row.membership.id, { ...row, dueAt: now })
  yield* hintDue(db, "flows", workspace, now)
})

/** Whether the membership no longer waits for this message, so that it must not be sent. */
export const isWithdrawn = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, { flow }: DeliveryRow) {
  if (flow === null) return false
  const state = (yield* db.find(memberships, workspace, flow.membershipId))?.membership.state
  return state?.status !== "active" || awaitedVisitOf(state) !== flow.visit
})

/** Makes the live memberships of deleted contacts due, so that they are dropped. */
export const leaveFlows = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  deletedIds: ReadonlySet<ContactId>,
) {
  const now = yield* DateTime.now
  for (const row of yield* db.all(memberships, workspace)) {
    const { contactId, id, state } = row.membership
    if (deletedIds.has(contactId) && isLive(state)) yield* db.put(memberships, workspace, id, { ...row, dueAt: now })
  }
  yield* hintDue(db, "flows", workspace, now)
})

/** The counts of memberships. */
export const countMemberships = (db: Rows, workspace: WorkspaceId) =>
  Effect.map(db.all(memberships, workspace), (rows) =>
    tallyMoves(rows.map(({ membership }) => ({ before: null, after: membership }))),
  )
