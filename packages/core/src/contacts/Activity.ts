// A line of a contact's timeline. Changes carry these, stores write them with the change.
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

/** What the person did, as against what was done to them: these move `last_activity_at`. */
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
  /** JSON, wire names. */
  readonly metadata: Readonly<Record<string, unknown>>
}
