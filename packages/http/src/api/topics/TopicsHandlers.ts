// The handlers of topics, of what contacts chose, and of consent records.
import { TopicChoices } from "@tentpole/core/topics/TopicChoices"
import { Topics } from "@tentpole/core/topics/Topics"
import { Effect, Layer } from "effect"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, sliced } from "../../Wire.ts"
import { toConsentRecord } from "./ConsentWire.ts"
import {
  toChosenTopics,
  toNewTopic,
  toTopicEdit,
  toTopicsOfContact,
  toTopicWire,
  toWantedChoices,
} from "./TopicWire.ts"

const topicsLayer = handlersOf(
  "topics",
  Effect.all({ topics: Topics, choices: TopicChoices }),
  ({ choices, topics }) => ({
    list: ({ query: { status = null, ...by } }, { id }) =>
      topics.list(id, status, by).pipe(answer(sliced("topics", toTopicWire))),
    create: ({ payload }, { id }) => topics.create(id, toNewTopic(payload)).pipe(answer(toTopicWire)),
    find: ({ params }, { id }) => topics.get(id, params.topicId).pipe(answer(toTopicWire)),
    edit: ({ params, payload }, { id }) =>
      topics.update(id, params.topicId, toTopicEdit(payload)).pipe(answer(toTopicWire)),
    remove: ({ params }, { id }) => topics.delete(id, params.topicId).pipe(answer(() => undefined)),
    listByContact: ({ params }, { id }) => choices.list(id, params.contact_id).pipe(answer(toTopicsOfContact)),
    updateByContact: ({ params, payload }, { id }) =>
      choices.update(id, params.contact_id, toWantedChoices(payload)).pipe(answer(toChosenTopics)),
  }),
)

const recordsLayer = handlersOf("consentRecords", TopicChoices, (choices) => ({
  list: ({ params, query }, { id }) =>
    choices.listRecords(id, params.contact_id, query).pipe(answer(sliced("consent_records", toConsentRecord))),
}))

export const layer = Layer.merge(topicsLayer, recordsLayer)
