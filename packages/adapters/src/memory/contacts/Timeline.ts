// Timelines in memory: stored activities, and the times of deliveries.
import { type DeliveryActivityType, isDeliveryActivity } from "@tentpole/core/contacts/Activity"
import type { RecordedActivity } from "@tentpole/core/contacts/ContactStore"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { about } from "@tentpole/core/tracking/Engagement"
import { type DateTime, Effect } from "effect"
import type { Rows } from "../kernel/MemoryDatabase.ts"
import { byId } from "../kernel/Slices.ts"
import { deliveries, type DeliveryRow } from "../sending/DeliveryTables.ts"
import { activities } from "./ContactTables.ts"

/** The activities of all contacts, in the order of timelines. */
export const timelineOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const stored: ReadonlyArray<RecordedActivity> = yield* db.all(activities, workspace)
  const times = (yield* db.all(deliveries, workspace)).filter((row) => !row.contactDeleted).flatMap(timesOf)
  return [...times, ...stored].sort(
    (a, b) =>
      a.at.epochMilliseconds - b.at.epochMilliseconds ||
      Number(isDeliveryActivity(b.type)) - Number(isDeliveryActivity(a.type)) ||
      byId(a, b),
  )
})

const timesOf = (row: DeliveryRow): ReadonlyArray<RecordedActivity> => [
  ...timeOf(row, "email_sent", row.sentAt, "8"),
  ...timeOf(row, "email_delivered", row.deliveredAt, "9"),
]

/** `variant`: the digit by which the id differs from the delivery's. */
const timeOf = (row: DeliveryRow, type: DeliveryActivityType, at: DateTime.Utc | null, variant: string) => {
  if (at === null || row.contactId === null) return []
  const id = `${row.id.slice(0, 19)}${variant}${row.id.slice(20)}`
  return [{ id, contactId: row.contactId, type, at, metadata: about(row) }]
}
