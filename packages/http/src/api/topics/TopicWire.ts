// Schemas of topics, and of what contacts chose.
import { TopicId } from "@tentpole/core/kernel/Ids"
import { isBlank } from "@tentpole/core/kernel/Text"
import type { DecidedChoice, WantedChoice } from "@tentpole/core/topics/ChoiceDecision"
import { consentSources } from "@tentpole/core/topics/ConsentRecord"
import { topic_position_max } from "@tentpole/core/topics/machine"
import {
  topic_choices_max,
  topic_description_length_max,
  topic_name_length_max,
  topicDefaults,
  topicStatuses,
  topicVisibilities,
} from "@tentpole/core/topics/Topic"
import type { TopicOfContact } from "@tentpole/core/topics/TopicChoices"
import type { CountedTopic } from "@tentpole/core/topics/TopicStore"
import { Schema, Struct } from "effect"
import {
  InstantWire,
  isoOrNull,
  listing,
  namesSomething,
  oneOf,
  readOnly,
  readOnlyKeys,
  Text,
  toCamelCase,
  toSnakeCase,
} from "../../Wire.ts"
import { ConsentInput } from "./ConsentWire.ts"

export const topicStates = ["active", "archived"] as const

export const TopicWire = Schema.Struct({
  topic_id: TopicId,
  name: Schema.String,
  slug: Schema.String.annotate({ description: "It stays when the name changes: it is part of the header `List-Id`" }),
  description: Schema.NullOr(Schema.String),
  default_subscription: oneOf(...topicDefaults),
  visibility: oneOf(...topicVisibilities),
  double_opt_in: Schema.Boolean,
  position: Schema.Int,
  status: oneOf(...topicStates),
  subscribed_count: Schema.Int.annotate({
    description: "Contacts that are subscribed, without those that unsubscribed from all marketing",
  }),
  created_at: InstantWire,
  updated_at: InstantWire,
}).annotate({ identifier: "Topic" })

export const TopicsWire = listing({ topics: Schema.Array(TopicWire) }).annotate({
  identifier: "Topics",
  description: "By position, then by name",
})

export const toTopicWire = ({ subscribedCount, topic }: CountedTopic): typeof TopicWire.Type => ({
  topic_id: topic.id,
  ...toSnakeCase(
    Struct.pick(topic, [
      "name",
      "slug",
      "description",
      "defaultSubscription",
      "visibility",
      "doubleOptIn",
      "position",
      "status",
      "createdAt",
      "updatedAt",
    ]),
  ),
  subscribed_count: subscribedCount,
})

const TopicName = Text(topic_name_length_max, 1)
  .check(Schema.makeFilter((name: string) => name === "" || !isBlank(name) || "must not be only white space"))
  .annotate({ examples: ["Monthly news"] })

const position_message = `must be a whole number from 0 to ${topic_position_max}`

const settings = {
  description: Schema.optionalKey(Schema.NullOr(Text(topic_description_length_max))).annotate({
    description: "What people read beside the name",
  }),
  visibility: Schema.optionalKey(oneOf(...topicVisibilities)).annotate({
    description: "`private`: pages show it only to those who are subscribed. Default: `private`",
  }),
  double_opt_in: Schema.optionalKey(Schema.Boolean).annotate({
    description: "People who subscribe by a form or by `POST /v1/subscriptions` confirm it by mail. Default: true",
  }),
  position: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween({ minimum: 0, maximum: topic_position_max }, { message: position_message }),
    ).annotate({ message: position_message }),
  ).annotate({ description: "Topics are listed by it, then by name. Default: after the last one" }),
}

export const CreateTopic = Schema.Struct({
  name: TopicName,
  default_subscription: oneOf(...topicDefaults).annotate({
    description: "The status of contacts without a recorded status. It can't be changed later",
  }),
  ...settings,
}).annotate({ identifier: "CreateTopic" })

const edited = {
  name: Schema.optionalKey(TopicName),
  ...settings,
  status: Schema.optionalKey(oneOf(...topicStates)).annotate({
    description: "`archived`: no contact can subscribe to it, and nothing new is sent with it. What people chose stays",
  }),
}

export const EditTopic = Schema.Struct({
  ...edited,
  default_subscription: readOnly("can't change: create another topic"),
  slug: readOnly("is read-only: it is part of the header List-Id"),
  ...readOnlyKeys("topic_id", "subscribed_count", "created_at", "updated_at"),
})
  .check(namesSomething(edited))
  .annotate({ identifier: "EditTopic", description: "Omitted fields stay unchanged" })

export const toNewTopic = (body: typeof CreateTopic.Type) => ({
  description: null,
  visibility: "private" as const,
  doubleOptIn: true,
  position: null,
  ...toCamelCase(body),
})

export const toTopicEdit = ({
  created_at: _,
  default_subscription: __,
  slug: ___,
  subscribed_count: ____,
  topic_id: _____,
  updated_at: ______,
  ...edit
}: typeof EditTopic.Type) => toCamelCase(edit)

export const TopicOfContactWire = Schema.Struct({
  topic_id: TopicId,
  name: Schema.String,
  status: oneOf(...topicStatuses).annotate({
    description: "A contact that unsubscribed from all marketing gets nothing, whatever it says",
  }),
  explicit: Schema.Boolean.annotate({ description: "Whether it is recorded. If not, the topic's default counts" }),
  source: Schema.NullOr(oneOf(...consentSources)),
  changed_at: Schema.NullOr(InstantWire),
}).annotate({ identifier: "TopicOfContact" })

export const TopicsOfContactWire = Schema.Struct({ items: Schema.Array(TopicOfContactWire) }).annotate({
  identifier: "TopicsOfContact",
})

export const toTopicsOfContact = (all: ReadonlyArray<TopicOfContact>): typeof TopicsOfContactWire.Type => ({
  items: all.map(({ choice, status, topic }) => ({
    topic_id: topic.id,
    name: topic.name,
    status,
    explicit: choice !== null,
    source: choice?.source ?? null,
    changed_at: isoOrNull(choice?.changedAt ?? null),
  })),
})

const items_message = `must have 1 to ${topic_choices_max} items`

export const ChooseTopics = Schema.Struct({
  items: Schema.Array(
    Schema.Struct({
      topic_id: TopicId,
      status: oneOf("subscribed", "unsubscribed"),
      consent: Schema.optionalKey(ConsentInput).annotate({
        description:
          "Needed for `subscribed` if the topic has `double_opt_in`, or if the person unsubscribed themselves. You vouch for it",
      }),
    }).annotate({ identifier: "ChooseTopic" }),
  ).check(
    Schema.isMinLength(1, { message: items_message }),
    Schema.isMaxLength(topic_choices_max, { message: items_message }),
  ),
}).annotate({ identifier: "ChooseTopics" })

export const toWantedChoices = ({ items }: typeof ChooseTopics.Type): ReadonlyArray<WantedChoice> =>
  items.map(({ consent, status, topic_id }) => ({
    topicId: topic_id,
    status,
    ...(consent === undefined ? {} : { consent: toCamelCase(consent) }),
  }))

export const ChosenTopicsWire = Schema.Struct({
  updated_count: Schema.Int,
  rejected_count: Schema.Int,
  items: Schema.Array(
    Schema.Struct({
      index: Schema.Int,
      topic_id: TopicId,
      status: oneOf("updated", "rejected"),
      error_code: Schema.optionalKey(Schema.Literal("consent_required")),
      message: Schema.optionalKey(Schema.String),
    }).annotate({ identifier: "ChosenTopic" }),
  ),
}).annotate({ identifier: "ChosenTopics" })

const consent_message =
  "The person has to agree: the topic needs a confirmation, or they unsubscribed themselves. Give `consent`, if you have it"

export const toChosenTopics = (all: ReadonlyArray<DecidedChoice>): typeof ChosenTopicsWire.Type => {
  const rejected_count = all.filter(({ isRefused }) => isRefused).length
  return {
    updated_count: all.length - rejected_count,
    rejected_count,
    items: all.map(({ isRefused, topicId }, index) => ({
      index,
      topic_id: topicId,
      ...(isRefused
        ? { status: "rejected" as const, error_code: "consent_required" as const, message: consent_message }
        : { status: "updated" as const }),
    })),
  }
}
