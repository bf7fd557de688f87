// The store of what people chose, in memory. Transactions run one after another, so a lock is a plain read.
import type { ContactId, TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import type { ChoiceMove } from "@tentpole/core/topics/ChoicesChange"
import { ConsentStore } from "@tentpole/core/topics/ConsentStore"
import { Effect } from "effect"
import { writeActivities } from "../contacts/ContactStore.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { newest } from "../kernel/Slices.ts"
import { choiceKey, consentRecords, topicChoices } from "./TopicTables.ts"

const choices = (
  db: Rows,
  workspace: WorkspaceId,
  contacts: ReadonlyArray<ContactId>,
  topics: ReadonlyArray<TopicId> | null,
) =>
  Effect.map(db.all(topicChoices, workspace), (all) =>
    all.filter(
      ({ contactId, topicId }) => contacts.includes(contactId) && (topics === null || topics.includes(topicId)),
    ),
  )

const move = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, { after, before, ...of }: ChoiceMove) {
  const key = choiceKey(of.topicId, of.contactId)
  const stored = yield* db.find(topicChoices, workspace, key)
  if ((stored === undefined) !== (before === null)) {
    return yield* Effect.die("choices are not what the change was decided on: lock them first")
  }
  yield* after === null
    ? db.remove(topicChoices, workspace, key)
    : db.put(topicChoices, workspace, key, { ...of, ...after })
})

export const layer = storeLayer(ConsentStore, (db, writer) =>
  ConsentStore.of({
    choices: (workspace, contacts, topics) => choices(db, workspace, contacts, topics),
    lock: (workspace, contacts, topics) => Effect.andThen(Transaction, choices(db, workspace, contacts, topics)),
    apply: Effect.fnUntraced(function* (workspace, change) {
      yield* Transaction
      for (const each of change.moves) yield* move(db, workspace, each)
      for (const record of change.records) yield* db.put(consentRecords, workspace, record.id, record)
      yield* writeActivities(db, workspace, change.activities)
      yield* writer.writeEffects(workspace, [change])
    }),
    records: Effect.fnUntraced(function* (workspace, contact, slice) {
      const own = (yield* db.all(consentRecords, workspace)).filter(({ contactId }) => contactId === contact)
      const { items, next } = newest(
        own.map((record) => ({ ...record, createdAt: record.at })),
        slice,
      )
      return { items: items.map(({ createdAt: _, ...record }) => record), next }
    }),
  }),
)
