// Acts of people who end marketing, from the links of a message: what they chose, with the evidence. Each runs in a transaction.
import { type DateTime, Effect } from "effect"
import { ConsentRecordId, type DeliveryId, Ids, type TopicId, type WorkspaceId } from "../kernel/Ids.ts"
import type { LinkTarget } from "../rendering/Links.ts"
import { ChoicesChange, type ConsentStep } from "../topics/ChoicesChange.ts"
import type { Evidence } from "../topics/ConsentRecord.ts"
import { ConsentStore } from "../topics/ConsentStore.ts"
import type { Topic } from "../topics/Topic.ts"
import { EngagementChange, type TrackedDelivery } from "./Engagement.ts"
import { EngagementStore } from "./EngagementStore.ts"

/** What an act is recorded with. */
export interface Act {
  readonly evidence: Evidence
  readonly at: DateTime.Utc
}

/** Writes steps that were decided on locked choices, each with its record. */
export const consentWriter = Effect.gen(function* () {
  const consents = yield* ConsentStore
  const ids = yield* Ids
  return Effect.fnUntraced(function* (workspace: WorkspaceId, steps: ReadonlyArray<ConsentStep>) {
    if (steps.length === 0) return
    const recordIds = (yield* ids.many(steps.length)).map((id) => ConsentRecordId.make(id))
    yield* consents.apply(workspace, ChoicesChange.of(steps, recordIds))
  })
})

/** The evidence of all marketing that ended by messages. A message without contact has none. */
export const endedAll = (
  changes: ReadonlyArray<{ readonly after: Pick<TrackedDelivery, "id" | "contact"> }>,
  { at, evidence }: Act,
): ReadonlyArray<ConsentStep> =>
  changes.flatMap(({ after: { contact, id: messageId } }): ReadonlyArray<ConsentStep> =>
    contact === null
      ? []
      : [{ contactId: contact.id, action: "withdrawn", evidence: { ...evidence, messageId }, at, of: null }],
  )

export const consentActs = Effect.gen(function* () {
  const engagement = yield* EngagementStore
  const consents = yield* ConsentStore
  const write = yield* consentWriter

  const lock = ({ deliveryId, workspaceId }: LinkTarget) => engagement.lock(workspaceId, [deliveryId])

  return {
    write,
    /** Ends all marketing. Repeating it writes nothing. */
    endAll: Effect.fnUntraced(function* (target: LinkTarget, act: Act) {
      const { deliveryId, workspaceId } = target
      const happening = { deliveryId, event: { _tag: "unsubscribed" }, at: act.at } as const
      const changes = EngagementChange.ofAll(yield* lock(target), [happening])
      yield* engagement.apply(workspaceId, changes)
      yield* write(workspaceId, endedAll(changes, act))
    }),
    /** Ends the topic of the message. Repeating it writes nothing. */
    endTopic: Effect.fnUntraced(function* (target: LinkTarget, topic: Topic, { at, evidence }: Act) {
      const { deliveryId, workspaceId } = target
      const found = yield* lock(target)
      const contact = found.get(deliveryId)?.contact ?? null
      if (contact === null) return
      const before = yield* recorded(consents, workspaceId, contact.id, topic.id)
      yield* engagement.apply(workspaceId, leftTopic(found, deliveryId, at))
      if (before === "unsubscribed") return
      const of = { topic, before, after: "unsubscribed" } as const
      const step = { contactId: contact.id, action: "withdrawn", at, of } as const
      yield* write(workspaceId, [{ ...step, evidence: { ...evidence, messageId: deliveryId } }])
    }),
  }
})

const recorded = (
  consents: ConsentStore["Service"],
  workspace: WorkspaceId,
  contact: NonNullable<TrackedDelivery["contactId"]>,
  topic: TopicId,
) => Effect.map(consents.lock(workspace, [contact], [topic]), ([choice]) => choice?.status ?? null)

/** Counts it for the message that its topic was ended. */
export const leftTopic = (found: ReadonlyMap<DeliveryId, TrackedDelivery>, deliveryId: DeliveryId, at: DateTime.Utc) =>
  EngagementChange.ofAll(found, [{ deliveryId, event: { _tag: "topicUnsubscribed" }, at }])
