// Schemas of subscription requests.
import { ContactId, EmailId, MessageId, SubscriptionRequestId, TopicId } from "@tentpole/core/kernel/Ids"
import {
  redirect_url_length_max,
  request_topics_max,
  requestStatuses,
} from "@tentpole/core/subscriptions/SubscriptionRequest"
import type { NewSubscription, RequestView } from "@tentpole/core/subscriptions/Subscriptions"
import { topicStatuses } from "@tentpole/core/topics/Topic"
import { Schema } from "effect"
import { InstantWire, iso, isoOrNull, listing, oneOf, Text, toCamelCase } from "../../Wire.ts"
import { ConsentInput } from "../topics/ConsentWire.ts"

const topics_message = `must have 1 to ${request_topics_max} topics`

export const CreateSubscription = Schema.Struct({
  email: Text(320, 1).annotate({ description: "The address of the person", examples: ["ann@example.org"] }),
  topic_ids: Schema.Array(TopicId).check(
    Schema.isMinLength(1, { message: topics_message }),
    Schema.isMaxLength(request_topics_max, { message: topics_message }),
  ),
  contact: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)).annotate({
    description: "Fields of the contact, if there is none with this address. An existing contact does not change",
    examples: [{ first_name: "Ann" }],
  }),
  consent: ConsentInput,
  confirmation_email_id: Schema.optionalKey(EmailId).annotate({
    description: "An approved email with `{{confirm_url}}`. Default: that of the workspace, or the built-in one",
  }),
  redirect_url: Schema.optionalKey(Text(redirect_url_length_max, 1)).annotate({
    description: "Where the page leads after the confirmation. It begins with `https://`",
    examples: ["https://example.org/welcome"],
  }),
}).annotate({ identifier: "CreateSubscription" })

const RequestTopicWire = Schema.Struct({
  topic_id: TopicId,
  name: Schema.String,
  status: oneOf(...topicStatuses).annotate({ description: "The status that the person has for the topic now" }),
}).annotate({ identifier: "RequestTopic" })

export const SubscriptionWire = Schema.Struct({
  subscription_request_id: SubscriptionRequestId,
  status: oneOf(...requestStatuses).annotate({
    description: "`superseded`: the person asked again, and the link confirms the newer request",
  }),
  contact_id: Schema.NullOr(ContactId).annotate({
    description: "null: the request had created the contact, which was deleted when the request expired",
  }),
  email: Schema.String,
  topics: Schema.Array(RequestTopicWire),
  confirmation_message_id: Schema.NullOr(MessageId).annotate({
    description: "The last confirmation mail. null: none was needed",
  }),
  expires_at: InstantWire,
  confirmed_at: Schema.NullOr(InstantWire),
  created_at: InstantWire,
}).annotate({ identifier: "Subscription" })

export const SubscriptionsWire = listing({ subscriptions: Schema.Array(SubscriptionWire) }).annotate({
  identifier: "Subscriptions",
  description: "The newest first",
})

export const toSubscriptionWire = (it: RequestView): typeof SubscriptionWire.Type => ({
  subscription_request_id: it.id,
  status: it.status,
  contact_id: it.contactId,
  email: it.email,
  topics: it.topics.map(({ id, name, status }) => ({ topic_id: id, name, status })),
  confirmation_message_id: it.messageId,
  expires_at: iso(it.expiresAt),
  confirmed_at: isoOrNull(it.confirmedAt),
  created_at: iso(it.createdAt),
})

export const toNewSubscription = ({ consent, ...body }: typeof CreateSubscription.Type): NewSubscription => ({
  ...toCamelCase(body),
  consent: toCamelCase(consent),
})
