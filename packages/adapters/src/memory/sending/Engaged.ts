// What engagement and bounce reports write in memory: a delivery, its contact, its address and the timeline.
import type { Activity } from "@tentpole/core/contacts/Activity"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { countsOfRecipients } from "@tentpole/core/figures/DayFigures"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Delivery } from "@tentpole/core/sending/Delivery"
import type { SuppressionReason } from "@tentpole/core/sending/Suppression"
import { type DateTime, Effect } from "effect"
import { contacts, writeActivities } from "../contacts/ContactStore.ts"
import { contactOf } from "../contacts/ContactTables.ts"
import { addDayCounts } from "../figures/DayFigures.ts"
import { putMoved } from "../flows/MembershipTables.ts"
import type { Rows } from "../kernel/MemoryDatabase.ts"
import { deliveries, type DeliveryRow } from "./DeliveryTables.ts"
import { suppress } from "./Suppressions.ts"

type Engaged = Delivery & Pick<DeliveryRow, "emailNormalized"> & { readonly contact: Contact | null }

export const putEngaged = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  change: { readonly before: Engaged; readonly activities: ReadonlyArray<Activity>; readonly at: DateTime.Utc },
  { after, suppression }: { readonly after: Engaged; readonly suppression: SuppressionReason | null },
) {
  const { activities, at, before } = change
  const row = yield* db.find(deliveries, workspace, before.id)
  if (row?.state !== before.state) return yield* Effect.die(`delivery ${before.id} is no longer what was decided on`)
  const { contact, ...delivery } = after
  yield* putMoved(db, workspace, row, { ...row, ...delivery, contactId: row.contactId })
  if (suppression !== null && before.emailNormalized !== null) {
    yield* suppress(db, workspace, { email: before.emailNormalized, reason: suppression, createdAt: at })
  }
  const stored = yield* contactOf(db, workspace, before.contactId)
  if (stored !== undefined && contact !== null && contact !== before.contact) {
    const marketingEmailInvalid = stored.marketingEmailInvalid || contact.marketingEmailInvalid
    const unsubscribed = stored.unsubscribed || contact.unsubscribed
    yield* addDayCounts(db, workspace, countsOfRecipients([{ before: { contact: stored }, after, at }]))
    yield* db.put(contacts, workspace, stored.id, { ...stored, marketingEmailInvalid, unsubscribed, updatedAt: at })
  }
  yield* writeActivities(db, workspace, activities)
})
