// Schemas of consent: what a caller gives, and the records.
import { OffsetInstant } from "@tentpole/core/contacts/values/OffsetInstant"
import {
  ConsentRecordId,
  ContactId,
  ImportRunId,
  MessageId,
  SubmissionId,
  TentId,
  TopicId,
} from "@tentpole/core/kernel/Ids"
import { consentActions, consentSources, type HashedRecord } from "@tentpole/core/topics/ConsentRecord"
import {
  consent_source_length_max,
  consent_text_length_max,
  consent_user_agent_length_max,
} from "@tentpole/core/topics/GivenConsent"
import { Schema } from "effect"
import { InstantWire, iso, listing, oneOf, Text } from "../../Wire.ts"

export const ConsentInput = Schema.Struct({
  text: Text(consent_text_length_max, 1).annotate({
    description: "What the person agreed to, in the words that they were shown",
    examples: ["Yes, send me the monthly letter."],
  }),
  source: Text(consent_source_length_max, 1).annotate({
    description: "Where they agreed",
    examples: ["checkout"],
  }),
  ip: Schema.optionalKey(Text(45, 1)).annotate({
    description: "The address of the person. Only its network is stored: /24 of IPv4, /48 of IPv6",
    examples: ["203.0.113.77"],
  }),
  user_agent: Schema.optionalKey(Text(consent_user_agent_length_max, 1)),
  collected_at: Schema.optionalKey(OffsetInstant).annotate({ description: "When they agreed. Default: now" }),
}).annotate({ identifier: "ConsentInput" })

const TextOrNull = Schema.NullOr(Schema.String)

export const ConsentRecordWire = Schema.Struct({
  consent_record_id: ConsentRecordId,
  contact_id: ContactId,
  topic_id: Schema.NullOr(TopicId).annotate({ description: "null: all marketing. The topic may be deleted" }),
  action: oneOf(...consentActions).annotate({
    description:
      "`requested`: the person has to confirm. `granted`, `withdrawn`: without confirmation. `imported`: by an import",
  }),
  at: InstantWire,
  source: oneOf(...consentSources),
  source_detail: TextOrNull.annotate({ description: "The `source` that the caller gave" }),
  text: TextOrNull.annotate({ description: "What the person was shown" }),
  text_sha256: TextOrNull,
  ip_prefix: TextOrNull.annotate({ description: "The network of the person: /24 of IPv4, /48 of IPv6" }),
  user_agent: TextOrNull,
  tent_id: Schema.NullOr(TentId),
  form_id: TextOrNull,
  submission_id: Schema.NullOr(SubmissionId),
  import_run_id: Schema.NullOr(ImportRunId),
  message_id: Schema.NullOr(MessageId).annotate({ description: "The message by whose link the person answered" }),
  key_prefix: TextOrNull.annotate({ description: "The beginning of the API key of the caller" }),
}).annotate({ identifier: "ConsentRecord" })

export const ConsentRecordsWire = listing({ consent_records: Schema.Array(ConsentRecordWire) }).annotate({
  identifier: "ConsentRecords",
  description: "The newest first",
})

export const toConsentRecord = (record: HashedRecord): typeof ConsentRecordWire.Type => ({
  consent_record_id: record.id,
  contact_id: record.contactId,
  topic_id: record.topicId,
  action: record.action,
  at: iso(record.at),
  source: record.source,
  source_detail: record.sourceDetail,
  text: record.text,
  text_sha256: record.textSha256,
  ip_prefix: record.ipPrefix,
  user_agent: record.userAgent,
  tent_id: record.tentId,
  form_id: record.formId,
  submission_id: record.submissionId,
  import_run_id: record.importRunId,
  message_id: record.messageId === null ? null : MessageId.make(record.messageId),
  key_prefix: record.keyPrefix,
})
