// Effects of a flow's status changes in memory. Messages wait while the flow is paused and end with it; activation creates
// the flow's due work. In PostgreSQL, database triggers do this.
import type { FlowChange } from "@tentpole/core/flows/definition/machine"
import { flowWork } from "@tentpole/core/flows/engine/FlowQueue"
import type { FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Clock, DateTime, Effect } from "effect"
import { makeDue } from "../sending/DeliveryTables.ts"
import {
  activations,
  flowClock,
  memberships,
  sendingSteps,
  timelines,
  waitingWork,
  workKey,
} from "./MembershipTables.ts"
import type { Rows } from "../kernel/MemoryDatabase.ts"
import { lastPosition } from "../kernel/Outbox.ts"

/** Runs in the transaction that writes the change. */
export const applyStatusChange = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { after, before }: FlowChange,
) {
  const [was, is] = [before?.lifecycle.status ?? "draft", after?.lifecycle.status ?? null]
  const id = after?.id ?? before?.id
  if (was === is || id === undefined) return
  for (const step of yield* db.all(sendingSteps, workspace)) {
    if (step.flowId !== id || step.status !== "sending") continue
    const ended = is === null || is === "archived"
    yield* db.put(sendingSteps, workspace, step.id, {
      ...step,
      status: ended ? "cancelled" : "sending",
      paused: !ended && is !== "active",
    })
  }
  yield* makeDue(db, workspace)
  if (is === null) yield* deleteMemberships(db, workspace, id)
  if (is === "active") yield* startWork(db, workspace, id)
})

const startWork = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: FlowId) {
  yield* db.put(activations, workspace, id, yield* lastPosition(db, workspace))
  if ((yield* db.find(flowClock, workspace, "dates")) === undefined)
    yield* db.put(flowClock, workspace, "dates", yield* DateTime.now)
  const dueAt_ms = yield* Clock.currentTimeMillis
  for (const kind of flowWork) {
    yield* db.put(waitingWork, null, workKey(kind, workspace), { workspace, kind, dueAt_ms, looks: 0 })
  }
})

const deleteMemberships = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: FlowId) {
  for (const { membership } of yield* db.all(memberships, workspace)) {
    if (membership.flowId !== id) continue
    yield* db.remove(memberships, workspace, membership.id)
    yield* db.remove(timelines, workspace, membership.id)
  }
  yield* db.remove(activations, workspace, id)
})
