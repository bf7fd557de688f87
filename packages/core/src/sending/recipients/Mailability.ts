// Whether a contact is mailed, and what keeps mail from it: the use case behind "Why not mailed?".
import { Context, type DateTime, Effect, Layer } from "effect"
import type { ActivityType, RuleActivityType } from "../../contacts/Activity.ts"
import type { Contact } from "../../contacts/Contact.ts"
import { ContactStore } from "../../contacts/ContactStore.ts"
import type { ContactId, WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { RuleSubject } from "../../segments/Evaluate.ts"
import type { RuleTree } from "../../segments/RuleTree.ts"
import { SegmentStore } from "../../segments/SegmentStore.ts"
import type { BlockReason } from "../Delivery.ts"
import { mailBlocks, type RecipientFacts, type Suppression, type SuppressionReason } from "../Suppression.ts"
import { SuppressionStore } from "../SuppressionStore.ts"

export interface MailObstacle {
  readonly reason: BlockReason
  /** Null where no activity or suppression records it. */
  readonly since: DateTime.Utc | null
  /** A field of the contact, or the reason of the suppression of its address. */
  readonly source: "contact" | SuppressionReason
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
  contact: Pick<Contact, Exclude<keyof RecipientFacts, "suppression">>,
  suppression: Suppression | null,
  activities: RuleSubject["activities"],
  operational: boolean,
): ReadonlyArray<MailObstacle> => {
  const facts: RecipientFacts = { ...contact, suppression: suppression?.reason ?? null }
  return mailBlocks(facts, operational).map(({ fact, reason }): MailObstacle => {
    if (fact === "suppression" && suppression !== null) {
      return { reason, since: suppression.createdAt, source: suppression.reason }
    }
    return { reason, since: latest(activities, explained[fact] ?? []), source: "contact" }
  })
}

export class Mailability extends Context.Service<
  Mailability,
  {
    /** Empty: the contact is mailed. `operational`: choices of the contact do not count. */
    readonly explain: (
      workspace: WorkspaceId,
      contact: ContactId,
      operational: boolean,
    ) => Effect.Effect<ReadonlyArray<MailObstacle>, NotFound>
  }
>()("tentpole/Mailability") {
  static readonly layer = Layer.effect(
    Mailability,
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const suppressions = yield* SuppressionStore
      const segments = yield* SegmentStore
      return Mailability.of({
        explain: Effect.fn("Mailability.explain")(function* (workspace, id, operational) {
          const contact = yield* contacts.get(workspace, id)
          const { emailNormalized } = contact
          const suppression =
            emailNormalized === null
              ? null
              : yield* suppressions
                  .get(workspace, emailNormalized)
                  .pipe(Effect.catchTag("NotFound", () => Effect.succeed(null)))
          const [subject] = yield* segments.subjects(workspace, [contact], named)
          return obstaclesOf(contact, suppression, subject?.activities ?? [], operational)
        }),
      })
    }),
  )
}
