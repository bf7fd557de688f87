// The store of what people chose, in memory. Transactions run one after another, so a lock is a plain read.
import { countsOfChoices } from "@tentpole/core/figures/DayFigures"
import type { ContactId, TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import type { ChoiceMove } from "@tentpole/core/topics/ChoicesChange"
import { ConsentStore } from "@tentpole/core/topics/ConsentStore"
import { Effect } from "effect"
import { writeActivities } from "../contacts/ContactStore.ts"
import { contacts } from "../contacts/ContactTables.ts"
import { addDayCounts } from "../figures/DayFigures.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { newest } from "../kernel/Slices.ts"
import { suppressions } from "../sending/DeliveryTables.ts"
import { workspaces } from "../workspaces/WorkspaceStore.ts"
import { inOrder } from "./TopicStore.ts"
import { choiceKey, consentRecords, topicChoices, topics } from "./TopicTables.ts"

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

const preferences = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, contactId: ContactId) {
  const { brand } = yield* db.get(workspaces, null, workspace, "workspace")
  const contact = yield* db.get(contacts, workspace, contactId, "contact")
  const { email, emailNormalized, unsubscribed } = contact
  const suppression = emailNormalized === null ? undefined : yield* db.find(suppressions, workspace, emailNormalized)
  const chosen = yield* Effect.forEach((yield* db.all(topics, workspace)).toSorted(inOrder), (topic) =>
    Effect.map(db.find(topicChoices, workspace, choiceKey(topic.id, contactId)), (choice) => ({
      topic,
      choice: choice === undefined ? null : { status: choice.status },
    })),
  )
  return { email, unsubscribed, addressUnsubscribed: suppression?.reason === "unsubscribe", brand, topics: chosen }
})

const move = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { after, before, contactId, topicId }: ChoiceMove,
) {
  const key = choiceKey(topicId, contactId)
  const stored = yield* db.find(topicChoices, workspace, key)
  if ((stored === undefined) !== (before === null)) {
    return yield* Effect.die("choices are not what the change was decided on: lock them first")
  }
  yield* after === null
    ? db.remove(topicChoices, workspace, key)
    : db.put(topicChoices, workspace, key, { contactId, topicId, ...after })
})

export const layer = storeLayer(ConsentStore, (db, writer) =>
  ConsentStore.of({
    choices: (workspace, contacts, topics) => choices(db, workspace, contacts, topics),
    preferences: (workspace, contact) => preferences(db, workspace, contact),
    lock: (workspace, contacts, topics) => Effect.andThen(Transaction, choices(db, workspace, contacts, topics)),
    apply: Effect.fnUntraced(function* (workspace, change) {
      yield* Transaction
      for (const each of change.moves) yield* move(db, workspace, each)
      yield* addDayCounts(db, workspace, countsOfChoices(change.moves))
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
