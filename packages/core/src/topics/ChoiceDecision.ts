// The decision about what a caller says that a person chose. Pure.
import { type DateTime, Result } from "effect"
import type { ContactId, TopicId } from "../kernel/Ids.ts"
import { Invalid, type NotFound } from "../kernel/Refusal.ts"
import type { ActorName } from "../kernel/changes/Actor.ts"
import type { ConsentStep } from "./ChoicesChange.ts"
import { consentIssues, evidenceOfCall, type GivenConsent } from "./GivenConsent.ts"
import { leftThemselves, type Topic, type TopicChoice } from "./Topic.ts"
import { TopicArchived, topicNotFound } from "./TopicErrors.ts"

export interface WantedChoice {
  readonly topicId: TopicId
  readonly status: "subscribed" | "unsubscribed"
  readonly consent?: GivenConsent
}

/** `isRefused`: the person has to agree, and the caller did not say that they did. */
export interface DecidedChoice {
  readonly topicId: TopicId
  readonly isRefused: boolean
}

/** What the decision depends on, locked. */
export interface ChoiceFacts {
  readonly contactId: ContactId
  /** The topics of the request that exist. */
  readonly topics: ReadonlyArray<Topic>
  readonly choices: ReadonlyArray<TopicChoice>
  readonly actor: ActorName
  readonly now: DateTime.Utc
}

/** Items are processed one after another: each sees what the earlier ones changed. */
export const decideChoices = (
  items: ReadonlyArray<WantedChoice>,
  { actor, choices, contactId, now, topics }: ChoiceFacts,
): Result.Result<
  { readonly steps: ReadonlyArray<ConsentStep>; readonly items: ReadonlyArray<DecidedChoice> },
  Invalid | NotFound | TopicArchived
> => {
  const issues = items.flatMap(({ consent }, at) =>
    consent === undefined ? [] : consentIssues(consent, now, `items.${at}.consent`),
  )
  if (issues.length > 0) return Result.fail(new Invalid({ issues }))
  const recorded = new Map(choices.map((choice) => [choice.topicId, choice]))
  const steps: Array<ConsentStep> = []
  const decided: Array<DecidedChoice> = []
  for (const [at, { consent = null, status, topicId }] of items.entries()) {
    const topic = topics.find(({ id }) => id === topicId)
    const path = `items.${at}.topic_id`
    if (topic === undefined) return Result.fail(topicNotFound().at(path))
    if (topic.status === "archived" && status === "subscribed") return Result.fail(new TopicArchived({ path }))
    const before = recorded.get(topicId) ?? null
    const isNew = before?.status !== status
    const needsConsent = status === "subscribed" && isNew && (topic.doubleOptIn || leftThemselves(before))
    const isRefused = needsConsent && consent === null
    decided.push({ topicId, isRefused })
    // A status that is recorded already needs no second record, unless it has evidence of its own.
    if (isRefused || (!isNew && consent === null)) continue
    const evidence = evidenceOfCall(actor, consent)
    const when = consent?.collectedAt ?? now
    steps.push({
      contactId,
      action: status === "subscribed" ? "granted" : "withdrawn",
      evidence,
      at: when,
      of: { topic, before: before?.status ?? null, after: status },
    })
    if (isNew) recorded.set(topicId, { contactId, topicId, status, source: evidence.source, changedAt: when })
  }
  return Result.succeed({ steps, items: decided })
}
