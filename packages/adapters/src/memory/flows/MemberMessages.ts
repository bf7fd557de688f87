// The messages of flow memberships in memory: deliveries that belong to a sending row of their step.
import type { MembershipChange } from "@tentpole/core/flows/members/MembershipChange"
import { BlastId, DeliveryId, type FlowId, type Ids, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import { contacts } from "../contacts/ContactTables.ts"
import { deliveries, makeDue, moved, newDelivery } from "../sending/DeliveryTables.ts"
import { putMoved, sendingSteps } from "./MembershipTables.ts"
import type { Rows } from "../kernel/MemoryDatabase.ts"

/** The id of the step's sending row, which its first message creates. */
const stepOf = Effect.fnUntraced(function* (
  db: Rows,
  ids: Ids["Service"],
  workspace: WorkspaceId,
  step: { readonly flowId: FlowId; readonly stepId: string },
) {
  const there = (yield* db.all(sendingSteps, workspace)).find(
    ({ flowId, stepId }) => flowId === step.flowId && stepId === step.stepId,
  )
  if (there !== undefined) return there.id
  const id = BlastId.make(yield* ids.next)
  yield* db.put(sendingSteps, workspace, id, { ...step, id, status: "sending", paused: false })
  return id
})

export const sendMessages = Effect.fnUntraced(function* (
  db: Rows,
  ids: Ids["Service"],
  workspace: WorkspaceId,
  { after, commands }: MembershipChange,
) {
  const { contactId, flowId, id: membershipId } = after
  for (const command of commands) {
    const contact = yield* db.find(contacts, workspace, contactId)
    if (command.type !== "send_email" || contact === undefined) continue
    const { approvalId, operational, stepId, tokens, visit } = command
    const id = DeliveryId.make(yield* ids.next)
    const blastId = yield* stepOf(db, ids, workspace, { flowId, stepId })
    const flow = { membershipId, flowId, stepId, visit, tokens }
    const message = { id, blastId, flow, contactId, approvalId, operational }
    yield* db.put(deliveries, workspace, id, newDelivery(message, contact, undefined, yield* DateTime.now))
    yield* makeDue(db, workspace)
  }
})

export const withdrawMessages = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { after, commands }: MembershipChange,
) {
  for (const command of commands) {
    if (command.type !== "withdraw_email") continue
    for (const row of yield* db.all(deliveries, workspace)) {
      if (row.flow?.membershipId !== after.id || row.flow.visit !== command.visit) continue
      const ended = moved(row, { _tag: "end", ending: "cancelled" })
      if (ended !== undefined) yield* putMoved(db, workspace, row, ended)
    }
  }
})
