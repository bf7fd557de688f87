// What follows a flow through its life in memory: its messages wait while it is paused and end with it, and from its
// activation on there is work to look for. On PostgreSQL triggers of the table do this.
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

/** In the transaction that writes the change. */
export const followFlow = Effect.fnUntraced(function* (db: Rows, ws: WorkspaceId, { after, before }: FlowChange) {
  const [was, is] = [before?.lifecycle.status ?? "draft", after?.lifecycle.status ?? null]
  const id = after?.id ?? before?.id
  if (was === is || id === undefined) return
  for (const step of yield* db.all(sendingSteps, ws)) {
    if (step.flowId !== id || step.status !== "sending") continue
    const ended = is === null || is === "archived"
    yield* db.put(sendingSteps, ws, step.id, {
      ...step,
      status: ended ? "cancelled" : "sending",
      paused: !ended && is !== "active",
    })
  }
  yield* makeDue(db, ws)
  if (is === null) yield* removed(db, ws, id)
  if (is === "active") yield* activated(db, ws, id)
})

const activated = Effect.fnUntraced(function* (db: Rows, ws: WorkspaceId, id: FlowId) {
  yield* db.put(activations, ws, id, yield* lastPosition(db, ws))
  if ((yield* db.find(flowClock, ws, "dates")) === undefined) yield* db.put(flowClock, ws, "dates", yield* DateTime.now)
  const dueAt_ms = yield* Clock.currentTimeMillis
  for (const kind of flowWork) {
    yield* db.put(waitingWork, null, workKey(kind, ws), { workspace: ws, kind, dueAt_ms, looks: 0 })
  }
})

const removed = Effect.fnUntraced(function* (db: Rows, ws: WorkspaceId, id: FlowId) {
  for (const { membership } of yield* db.all(memberships, ws)) {
    if (membership.flowId !== id) continue
    yield* db.remove(memberships, ws, membership.id)
    yield* db.remove(timelines, ws, membership.id)
  }
  yield* db.remove(activations, ws, id)
})
