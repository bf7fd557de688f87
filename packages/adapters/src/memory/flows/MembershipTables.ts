// The memory tables of flow memberships, and of the sending rows of their steps.
import { isLive, type Membership, type TimelineEntry } from "@tentpole/core/flows/members/Membership"
import { awaitedVisitOf } from "@tentpole/core/flows/members/MemberDeliveries"
import { tallyMoves } from "@tentpole/core/flows/members/TallyMoves"
import { unsentEvent } from "@tentpole/core/tracking/UnsentEvent"
import { finalStates } from "@tentpole/core/sending/Delivery"
import type { BlastId, ContactId, FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import { contacts } from "../contacts/ContactTables.ts"
import { deletePassingContent } from "../messages/MessageTables.ts"
import { deliveries, type DeliveryRow, isFailed } from "../sending/DeliveryTables.ts"
import { appendEvents } from "../kernel/Outbox.ts"
import { hintDue } from "../kernel/DueWork.ts"
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

/** Ids that executed steps created, by membership, visit and attempt. */
export const createdIds = table<string>("flow_made")

interface FiredDate {
  readonly flowId: FlowId
  readonly contactId: ContactId
  readonly day: string
}

export const firedKey = ({ contactId, day, flowId }: FiredDate): string => `${flowId} ${contactId} ${day}`

/** By flow, contact and day: `firedKey`. */
export const firedDates = table<FiredDate>("flow_date_fired")
/** The time up to which date triggers were checked, under the key `dates`. */
export const flowClock = table<DateTime.Utc>("flow_clock")
/** The outbox position at a flow's activation, by flow id. */
export const activations = table<string>("flow activated_after")

/** Writes a changed delivery, with its event if it ends unsent. When a membership's message has ended, the membership becomes due. */
export const putMoved = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  before: DeliveryRow,
  after: DeliveryRow,
) {
  const failedAt = isFailed(after) ? (after.failedAt ?? (yield* DateTime.now)) : null
  yield* db.put(deliveries, workspace, after.id, { ...after, failedAt })
  const event = unsentEvent(before, after, failedAt ?? (yield* DateTime.now))
  const isGone = after.contactId !== null && (yield* db.find(contacts, workspace, after.contactId)) === undefined
  if (event !== null && !isGone) {
    yield* appendEvents(db, workspace, [event])
  }
  if (finalStates.has(before.state) || !finalStates.has(after.state)) return
  if (after.message !== null) yield* deletePassingContent(db, workspace, after.id)
  if (after.flow === null) return
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
