// The change of what people chose. It carries the evidence: no status without its record, no record without its status.
import type { DateTime } from "effect"
import type { Activity } from "../contacts/Activity.ts"
import type { ConsentRecordId, ContactId, TopicId } from "../kernel/Ids.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import type { DomainEvent } from "../kernel/changes/Outbox.ts"
import type { ConsentAction, ConsentRecord, Evidence } from "./ConsentRecord.ts"
import { type Topic, type TopicChoice, type TopicStatus, topicStatusOf } from "./Topic.ts"

/** One act of one person, or of a caller for them. Each writes a consent record. */
export interface ConsentStep {
  readonly contactId: ContactId
  readonly action: ConsentAction
  readonly evidence: Evidence
  readonly at: DateTime.Utc
  /** Null: all marketing. The contact's own flag says it, and its change is another one. */
  readonly of: {
    readonly topic: Pick<Topic, "id" | "defaultSubscription">
    /** What was recorded; null: nothing. */
    readonly before: TopicStatus | null
    /** The same as before: the act changes no status. Null: nothing is recorded any more. */
    readonly after: TopicStatus | null
  } | null
}

/** The move of what is recorded of one person for one topic. */
export interface ChoiceMove {
  readonly contactId: ContactId
  readonly topicId: TopicId
  readonly before: TopicStatus | null
  /** Null: nothing is recorded any more. */
  readonly after: Pick<TopicChoice, "status" | "source" | "changedAt"> | null
  /** Of the topic: the status in force where nothing is recorded. */
  readonly defaultSubscription: Topic["defaultSubscription"]
  /** Of the last step. */
  readonly at: DateTime.Utc
}

export type ChoicesChange = Change<
  "choices",
  {
    /** From before the first step to after the last, each person and topic once; those that no step moved are absent. */
    readonly moves: ReadonlyArray<ChoiceMove>
    /** One for each step, in order. */
    readonly records: ReadonlyArray<ConsentRecord>
    readonly activities: ReadonlyArray<Activity>
  }
>

const choicesChange = changeOf("choices")

type SubscriptionType =
  | "subscription_requested"
  | "subscription_confirmed"
  | "subscription_changed"
  | "subscription_expired"

/** The event of an action, and its activity. Null: the record alone says it. */
const typeOf = (action: ConsentAction, moved: boolean): SubscriptionType | null => {
  switch (action) {
    case "requested":
    case "confirmed":
    case "expired":
      return `subscription_${action}`
    case "confirmation_sent":
      return null
    case "granted":
    case "withdrawn":
    case "imported":
      return moved ? "subscription_changed" : null
  }
}

/** Statuses in force, before and after a step. */
const movedOf = ({ after, before, topic }: NonNullable<ConsentStep["of"]>) => ({
  topic_id: topic.id,
  from: topicStatusOf(topic, before === null ? null : { status: before }),
  to: topicStatusOf(topic, after === null ? null : { status: after }),
})

export const ChoicesChange = {
  /**
   * The change that the steps add up to. `ids`: an id for the record of each step. Decide it on choices that are locked.
   *
   * @throws when a step does not begin where the last one of its person and topic ended, or an id is missing: a defect of the
   * caller, not wrong input.
   */
  of(steps: ReadonlyArray<ConsentStep>, ids: ReadonlyArray<ConsentRecordId>): ChoicesChange {
    const moves = new Map<string, ChoiceMove>()
    const activities: Array<Activity> = []
    const eventByKey = new Map<string, { readonly event: DomainEvent; readonly topics: ReadonlyArray<object> }>()
    const records = steps.map((step, index): ConsentRecord => {
      const { action, at, contactId, evidence, of } = step
      const id = ids[index]
      if (id === undefined) throw new Error("each step needs an id for its record")
      if (of !== null) {
        addMove(moves, step, of)
        const topic = movedOf(of)
        const type = typeOf(action, topic.from !== topic.to)
        const { source } = evidence
        if (type !== null) {
          const key = `${contactId} ${type} ${source}`
          const topics = [...(eventByKey.get(key)?.topics ?? []), topic]
          eventByKey.set(key, { event: { type, contactId, at, data: { topics, source } }, topics })
          const activity = type === "subscription_expired" ? "subscription_changed" : type
          activities.push({ contactId, type: activity, at, metadata: { ...topic, source } })
        }
      }
      return { ...evidence, id, contactId, topicId: of?.topic.id ?? null, action, at }
    })
    const events = [...eventByKey.values()].map(({ event }) => event)
    return choicesChange({ moves: [...moves.values()], records, activities }, { events })
  },
}

const addMove = (
  moves: Map<string, ChoiceMove>,
  { at, contactId, evidence }: ConsentStep,
  { after, before, topic }: NonNullable<ConsentStep["of"]>,
) => {
  const key = `${contactId} ${topic.id}`
  const last = moves.get(key)
  if (last !== undefined && (last.after?.status ?? null) !== before) {
    throw new Error("a step must begin where the last one ended")
  }
  if (before === after) return
  moves.set(key, {
    contactId,
    topicId: topic.id,
    before: last === undefined ? before : last.before,
    after: after === null ? null : { status: after, source: evidence.source, changedAt: at },
    defaultSubscription: topic.defaultSubscription,
    at,
  })
}
