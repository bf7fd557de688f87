// A topic: what a person can subscribe to. What is recorded for a person counts; without a record, the topic's default.
import type { DateTime } from "effect"
import type { ContactId, TopicId } from "../kernel/Ids.ts"
import type { ConsentSource } from "./ConsentRecord.ts"

export const topicStatuses = ["subscribed", "unsubscribed", "pending"] as const
/** `pending`: the person was asked to confirm, and has not. */
export type TopicStatus = (typeof topicStatuses)[number]

export const topicDefaults = ["subscribed", "unsubscribed"] as const satisfies ReadonlyArray<TopicStatus>
export type TopicDefault = (typeof topicDefaults)[number]

export const topicVisibilities = ["public", "private"] as const
/** Pages show a private topic to those who are subscribed to it only. */
export type TopicVisibility = (typeof topicVisibilities)[number]

export interface Topic {
  readonly id: TopicId
  /** 1 to 100 characters, unique among the folded names of the workspace. */
  readonly name: string
  /** Unique in the workspace. It stays when the name changes: it is part of `List-Id` (RFC 2919). */
  readonly slug: string
  readonly description: string | null
  /** Never changes. */
  readonly defaultSubscription: TopicDefault
  readonly visibility: TopicVisibility
  /** Who subscribes by a form or by `POST /v1/subscriptions` has to confirm it by mail. */
  readonly doubleOptIn: boolean
  /** Topics are listed by it, then by name. */
  readonly position: number
  readonly status: "active" | "archived"
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

export const active_topics_max = 100
export const topic_name_length_max = 100
export const topic_description_length_max = 500
/** Of one request: the topics of one contact. */
export const topic_choices_max = 100

/** A recorded status of a person for a topic. */
export interface TopicChoice {
  readonly contactId: ContactId
  readonly topicId: TopicId
  readonly status: TopicStatus
  readonly source: ConsentSource
  readonly changedAt: DateTime.Utc
}

/** The sources that are acts of the person. */
export const ownSources = [
  "form",
  "preference_page",
  "unsubscribe_page",
  "one_click",
  "complaint",
] as const satisfies ReadonlyArray<ConsentSource>

const isOwn = (source: ConsentSource): boolean => ownSources.some((own) => own === source)

/** From the strictest on. Two contacts that are merged get the stricter one of their statuses. */
export const strictestFirst = ["unsubscribed", "pending", "subscribed"] as const satisfies ReadonlyArray<TopicStatus>

const rankOf = ({ source, status }: Pick<TopicChoice, "status" | "source">): number =>
  2 * strictestFirst.indexOf(status) + Number(!isOwn(source))

/** Of two choices for a topic, whether the first is stricter. An act of the person is stricter than one of others. */
export const isStricter = (
  left: Pick<TopicChoice, "status" | "source">,
  right: Pick<TopicChoice, "status" | "source">,
): boolean => rankOf(left) < rankOf(right)

/** Whether the person ended the subscription: no caller may begin it again without their consent. */
export const leftThemselves = (choice: Pick<TopicChoice, "status" | "source"> | null): boolean =>
  choice?.status === "unsubscribed" && isOwn(choice.source)

/** The status of a person for a topic. `unsubscribed` of the contact beats it, for all marketing. */
export const topicStatusOf = (
  topic: Pick<Topic, "defaultSubscription">,
  choice: Pick<TopicChoice, "status"> | null,
): TopicStatus => choice?.status ?? topic.defaultSubscription

/** A topic, and what a contact chose. Null: nothing is recorded, so the default counts. */
export interface ChosenTopic {
  readonly topic: Topic
  readonly choice: Pick<TopicChoice, "status"> | null
}

/** What sending asks of a recipient and the topic of the message; null: the message has no topic. */
export type RecipientTopic = TopicStatus | "subscribed_by_default" | "unsubscribed_by_default"

export const recipientTopic = (
  topic: Pick<Topic, "defaultSubscription">,
  choice: Pick<TopicChoice, "status"> | null,
): RecipientTopic =>
  choice?.status ?? (topic.defaultSubscription === "subscribed" ? "subscribed_by_default" : "unsubscribed_by_default")
