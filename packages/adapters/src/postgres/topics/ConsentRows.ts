// Rows of `topic`, `topic_choice` and `consent_record`.
import type { ConsentRecord } from "@tentpole/core/topics/ConsentRecord"
import { String, Struct } from "effect"

/** The columns of a topic, of table `topic` under the alias `o`. */
export const topicColumns = `o.topic_id as id, o.name, o.slug, o.description, o.default_subscription as "defaultSubscription",
  o.visibility, o.double_opt_in as "doubleOptIn", o.position, o.status, o.created_at as "createdAt", o.updated_at as "updatedAt"`

/** The columns of a choice, of table `topic_choice` under the alias `h`. */
export const choiceColumns = `h.contact_id as "contactId", h.topic_id as "topicId", h.status, h.source, h.changed_at as "changedAt"`

/** The type of each property's column. */
const recordTypes: { readonly [Key in keyof Omit<ConsentRecord, "contactId">]: string } = {
  id: "uuid",
  topicId: "uuid",
  action: "text",
  at: "timestamptz",
  source: "text",
  sourceDetail: "text",
  text: "text",
  ipPrefix: "text",
  userAgent: "text",
  tentId: "uuid",
  formId: "text",
  submissionId: "uuid",
  importRunId: "uuid",
  messageId: "uuid",
  keyPrefix: "text",
}

/** The properties of a record that are columns of the same name, and the types of these. */
export const recordKeys = Struct.keys(recordTypes)
export const recordColumn = (key: keyof typeof recordTypes): string =>
  key === "id" ? "consent_record_id" : String.camelToSnake(key)
export const recordType = (key: keyof typeof recordTypes): string => recordTypes[key]

/** All columns but the workspace and the contact. */
export const recordColumns = [...recordKeys.map(recordColumn), "text_sha256"]

/** The columns of a record, of table `consent_record` under the alias `r`. */
export const readRecordColumns = [
  `r.contact_id as "contactId"`,
  ...recordKeys.map((key) => `r.${recordColumn(key)} as "${key}"`),
].join(", ")
