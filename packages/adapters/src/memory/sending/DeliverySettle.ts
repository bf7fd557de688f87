// Settlement in memory: deliveries, timelines, events and suppressed addresses.
import { recordsOf } from "@tentpole/core/tracking/Engagement"
import type { Settlement } from "@tentpole/core/sending/Settlement"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Clock, DateTime, Effect } from "effect"
import { contacts, writeActivities } from "../contacts/ContactStore.ts"
import { contactOf } from "../contacts/ContactTables.ts"
import { hintDue } from "../kernel/DueWork.ts"
import { deliveries, type DeliveryRow, moved } from "./DeliveryTables.ts"
import { putMoved } from "../flows/MembershipTables.ts"
import type { Rows } from "../kernel/MemoryDatabase.ts"
import { appendEvents } from "../kernel/Outbox.ts"
import { suppress, suppressWornOut } from "./Suppressions.ts"

export const settle = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  settlements: ReadonlyArray<Settlement>,
) {
  const missed: Array<DeliveryId> = []
  for (const settlement of settlements) {
    const row = yield* db.find(deliveries, workspace, settlement.id)
    if (row === undefined) {
      missed.push(settlement.id)
      continue
    }
    const after = moved(row, { _tag: "settle", token: settlement.token, ending: settlement.ending })
    if (after === undefined) {
      // An earlier settlement has written this outcome, and its answer got lost.
      if (row.token !== settlement.token || row.state !== settlement.ending.state) missed.push(settlement.id)
      continue
    }
    yield* write(db, workspace, row, after, settlement)
  }
  return missed
})

const write = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  before: DeliveryRow,
  after: DeliveryRow,
  { at, bounce, delivered, ending, pause_s, reply }: Settlement,
) {
  const sent = ending.state === "sent"
  const hardBounce = bounce === "hard"
  const now = yield* Clock.currentTimeMillis
  const row: DeliveryRow = {
    ...after,
    dueAt: ending.state === "queued" ? DateTime.makeUnsafe(now + pause_s * 1000) : after.dueAt,
    smtpReply: reply ?? after.smtpReply,
    failedAt: after.failedAt ?? at,
    sentAt: sent ? (after.sentAt ?? at) : after.sentAt,
    deliveredAt: sent && delivered ? (after.deliveredAt ?? at) : after.deliveredAt,
    bouncedAt: hardBounce ? (after.bouncedAt ?? at) : after.bouncedAt,
    bounceKind: bounce ?? after.bounceKind,
  }
  yield* putMoved(db, workspace, before, row)
  if (hardBounce && row.emailNormalized !== null)
    yield* suppress(db, workspace, { email: row.emailNormalized, reason: "bounce", createdAt: at })
  if (bounce === "soft") yield* suppressWornOut(db, workspace, row, at)
  if (ending.state === "queued") yield* hintDue(db, "messages", workspace, row.dueAt)
  const contact = (yield* contactOf(db, workspace, after.contactId)) ?? null
  if (contact === null && after.contactId !== null) return
  const invalidates = hardBounce && contact?.emailNormalized === after.emailNormalized
  const marked =
    contact === null ? null : { ...contact, marketingEmailInvalid: contact.marketingEmailInvalid || invalidates }
  const { activities, events } = recordsOf(
    { before: { ...before, contact }, after: { ...after, contact: marked }, at },
    [
      ...(sent ? [{ type: "email_sent" as const, at }] : []),
      ...(sent && delivered ? [{ type: "email_delivered" as const, at }] : []),
      ...(hardBounce ? [{ type: "email_bounced" as const, at, data: { kind: "hard", reply: row.smtpReply } }] : []),
    ],
  )
  yield* writeActivities(db, workspace, activities)
  if (contact !== null && marked !== null && marked.marketingEmailInvalid !== contact.marketingEmailInvalid) {
    yield* db.put(contacts, workspace, contact.id, { ...marked, updatedAt: at })
  }
  yield* appendEvents(db, workspace, events)
})
