// The state machine of subscription requests: every SubscriptionChange is decided here, with the steps of the person's choices that
// belong to it.
import { DateTime } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import type { Transitions } from "../kernel/changes/Transitions.ts"
import type { MessageId, SubscriptionRequestId, TopicId } from "../kernel/Ids.ts"
import type { ConsentStep } from "../topics/ChoicesChange.ts"
import { type Evidence, evidenceOf } from "../topics/ConsentRecord.ts"
import { leftThemselves, type Topic, type TopicChoice, type TopicStatus } from "../topics/Topic.ts"
import {
  type PreviousChoice,
  type RequestStatus,
  requestStatusAt,
  type SubscriptionRequest,
} from "./SubscriptionRequest.ts"

export const transitions = {
  pending: { confirm: "confirmed", expire: "expired", ask: ["superseded", "pending"], resend: "pending" },
  confirmed: {},
  expired: {},
  superseded: {},
} as const satisfies Transitions<RequestStatus, "confirm" | "expire" | "ask" | "resend">

export type SubscriptionChange = Change<
  "subscription",
  {
    /** `before` null: the request is new. */
    readonly requests: ReadonlyArray<{
      readonly before: SubscriptionRequest | null
      readonly after: SubscriptionRequest
    }>
  }
>

const subscriptionChange = changeOf("subscription")

/** A change with the steps of choices that have to be applied in the same transaction. */
export interface Decision {
  readonly change: SubscriptionChange
  readonly steps: ReadonlyArray<ConsentStep>
}

type KnownTopic = Pick<Topic, "id" | "defaultSubscription" | "doubleOptIn">

/** The choices of the person, locked. */
export interface ChoiceFacts {
  readonly choices: ReadonlyArray<TopicChoice>
  readonly now: DateTime.Utc
}

/**
 * Whether the person wants no marketing at all. Only they may change that, by a confirmation: all topics of a request then need
 * one.
 */
export const hasOptedOut = (
  contact: Pick<Contact, "unsubscribed" | "marketingEmailSubscribed">,
  isSuppressed: boolean,
): boolean => contact.unsubscribed || contact.marketingEmailSubscribed === false || isSuppressed

/**
 * Which topics of a request wait for a confirmation. One that the person is subscribed to does not, unless they opted out of all
 * marketing. A person who left a topic has to confirm what a form asks: another person may have entered the address.
 */
export const splitTopics = <T extends KnownTopic>(
  topics: ReadonlyArray<T>,
  choices: ReadonlyArray<TopicChoice>,
  {
    byForm,
    doubleOptIn,
    optedOut,
  }: {
    readonly optedOut: boolean
    readonly byForm: boolean
    /** The form's own setting; null: that of each topic. */
    readonly doubleOptIn: boolean | null
  },
): { readonly waiting: ReadonlyArray<T>; readonly granted: ReadonlyArray<T> } => {
  const waits = (topic: T) => {
    if (optedOut) return true
    const choice = choices.find(({ topicId }) => topicId === topic.id) ?? null
    if (choice?.status === "subscribed") return false
    return (doubleOptIn ?? topic.doubleOptIn) || (byForm && leftThemselves(choice))
  }
  return { waiting: topics.filter(waits), granted: topics.filter((topic) => !waits(topic)) }
}

/** A request before it is decided. */
export type NewRequest = Pick<
  SubscriptionRequest,
  "id" | "email" | "emailNormalized" | "evidence" | "madeContact" | "confirmationEmailId" | "redirectUrl" | "expiresAt"
> & {
  readonly contactId: NonNullable<SubscriptionRequest["contactId"]>
  /** When the person agreed. It may be long ago. */
  readonly collectedAt: DateTime.Utc
}

interface Asked<T> extends ChoiceFacts {
  readonly waiting: ReadonlyArray<T>
  readonly granted: ReadonlyArray<T>
  /** The request of the person that waits already, and its topics that still exist. Those that they left since do not join. */
  readonly open: { readonly request: SubscriptionRequest; readonly topics: ReadonlyArray<T> } | null
  /** The accepted confirmation mail; null: there is none, because nothing waits, or a limit holds it. */
  readonly messageId: MessageId | null
}

export const SubscriptionChange = {
  /** The topics that need no confirmation are done at once. Others wait, with those of the request that waits already. */
  ask<T extends KnownTopic>(wanted: NewRequest, asked: Asked<T>): Decision {
    const { collectedAt, ...rest } = wanted
    const { choices, granted, messageId, now, open } = asked
    const steps = [
      ...stepsOf(wanted.contactId, granted, choices, {
        action: "granted",
        after: () => "subscribed",
        evidence: () => wanted.evidence,
        at: collectedAt,
      }),
      ...stepsOf(wanted.contactId, asked.waiting, choices, {
        action: "requested",
        after: () => "pending",
        evidence: () => wanted.evidence,
        at: collectedAt,
      }),
    ]
    const openTopics = (open?.topics ?? []).filter(({ id }) => statusOf(choices, id) === "pending")
    const joined = joinTopics(asked.waiting, openTopics)
    const common = {
      ...rest,
      topicIds: joined.map(({ id }) => id),
      grantedTopicIds: granted.map(({ id }) => id),
      previous: previousOf(asked.waiting, choices, open?.request.previous ?? []),
      supersededBy: null,
      messageId,
      createdAt: now,
    }
    if (asked.waiting.length === 0) {
      const after = {
        ...common,
        topicIds: [],
        previous: [],
        status: "confirmed",
        mailedAt: [],
        confirmedAt: now,
      } as const
      return { steps, change: subscriptionChange({ requests: [{ before: null, after }] }) }
    }
    if (messageId === null && open !== null) {
      const { previous, topicIds } = common
      const after = { ...open.request, topicIds, previous, evidence: wanted.evidence }
      return { steps, change: subscriptionChange({ requests: [{ before: open.request, after }] }) }
    }
    const after: SubscriptionRequest = {
      ...common,
      madeContact: wanted.madeContact || (open?.request.madeContact ?? false),
      status: "pending",
      mailedAt: messageId === null ? [] : [now],
      confirmedAt: null,
    }
    const superseded = open === null ? [] : [supersede(open.request, after.id)]
    return {
      steps: [...steps, ...mailSteps(after, joined, () => "pending", now)],
      change: subscriptionChange({ requests: [{ before: null, after }, ...superseded] }),
    }
  },

  /** Another mail of a request that waits. */
  resend(
    before: SubscriptionRequest,
    topics: ReadonlyArray<KnownTopic>,
    messageId: MessageId,
    { choices, now }: ChoiceFacts,
  ): Decision | null {
    if (requestStatusAt(before, now) !== "pending") return null
    const after = { ...before, messageId, mailedAt: [...before.mailedAt, now] }
    return {
      steps: mailSteps(after, topics, (id) => statusOf(choices, id), now),
      change: subscriptionChange({ requests: [{ before, after }] }),
    }
  },

  /** The person confirmed. Null: they did before, or the request has ended. `by`: what is known of the answer. */
  confirm(
    before: SubscriptionRequest,
    topics: ReadonlyArray<KnownTopic>,
    { choices, now }: ChoiceFacts,
    by: Pick<Evidence, "ipPrefix" | "userAgent">,
  ): Decision | null {
    if (requestStatusAt(before, now) !== "pending" || before.contactId === null) return null
    const { messageId } = before
    return {
      steps: stepsOf(before.contactId, topics, choices, {
        action: "confirmed",
        after: () => "subscribed",
        evidence: () => ({ ...before.evidence, ...by, messageId }),
        at: now,
      }),
      change: subscriptionChange({
        requests: [{ before, after: { ...before, status: "confirmed", confirmedAt: now } }],
      }),
    }
  },

  /**
   * The time is over: topics that still wait become what they were. `deletesContact`: the request created the contact, and nothing
   * else is known of it. Null: the request does not wait, or not long enough.
   */
  expire(
    before: SubscriptionRequest,
    topics: ReadonlyArray<KnownTopic>,
    { choices, now }: ChoiceFacts,
    deletesContact: boolean,
  ): Decision | null {
    if (before.status !== "pending" || requestStatusAt(before, now) !== "expired" || before.contactId === null)
      return null
    const waiting = topics.filter(({ id }) => statusOf(choices, id) === "pending")
    const earlier = (id: TopicId) => before.previous.find(({ topicId }) => topicId === id)
    const after: SubscriptionRequest = {
      ...before,
      status: "expired",
      contactId: deletesContact ? null : before.contactId,
    }
    return {
      steps: stepsOf(before.contactId, waiting, choices, {
        action: "expired",
        after: (id) => earlier(id)?.status ?? null,
        // The source of a choice says whether it was the person's own.
        evidence: (id) => ({ ...before.evidence, source: earlier(id)?.source ?? before.evidence.source }),
        at: now,
      }),
      change: subscriptionChange({ requests: [{ before, after }] }),
    }
  },
}

const statusOf = (choices: ReadonlyArray<TopicChoice>, topic: TopicId): TopicStatus | null =>
  choices.find(({ topicId }) => topicId === topic)?.status ?? null

const stepsOf = (
  contactId: ConsentStep["contactId"],
  topics: ReadonlyArray<KnownTopic>,
  choices: ReadonlyArray<TopicChoice>,
  {
    action,
    after,
    at,
    evidence,
  }: Pick<ConsentStep, "action" | "at"> & {
    readonly after: (topic: TopicId) => TopicStatus | null
    readonly evidence: (topic: TopicId) => Evidence
  },
): ReadonlyArray<ConsentStep> =>
  topics.map((topic) => ({
    contactId,
    action,
    at,
    evidence: evidence(topic.id),
    of: { topic, before: statusOf(choices, topic.id), after: after(topic.id) },
  }))

/** One for each topic of the mail. They change no status. */
const mailSteps = (
  { contactId, evidence, messageId }: SubscriptionRequest,
  topics: ReadonlyArray<KnownTopic>,
  statusNow: (topic: TopicId) => TopicStatus | null,
  at: DateTime.Utc,
): ReadonlyArray<ConsentStep> =>
  contactId === null || messageId === null
    ? []
    : topics.map((topic) => ({
        contactId,
        action: "confirmation_sent",
        at,
        evidence: evidenceOf(evidence.source, { messageId }),
        of: { topic, before: statusNow(topic.id), after: statusNow(topic.id) },
      }))

const joinTopics = <T extends KnownTopic>(asked: ReadonlyArray<T>, open: ReadonlyArray<T>): ReadonlyArray<T> => [
  ...asked,
  ...open.filter(({ id }) => !asked.some((topic) => topic.id === id)),
]

const previousOf = (
  waiting: ReadonlyArray<KnownTopic>,
  choices: ReadonlyArray<TopicChoice>,
  open: ReadonlyArray<PreviousChoice>,
): ReadonlyArray<PreviousChoice> => [
  ...open,
  ...waiting.flatMap(({ id }): ReadonlyArray<PreviousChoice> => {
    const choice = choices.find(({ topicId }) => topicId === id)
    if (choice === undefined || choice.status === "pending" || open.some(({ topicId }) => topicId === id)) return []
    return [{ topicId: id, status: choice.status, source: choice.source }]
  }),
]

const supersede = (before: SubscriptionRequest, by: SubscriptionRequestId) => ({
  before,
  after: { ...before, status: "superseded", supersededBy: by } as const,
})
