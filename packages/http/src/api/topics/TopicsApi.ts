// The API of topics, of what contacts chose, and of consent records.
import { active_topics_max } from "@tentpole/core/topics/Topic"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, oneOf } from "../../Wire.ts"
import { ConsentRecordsWire } from "./ConsentWire.ts"
import {
  ChooseTopics,
  ChosenTopicsWire,
  CreateTopic,
  EditTopic,
  TopicsOfContactWire,
  topicStates,
  TopicsWire,
  TopicWire,
} from "./TopicWire.ts"

const one = "/v1/topics/:topicId"
const ofContact = "/v1/contacts/:contact_id/topics"

export const TopicsApi = Endpoint.group(
  "topics",
  "What people can subscribe to, and what the contacts of the workspace chose.",
).add(
  Endpoint.get("list", "/v1/topics", {
    needs: "viewer",
    summary: "List topics",
    description: "Returns the topics of the workspace by position, then by name, archived ones too.",
    query: { ...cursorQuery, status: Schema.optionalKey(oneOf(...topicStates)) },
    success: TopicsWire,
    errors: ["invalid_cursor"],
  }),
  Endpoint.post("create", "/v1/topics", {
    needs: "editor",
    summary: "Create a topic",
    description: `Creates a topic. It changes no contact: all have the default until they choose. A workspace can have ${active_topics_max} active topics.`,
    payload: CreateTopic,
    success: TopicWire.pipe(HttpApiSchema.status(201)),
    errors: ["validation_failed", "topic_limit", "topic_name_exists"],
  }),
  Endpoint.get("find", one, {
    needs: "viewer",
    summary: "Get a topic",
    description: "Returns one topic, with the number of contacts that are subscribed.",
    success: TopicWire,
  }),
  Endpoint.patch("edit", one, {
    needs: "editor",
    summary: "Update a topic",
    description: "Changes the fields of the body. `status` archives a topic, or makes it active again.",
    payload: EditTopic,
    success: TopicWire,
    errors: ["validation_failed", "not_found", "topic_limit", "topic_name_exists"],
  }),
  Endpoint.delete("remove", one, {
    needs: "editor",
    summary: "Delete a topic",
    description:
      "Deletes a topic that nothing uses and no contact chose. Archive the others. Consent records of the topic stay.",
    errors: ["not_found", "topic_in_use"],
  }),
  Endpoint.get("listByContact", ofContact, {
    needs: "viewer",
    summary: "List a contact's topics",
    description: "Returns all active topics with the status of the contact for each.",
    success: TopicsOfContactWire,
  }),
  Endpoint.put("updateByContact", ofContact, {
    needs: "editor",
    summary: "Update a contact's topics",
    description:
      "Records what a contact chose, with a consent record for each change. Topics that are not part of the body stay. An item that needs the consent of the person and has none is rejected, and the others are written.",
    payload: ChooseTopics,
    success: ChosenTopicsWire,
    errors: ["validation_failed", "not_found", "topic_archived"],
  }),
)

export const ConsentRecordsApi = Endpoint.group(
  "consentRecords",
  "The evidence of consent: who was asked what, and how they answered.",
).add(
  Endpoint.get("list", "/v1/contacts/:contact_id/consent-records", {
    needs: "viewer",
    summary: "List a contact's consent records",
    description: "Returns the consent records of the contact, the newest first. They never change.",
    query: cursorQuery,
    success: ConsentRecordsWire,
    errors: ["not_found", "invalid_cursor"],
  }),
)
