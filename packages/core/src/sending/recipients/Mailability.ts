// Whether a contact is mailed, and what keeps mail from it: the use case behind "Why not mailed?".
import { Context, type DateTime, Effect, Layer } from "effect"
import type { ActivityType, RuleActivityType } from "../../contacts/Activity.ts"
import type { Contact } from "../../contacts/Contact.ts"
import { ContactStore } from "../../contacts/ContactStore.ts"
import type { ContactId, TopicId, WorkspaceId } from "../../kernel/Ids.ts"
import { NotFound } from "../../kernel/Refusal.ts"
import type { RuleSubject } from "../../segments/Evaluate.ts"
import type { RuleTree } from "../../segments/RuleTree.ts"
import { SegmentStore } from "../../segments/SegmentStore.ts"
import { ConsentStore } from "../../topics/ConsentStore.ts"
import { recipientTopic, type Topic, type TopicChoice } from "../../topics/Topic.ts"
import { TopicStore } from "../../topics/TopicStore.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import type { BlockReason } from "../Delivery.ts"
import { mailBlocks, type RecipientFacts, type Suppression, type SuppressionReason } from "../Suppression.ts"
import { SuppressionStore } from "../SuppressionStore.ts"

export interface MailObstacle {
  readonly reason: BlockReason
  /** Null where no activity or suppression records it. */
  readonly since: DateTime.Utc | null
  /** A field of the contact, what is recorded for the topic, or the reason of the suppression of its address. */
  readonly source: "contact" | "topic" | SuppressionReason
  /** The topic that keeps mail from the contact; null: another fact does. */
  readonly topicId: TopicId | null
}

/** The message that is asked for. */
export interface MailabilityOptions {
  /** Choices of the contact do not count. */
  readonly operational: boolean
  /** Null: all marketing. */
  readonly topicId: TopicId | null
}

/** The topic of the message, and what is recorded of the contact for it. */
interface AskedTopic {
  readonly topic: Pick<Topic, "id" | "defaultSubscription">
  readonly choice: TopicChoice | null
}

/** The activities that explain a field of a contact. */
const explained: { readonly [Fact in keyof RecipientFacts]?: ReadonlyArray<RuleActivityType> } = {
  unsubscribed: ["email_unsubscribed", "email_complained"],
  marketingEmailInvalid: ["email_bounced"],
}

/** Names the activities, so that the store returns the latest of each. */
const named: RuleTree = {
  kind: "group",
  operator: "or",
  conditions: Object.values(explained)
    .flat()
    .map((activityType) => ({ kind: "condition", source: "activity", activityType, operator: "has_activity" })),
}

const latest = (activities: RuleSubject["activities"], types: ReadonlyArray<ActivityType>): DateTime.Utc | null =>
  activities
    .filter(({ type }) => types.includes(type))
    .map(({ at }) => at)
    .sort((left, right) => right.epochMilliseconds - left.epochMilliseconds)[0] ?? null

/** Pure: the obstacles in the order of their strength for a send. */
export const obstaclesOf = (
  contact: Pick<Contact, Exclude<keyof RecipientFacts, "suppression" | "topic" | "consentRequired">>,
  {
    activities,
    asked,
    consentRequired,
    operational,
    suppression,
  }: {
    readonly suppression: Suppression | null
    readonly activities: RuleSubject["activities"]
    readonly asked: AskedTopic | null
    readonly consentRequired: boolean
    readonly operational: boolean
  },
): ReadonlyArray<MailObstacle> => {
  const facts: RecipientFacts = {
    ...contact,
    suppression: suppression?.reason ?? null,
    topic: asked === null ? null : recipientTopic(asked.topic, asked.choice),
    consentRequired,
  }
  return mailBlocks(facts, operational).map(({ fact, reason }): MailObstacle => {
    if (fact === "suppression" && suppression !== null) {
      return { reason, since: suppression.createdAt, source: suppression.reason, topicId: null }
    }
    if (fact === "topic" && asked !== null) {
      return { reason, since: asked.choice?.changedAt ?? null, source: "topic", topicId: asked.topic.id }
    }
    return { reason, since: latest(activities, explained[fact] ?? []), source: "contact", topicId: null }
  })
}

export class Mailability extends Context.Service<
  Mailability,
  {
    /** Empty: the contact is mailed. */
    readonly explain: (
      workspace: WorkspaceId,
      contact: ContactId,
      options: MailabilityOptions,
    ) => Effect.Effect<ReadonlyArray<MailObstacle>, NotFound>
  }
>()("tentpole/Mailability") {
  static readonly layer = Layer.effect(
    Mailability,
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const suppressions = yield* SuppressionStore
      const segments = yield* SegmentStore
      const topics = yield* TopicStore
      const consents = yield* ConsentStore
      const workspaces = yield* WorkspaceStore

      const askedTopic = Effect.fnUntraced(function* (workspace: WorkspaceId, contact: ContactId, id: TopicId | null) {
        if (id === null) return null
        const [topic] = yield* topics.many(workspace, [id])
        if (topic === undefined) return yield* new NotFound({ resource: "topic", path: "topic_id" })
        const [choice = null] = yield* consents.choices(workspace, [contact], [id])
        return { topic, choice }
      })

      return Mailability.of({
        explain: Effect.fn("Mailability.explain")(function* (workspace, id, { operational, topicId }) {
          const contact = yield* contacts.get(workspace, id)
          const { emailNormalized } = contact
          const suppression =
            emailNormalized === null
              ? null
              : yield* suppressions
                  .get(workspace, emailNormalized)
                  .pipe(Effect.catchTag("NotFound", () => Effect.succeed(null)))
          const [subject] = yield* segments.subjects(workspace, [contact], named)
          const { consent } = yield* Effect.orDie(workspaces.get(workspace))
          return obstaclesOf(contact, {
            suppression,
            activities: subject?.activities ?? [],
            asked: yield* askedTopic(workspace, id, topicId),
            consentRequired: consent.marketingConsent === "required",
            operational,
          })
        }),
      })
    }),
  )
}
