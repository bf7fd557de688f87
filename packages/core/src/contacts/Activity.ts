// One entry of a contact's timeline. Changes carry activities, which stores write with the change; deliveries are the others.
import type { DateTime } from "effect"
import type { ContactId } from "../kernel/Ids.ts"

/** The activities that rules ask about. */
export const ruleActivityTypes = [
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
export const activityTypes = [
  ...ruleActivityTypes,
  "contact_merged",
  "subscription_requested",
  "subscription_confirmed",
  "subscription_changed",
] as const
export type RuleActivityType = (typeof ruleActivityTypes)[number]
export type ActivityType = (typeof activityTypes)[number]

/** Activities of the contact, as opposed to activities of the system. They set `last_activity_at`. */
export const ownActivityTypes: ReadonlySet<ActivityType> = new Set([
  "email_opened",
  "email_clicked",
  "email_unsubscribed",
  "email_complained",
  "form_submission",
])

/** Activities that are times of a delivery: `sent_at` and `delivered_at`. No row repeats them. */
export const deliveryActivityTypes = ["email_sent", "email_delivered"] as const satisfies ReadonlyArray<ActivityType>
export type DeliveryActivityType = (typeof deliveryActivityTypes)[number]

export const isDeliveryActivity = (type: ActivityType): type is DeliveryActivityType =>
  deliveryActivityTypes.some((each) => each === type)

/** What rules read of an activity. */
export interface PastActivity {
  readonly type: ActivityType
  readonly at: DateTime.Utc
}

/** An activity that a change adds to a timeline. */
export interface Activity {
  readonly contactId: ContactId
  readonly type: Exclude<ActivityType, DeliveryActivityType>
  readonly at: DateTime.Utc
  /** JSON with the names of the API. */
  readonly metadata: Readonly<Record<string, unknown>>
}
