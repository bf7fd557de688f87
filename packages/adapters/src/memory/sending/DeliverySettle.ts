// Settlement in memory: deliveries, timelines, events and suppressed addresses.
import type { Activity, ActivityType } from "@tentpole/core/contacts/Activity"
import { about } from "@tentpole/core/tracking/Engagement"
import type { Settlement } from "@tentpole/core/sending/Settlement"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { DomainEvent } from "@tentpole/core/kernel/changes/Outbox"
import { Clock, DateTime, Effect } from "effect"
import { contacts, writeActivities } from "../contacts/ContactStore.ts"
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
    sentAt: sent ? (after.sentAt ?? at) : after.sentAt,
    deliveredAt: sent && delivered ? (after.deliveredAt ?? at) : after.deliveredAt,
    bouncedAt: hardBounce ? (after.bouncedAt ?? at) : after.bouncedAt,
    bounceKind: bounce ?? after.bounceKind,
  }
  yield* putMoved(db, workspace, before, row)
  if (hardBounce && row.emailNormalized !== null) yield* suppress(db, workspace, row.emailNormalized, "bounce", at)
  if (bounce === "soft") yield* suppressWornOut(db, workspace, row, at)
  const contact = yield* db.find(contacts, workspace, after.contactId)
  if (contact === undefined) return
  const activity = (type: ActivityType, more: Readonly<Record<string, string | null>> = {}): Activity => ({
    contactId: contact.id,
    type,
    at,
    metadata: { ...about(after), ...more },
  })
  const activities = [
    ...(sent ? [activity("email_sent")] : []),
    ...(sent && delivered ? [activity("email_delivered")] : []),
    ...(hardBounce ? [activity("email_bounced", { kind: "hard", reply: reply ?? after.smtpReply })] : []),
  ]
  yield* writeActivities(db, workspace, activities)
  const events: Array<DomainEvent> = activities.map(({ contactId, type, metadata }) => ({
    type,
    contactId,
    at,
    data: metadata,
  }))
  if (hardBounce && contact.emailNormalized === after.emailNormalized && !contact.marketingEmailInvalid) {
    yield* db.put(contacts, workspace, contact.id, { ...contact, marketingEmailInvalid: true, updatedAt: at })
    events.push({
      type: "contact_updated",
      contactId: contact.id,
      at,
      data: { changes: [{ field: "marketing_email_invalid", from: false, to: true }] },
    })
  }
  yield* appendEvents(db, workspace, events)
})
