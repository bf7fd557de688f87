// Wire schemas of a contact and its activities.
import { activityTypes } from "@tentpole/core/contacts/Activity"
import type { Contact } from "@tentpole/core/contacts/Contact"
import type { ContactView } from "@tentpole/core/contacts/Contacts"
import type { RecordedActivity } from "@tentpole/core/contacts/ContactStore"
import { ContactId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { InstantWire, iso, PaginationWire, toSnakeCase } from "../../Wire.ts"

const text = Schema.NullOr(Schema.String)

const standard = {
  contact_id: ContactId,
  display_name: text,
  first_name: text,
  last_name: text,
  company: text,
  job_title: text,
  city: text,
  state: text,
  country: text,
  email: text.annotate({ description: "As it was entered" }),
  phone: text.annotate({ description: "In E.164 format" }),
  address: text,
  address2: text,
  zip_code: text,
  lead_status: text,
  lifecycle_stage: text,
  service_score: Schema.NullOr(Schema.Finite),
  unsubscribed: Schema.Boolean,
  marketing_email_subscribed: Schema.NullOr(Schema.Boolean),
  marketing_sms_subscribed: Schema.NullOr(Schema.Boolean),
  marketing_email_invalid: Schema.Boolean.annotate({
    description: "Read-only. True after a marketing email hard-bounced; false again when the address changes",
  }),
  original_source: text,
  original_source_detail: text,
  created_at: InstantWire,
  updated_at: InstantWire,
  last_activity_at: Schema.NullOr(InstantWire).annotate({ description: "Time of the contact's last activity" }),
}

export const CustomFieldsWire = Schema.Record(
  Schema.String,
  Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Array(Schema.String)])),
).annotate({
  description:
    "Values by the `api_name` of the custom field; null for no value. Tags are an array of words, which an update replaces",
})

export const ContactWire = Schema.Struct({ ...standard, custom_fields: CustomFieldsWire }).annotate({
  identifier: "Contact",
})

/** Lookups have `custom_fields`, listings do not. */
export const ListedContactWire = Schema.Struct({
  ...standard,
  custom_fields: Schema.optionalKey(CustomFieldsWire),
}).annotate({ identifier: "ListedContact" })

/** A contact in listings and searches. */
export const toListedContact = ({
  id,
  emailNormalized: _,
  customFields: __,
  ...fields
}: Contact): typeof ListedContactWire.Type => ({ contact_id: id, ...toSnakeCase(fields) })

export const toContactWire = ({ contact, customFields }: ContactView): typeof ContactWire.Type => ({
  ...toListedContact(contact),
  custom_fields: customFields,
})

const ActivityWire = Schema.Struct({
  activity_id: Schema.String,
  type: Schema.Literals(activityTypes),
  timestamp: InstantWire,
  metadata: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "Data of this type of activity. An update has `changes` with `field`, `from` and `to`",
    examples: [{ changes: [{ field: "city", from: null, to: "Bern" }] }],
  }),
}).annotate({ identifier: "Activity" })

export const ActivitiesAnswer = Schema.Struct({
  activities: Schema.Array(ActivityWire),
  pagination: PaginationWire,
}).annotate({ identifier: "Activities" })

export const toActivity = ({ at, id, metadata, type }: RecordedActivity): typeof ActivityWire.Type => ({
  activity_id: id,
  type,
  timestamp: iso(at),
  metadata,
})
