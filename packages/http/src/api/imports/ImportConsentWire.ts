// The schema of the consent of an import.
import { OffsetInstant } from "@tentpole/core/contacts/values/OffsetInstant"
import type { ImportConsent } from "@tentpole/core/imports/Import"
import { import_topics_max } from "@tentpole/core/imports/mapping/TopicChecks"
import { TopicId } from "@tentpole/core/kernel/Ids"
import { consent_source_length_max, consent_text_length_max } from "@tentpole/core/topics/GivenConsent"
import { Schema } from "effect"
import { Text } from "../../Wire.ts"

export const ConsentWire = Schema.Struct({
  topic_ids: Schema.optionalKey(
    Schema.Array(TopicId).check(
      Schema.isMaxLength(import_topics_max, { message: `must have at most ${import_topics_max} items` }),
    ),
  ).annotateKey({ description: "Every imported contact subscribes to these topics" }),
  source: Text(consent_source_length_max, 1).annotate({ description: "Where they agreed", examples: ["shop"] }),
  text: Text(consent_text_length_max, 1).annotate({
    description: "What the people agreed to, in the words that they were shown",
    examples: ["Yes, send me the monthly letter."],
  }),
  collected_at: Schema.optionalKey(OffsetInstant).annotate({ description: "When they agreed. Default: now" }),
  collected_at_header: Schema.optionalKey(Schema.String).annotateKey({
    description: "The column that says when each person agreed. An empty cell: now",
  }),
  double_opt_in: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "All have to confirm by mail: they are `pending` for the topics, and contacts that the import creates have `marketing_email_subscribed: false` until then. The mails are sent over time, as fast as `confirmations_per_hour` of the workspace allows. Default: false, the consent of this request is the evidence",
  }),
}).annotate({
  identifier: "ImportConsent",
  description:
    "What the people of the file agreed to. It is the evidence of their subscriptions, and required if a column is mapped to a topic with `double_opt_in`. An import never makes an unsubscribed person subscribed: the row is imported, and its issue is `kept_unsubscribed`",
})

export const toConsent = (consent: typeof ConsentWire.Type): ImportConsent => ({
  topicIds: consent.topic_ids ?? [],
  source: consent.source,
  text: consent.text,
  collectedAt: consent.collected_at ?? null,
  collectedAtHeader: consent.collected_at_header ?? null,
  doubleOptIn: consent.double_opt_in ?? false,
})
