// A contact of an import that waits until its confirmation mail can be sent, and the decision about it. Pure.
import type { DateTime } from "effect"
import type { Contact } from "../../contacts/Contact.ts"
import type { ContactId, ImportRunId, TopicId } from "../../kernel/Ids.ts"
import { requestStatusAt, type SubscriptionRequest } from "../../subscriptions/SubscriptionRequest.ts"
import type { ConsentStep } from "../../topics/ChoicesChange.ts"
import { type Evidence, evidenceOf } from "../../topics/ConsentRecord.ts"
import type { Topic, TopicChoice } from "../../topics/Topic.ts"
import type { ImportConsent } from "../Import.ts"

export interface WaitingKey {
  readonly runId: ImportRunId
  readonly contactId: ContactId
}

export interface WaitingConfirmation extends WaitingKey {
  /** The topics that the import made pending. */
  readonly topicIds: ReadonlyArray<TopicId>
}

/** What the decision depends on, locked. */
export interface WaitingFacts {
  readonly contact: Pick<Contact, "id" | "emailNormalized" | "unsubscribed">
  /** No mail is sent to the address, or the person unsubscribed it. */
  readonly isSuppressed: boolean
  /** Those of the topics that exist. */
  readonly topics: ReadonlyArray<Topic>
  readonly choices: ReadonlyArray<TopicChoice>
  /** The request of the contact that waits already. */
  readonly open: Pick<SubscriptionRequest, "status" | "expiresAt" | "topicIds"> | null
  readonly now: DateTime.Utc
}

export interface WaitingDecision {
  /** To ask the person for. */
  readonly asked: ReadonlyArray<Topic>
  /** The person can't be asked: nothing is recorded for these topics any more, as before the import. */
  readonly dropped: ReadonlyArray<Topic>
}

/**
 * Only topics that are still pending count: the person may have chosen since. Topics of a request that waits already have their mail,
 * and that request ends them.
 */
export const decideWaiting = (
  { topicIds }: Pick<WaitingConfirmation, "topicIds">,
  { choices, contact, isSuppressed, now, open, topics }: WaitingFacts,
): WaitingDecision => {
  const requested = open !== null && requestStatusAt(open, now) === "pending" ? open.topicIds : []
  const pending = topics.filter(
    ({ id }) =>
      topicIds.includes(id) &&
      !requested.includes(id) &&
      choices.some(
        ({ contactId, status, topicId }) => contactId === contact.id && topicId === id && status === "pending",
      ),
  )
  const isReachable = contact.emailNormalized !== null && !contact.unsubscribed && !isSuppressed
  const asked = pending.filter(({ status }) => isReachable && status === "active")
  return { asked, dropped: pending.filter((topic) => !asked.includes(topic)) }
}

export const evidenceOfImport = (runId: ImportRunId, consent: Pick<ImportConsent, "source" | "text">): Evidence =>
  evidenceOf("import", { importRunId: runId, sourceDetail: consent.source, text: consent.text })

export const dropSteps = (
  { contactId, runId }: WaitingKey,
  dropped: ReadonlyArray<Topic>,
  at: DateTime.Utc,
): ReadonlyArray<ConsentStep> =>
  dropped.map((topic) => ({
    contactId,
    action: "expired",
    evidence: evidenceOf("import", { importRunId: runId }),
    at,
    of: { topic, before: "pending", after: null },
  }))
