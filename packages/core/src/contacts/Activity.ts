// One entry of a contact's timeline. Changes carry activities; stores write them with the change.
import type { DateTime } from "effect"
import type { ContactId } from "../kernel/Ids.ts"

export const activityTypes = [
  "contact_created",
  "contact_updated",
  "email_sent",
  "email_delivered",
  "email_opened",
  "email_clicked",
  "email_bounced",
  "email_unsubscribed",
  "email_complained",
  "form_submission",
  "list_added",
  "list_removed",
  "flow_entered",
  "flow_completed",
  "flow_dropped",
] as const
export type ActivityType = (typeof activityTypes)[number]

/** Activities of the contact, as opposed to activities of the system. They set `last_activity_at`. */
export const ownActivityTypes: ReadonlySet<ActivityType> = new Set([
  "email_opened",
  "email_clicked",
  "email_unsubscribed",
  "email_complained",
  "form_submission",
])

export interface Activity {
  readonly contactId: ContactId
  readonly type: ActivityType
  readonly at: DateTime.Utc
  /** JSON with the names of the API. */
  readonly metadata: Readonly<Record<string, unknown>>
}
