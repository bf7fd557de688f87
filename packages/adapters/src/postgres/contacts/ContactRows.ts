// Rows of `contact` and their conversion to contacts.
import type { Contact } from "@tentpole/core/contacts/Contact"
import { ContactId } from "@tentpole/core/kernel/Ids"
import { DateTime } from "effect"

export interface ContactRow {
  readonly contact_id: string
  readonly display_name: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly company: string | null
  readonly job_title: string | null
  readonly email: string | null
  readonly email_normalized: string | null
  readonly phone: string | null
  readonly address: string | null
  readonly address2: string | null
  readonly city: string | null
  readonly state: string | null
  readonly zip_code: string | null
  readonly country: string | null
  readonly lead_status: string | null
  readonly lifecycle_stage: string | null
  readonly service_score: number | null
  readonly unsubscribed: boolean
  readonly marketing_email_subscribed: boolean | null
  readonly marketing_sms_subscribed: boolean | null
  readonly marketing_email_invalid: boolean
  readonly original_source: string | null
  readonly original_source_detail: string | null
  readonly custom_fields: Contact["customFields"]
  readonly created_at: Date
  readonly updated_at: Date
  readonly last_activity_at: Date | null
}

/** The columns that `toContact` needs, of table `contact` under the alias `c`. */
export const contactColumns = `c.contact_id, c.display_name, c.first_name, c.last_name, c.company, c.job_title, c.email,
  c.email_normalized, c.phone, c.address, c.address2, c.city, c.state, c.zip_code, c.country, c.lead_status,
  c.lifecycle_stage, c.service_score, c.unsubscribed, c.marketing_email_subscribed, c.marketing_sms_subscribed,
  c.marketing_email_invalid, c.original_source, c.original_source_detail, c.custom_fields, c.created_at, c.updated_at,
  c.last_activity_at`

export const toContact = (row: ContactRow): Contact => ({
  id: ContactId.make(row.contact_id),
  displayName: row.display_name,
  firstName: row.first_name,
  lastName: row.last_name,
  company: row.company,
  jobTitle: row.job_title,
  email: row.email,
  emailNormalized: row.email_normalized,
  phone: row.phone,
  address: row.address,
  address2: row.address2,
  city: row.city,
  state: row.state,
  zipCode: row.zip_code,
  country: row.country,
  leadStatus: row.lead_status,
  lifecycleStage: row.lifecycle_stage,
  serviceScore: row.service_score,
  unsubscribed: row.unsubscribed,
  marketingEmailSubscribed: row.marketing_email_subscribed,
  marketingSmsSubscribed: row.marketing_sms_subscribed,
  marketingEmailInvalid: row.marketing_email_invalid,
  originalSource: row.original_source,
  originalSourceDetail: row.original_source_detail,
  customFields: row.custom_fields,
  createdAt: DateTime.makeUnsafe(row.created_at),
  updatedAt: DateTime.makeUnsafe(row.updated_at),
  lastActivityAt: row.last_activity_at === null ? null : DateTime.makeUnsafe(row.last_activity_at),
})
