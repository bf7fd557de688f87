// The memory tables of topics, of what people chose, and of the evidence.
import type { ContactId, TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { MergePair } from "@tentpole/core/contacts/Merge"
import type { ConsentRecord } from "@tentpole/core/topics/ConsentRecord"
import { isStricter, type Topic, type TopicChoice } from "@tentpole/core/topics/Topic"
import { Effect } from "effect"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"

export const topics = table<Topic>("topic")
export const topicChoices = table<TopicChoice>("topic_choice")
export const consentRecords = table<ConsentRecord>("consent_record")

export const choiceKey = (topic: TopicId, contact: ContactId): string => `${topic}/${contact}`

/** Deletes what is recorded of contacts that are deleted. */
export const forgetConsent = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  deleted: ReadonlySet<ContactId>,
) {
  yield* db.removeWhere(topicChoices, workspace, ({ contactId }) => deleted.has(contactId))
  yield* db.removeWhere(consentRecords, workspace, ({ contactId }) => deleted.has(contactId))
})

/** The target of a merge gets the stricter one of two choices for a topic, and the records of the source. */
export const moveConsent = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { source, target }: MergePair<ContactId>,
) {
  for (const choice of yield* db.all(topicChoices, workspace)) {
    if (choice.contactId !== source) continue
    const key = choiceKey(choice.topicId, target)
    const own = yield* db.find(topicChoices, workspace, key)
    if (own === undefined || isStricter(choice, own)) {
      yield* db.put(topicChoices, workspace, key, { ...choice, contactId: target })
    }
  }
  for (const record of yield* db.all(consentRecords, workspace)) {
    if (record.contactId === source) {
      yield* db.put(consentRecords, workspace, record.id, { ...record, contactId: target })
    }
  }
})
