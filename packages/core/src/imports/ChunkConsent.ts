// What a chunk of an import records of its contacts for topics.
import { DateTime } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import type { ConsentRecordId, ContactId, TopicId } from "../kernel/Ids.ts"
import type { ConsentStep } from "../topics/ChoicesChange.ts"
import { evidenceOf } from "../topics/ConsentRecord.ts"
import type { Topic, TopicChoice, TopicStatus } from "../topics/Topic.ts"
import type { WaitingConfirmation } from "./confirmations/WaitingConfirmation.ts"
import type { ImportRun, RowIssue } from "./Import.ts"
import type { RowChoice, RowConsent } from "./ImportConsent.ts"
import { issueOf } from "./Rows.ts"

export interface ConsentFacts {
  /** The topics of the run that exist. The others were deleted meanwhile, and are left out. */
  readonly topics: ReadonlyArray<Topic>
  /** The recorded statuses of the existing contacts for these topics, locked. */
  readonly choices: ReadonlyArray<TopicChoice>
  /** Ids for new records: one for each row and topic. */
  readonly recordIds: ReadonlyArray<ConsentRecordId>
}

/** Of a run that names no topic. */
export const noTopics: ConsentFacts = { topics: [], choices: [], recordIds: [] }

const keptMessage = "The contact has unsubscribed: an import subscribes no contact again"

/** What the rows of a chunk record. Rows are decided one after another: each sees what the earlier ones changed. */
export class ChunkConsent {
  readonly steps: Array<ConsentStep> = []
  readonly #run: ImportRun
  readonly #now: DateTime.Utc
  readonly #topics: ReadonlyMap<TopicId, Topic>
  readonly #statuses: Map<string, TopicStatus>
  readonly #unsubscribed: Set<ContactId>
  readonly #waiting = new Map<ContactId, ReadonlySet<TopicId>>()

  constructor(
    run: ImportRun,
    {
      choices,
      existing,
      now,
      topics,
    }: ConsentFacts & { readonly existing: ReadonlyArray<Contact>; readonly now: DateTime.Utc },
  ) {
    this.#run = run
    this.#now = now
    this.#topics = new Map(topics.map((topic) => [topic.id, topic]))
    this.#statuses = new Map(choices.map((choice) => [keyOf(choice.contactId, choice.topicId), choice.status]))
    this.#unsubscribed = new Set(existing.flatMap(({ id, unsubscribed }) => (unsubscribed ? [id] : [])))
  }

  /** The contacts that have to confirm, with the topics that this chunk made pending. */
  get waiting(): ReadonlyArray<WaitingConfirmation> {
    return [...this.#waiting].map(([contactId, topicIds]) => ({
      runId: this.#run.id,
      contactId,
      topicIds: [...topicIds],
    }))
  }

  /** Records what an imported row says. `contact` is its state after the row. Returns what is not recorded, and why. */
  record(contact: Contact, row: RowConsent): ReadonlyArray<RowIssue> {
    if (contact.unsubscribed) this.#unsubscribed.add(contact.id)
    const forAll = this.#run.consent?.topicIds ?? []
    const choices = [
      ...forAll.map((topicId): RowChoice => ({ topicId, status: "subscribed", column: null })),
      ...row.choices,
    ]
    return choices.flatMap((choice) => {
      const topic = this.#topics.get(choice.topicId)
      return topic === undefined ? [] : this.#decide(contact.id, topic, choice, row)
    })
  }

  #decide(contactId: ContactId, topic: Topic, { column, status }: RowChoice, row: RowConsent): ReadonlyArray<RowIssue> {
    const { consent, id, overwriteBlankOnly } = this.#run
    const before = this.#statuses.get(keyOf(contactId, topic.id)) ?? null
    const blankOnly = overwriteBlankOnly || column?.overwriteBehavior === "skip_if_filled"
    if (before !== null && blankOnly) return []
    const subscribes = status === "subscribed"
    if (subscribes && (this.#unsubscribed.has(contactId) || before === "unsubscribed")) {
      return [issueOf("kept_unsubscribed", keptMessage, column ?? { header: null, targetField: topic.id })]
    }
    const after = subscribes && consent?.doubleOptIn === true && before !== "subscribed" ? "pending" : status
    // A status that is recorded already needs no second record, unless it has evidence of its own.
    if (after === before && !(subscribes && consent !== null)) return []
    this.steps.push({
      contactId,
      action: subscribes ? "imported" : "withdrawn",
      evidence: evidenceOf("import", {
        importRunId: id,
        ...(subscribes && consent !== null ? { sourceDetail: consent.source, text: consent.text } : {}),
      }),
      at: subscribes ? (row.collectedAt ?? consent?.collectedAt ?? this.#now) : this.#now,
      of: { topic, before, after },
    })
    this.#statuses.set(keyOf(contactId, topic.id), after)
    if (after === "pending") {
      this.#waiting.set(contactId, new Set([...(this.#waiting.get(contactId) ?? []), topic.id]))
    }
    return []
  }
}

const keyOf = (contact: ContactId, topic: TopicId): string => `${contact} ${topic}`
