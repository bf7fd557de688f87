// What the preference page shows a person, and what their answer changes. Pure.
import type { DateTime } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import type { TopicId } from "../kernel/Ids.ts"
import type { ConsentStep } from "../topics/ChoicesChange.ts"
import type { Evidence } from "../topics/ConsentRecord.ts"
import type { PreferenceFacts } from "../topics/ConsentStore.ts"
import { type ChosenTopic, topicStatusOf } from "../topics/Topic.ts"

/** A topic on the page. */
export interface ShownTopic extends ChosenTopic {
  /** The recorded status, else the default. `unsubscribed` of the contact beats it. */
  readonly isSubscribed: boolean
}

/** Whether a person ended all marketing: as this contact, or by a message to its address. */
export const hasEndedAll = ({
  addressUnsubscribed,
  unsubscribed,
}: Pick<PreferenceFacts, "unsubscribed" | "addressUnsubscribed">): boolean => unsubscribed || addressUnsubscribed

/** In the order of the topics: active ones, private ones only if the person is subscribed to them. */
export const shownTopics = (topics: ReadonlyArray<ChosenTopic>): ReadonlyArray<ShownTopic> =>
  topics
    .map(({ choice, topic }) => ({ topic, choice, isSubscribed: topicStatusOf(topic, choice) === "subscribed" }))
    .filter(({ isSubscribed, topic }) => topic.status === "active" && (topic.visibility === "public" || isSubscribed))

/** The boxes of the page that were ticked, and all that were on it. */
export interface PreferenceAnswer {
  readonly ticked: ReadonlySet<TopicId>
  readonly shown: ReadonlySet<TopicId>
}

/**
 * The acts in an answer. A ticked topic is consent by the person; who had ended all marketing then gets what is ticked and no
 * other topic of the page. Topics that were not on the page stay.
 */
export const answeredSteps = (
  { id: contactId, unsubscribed }: Pick<Contact, "id" | "unsubscribed">,
  topics: ReadonlyArray<ShownTopic>,
  { shown, ticked }: PreferenceAnswer,
  { at, evidence }: { readonly at: DateTime.Utc; readonly evidence: Evidence },
): ReadonlyArray<ConsentStep> => {
  const asked = topics.filter(({ topic }) => shown.has(topic.id))
  if (unsubscribed && !asked.some(({ topic }) => ticked.has(topic.id))) return []
  return asked.flatMap(({ choice, isSubscribed, topic }): ReadonlyArray<ConsentStep> => {
    const isTicked = ticked.has(topic.id)
    if (isTicked ? isSubscribed && !unsubscribed : !isSubscribed) return []
    const before = choice?.status ?? null
    const of = { topic, before, after: isTicked ? ("subscribed" as const) : ("unsubscribed" as const) }
    return [{ contactId, action: isTicked ? "granted" : "withdrawn", evidence, at, of }]
  })
}

/** The contact of a person who ticked a topic: no other choice keeps it from them any more. */
export const granting = (
  contact: Pick<Contact, "unsubscribed" | "marketingEmailSubscribed">,
): Partial<Pick<Contact, "unsubscribed" | "marketingEmailSubscribed">> => ({
  unsubscribed: false,
  ...(contact.marketingEmailSubscribed === false ? { marketingEmailSubscribed: true } : {}),
})
