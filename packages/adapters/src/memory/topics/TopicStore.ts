// The store of topics in memory. Transactions run one after another, so a lock is a plain read.
import type { TopicId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { byCodePoint, fold } from "@tentpole/core/kernel/Text"
import { type Topic, topicStatusOf } from "@tentpole/core/topics/Topic"
import { usesBy } from "@tentpole/core/topics/TopicErrors"
import { type CountedTopic, TopicStore } from "@tentpole/core/topics/TopicStore"
import { Effect } from "effect"
import { contacts } from "../contacts/ContactTables.ts"
import { flowsUsing } from "../flows/FlowTables.ts"
import { formConsents } from "../forms/FormTables.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { blasts } from "../sending/DeliveryTables.ts"
import { choiceKey, topicChoices, topics } from "./TopicTables.ts"

const counted = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, topic: Topic) {
  const reachable = (yield* db.all(contacts, workspace)).filter(({ unsubscribed }) => !unsubscribed)
  const statuses = yield* Effect.forEach(reachable, ({ id }) =>
    Effect.map(db.find(topicChoices, workspace, choiceKey(topic.id, id)), (choice) =>
      topicStatusOf(topic, choice ?? null),
    ),
  )
  const subscribedCount = statuses.filter((status) => status === "subscribed").length
  return { topic, subscribedCount } satisfies CountedTopic
})

/** Every room that names topics has a branch here. */
interface Named {
  readonly id: string
  readonly name: string
}

const byName = (left: Named, right: Named): number =>
  byCodePoint(left.name, right.name) || byCodePoint(left.id, right.id)

const usesOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: TopicId) {
  const forms = (yield* db.all(formConsents, workspace))
    .filter(({ consent }) => consent.topicIds.includes(id))
    .map(({ formId, tentId }) => ({ id: tentId, name: formId }))
    .toSorted(byName)
  const blastRows = (yield* db.all(blasts, workspace)).filter(({ topicId }) => topicId === id).toSorted(byName)
  const flows = (yield* flowsUsing(db, workspace, ({ stepTopics }) => stepTopics.includes(id)))
    .filter(({ lifecycle }) => lifecycle.status !== "archived")
    .toSorted(byName)
  const contacts = (yield* db.all(topicChoices, workspace)).filter(({ topicId }) => topicId === id).length
  return usesBy({ blasts: blastRows, flows, forms, contacts })
})

export const inOrder = (left: Topic, right: Topic): number =>
  left.position - right.position || byCodePoint(fold(left.name), fold(right.name))

export const layer = storeLayer(TopicStore, (db, writer) =>
  TopicStore.of({
    list: (workspace) =>
      Effect.flatMap(db.all(topics, workspace), (all) =>
        Effect.forEach(all.toSorted(inOrder), (topic) => counted(db, workspace, topic)),
      ),
    get: (workspace, id) =>
      Effect.flatMap(db.get(topics, workspace, id, "topic"), (topic) => counted(db, workspace, topic)),
    many: (workspace, ids) => Effect.map(db.all(topics, workspace), (all) => all.filter(({ id }) => ids.includes(id))),
    lock: (workspace) => Effect.andThen(Transaction, db.all(topics, workspace)),
    lockForDelete: Effect.fnUntraced(function* (workspace, id) {
      yield* Transaction
      const topic = yield* db.get(topics, workspace, id, "topic")
      return { topic, uses: yield* usesOf(db, workspace, id) }
    }),
    apply: Effect.fnUntraced(function* (workspace, change) {
      yield* Transaction
      const { after, before } = change
      if (after !== null) yield* db.put(topics, workspace, after.id, after)
      if (before !== null && after === null) {
        yield* db.remove(topics, workspace, before.id)
        yield* db.removeWhere(topicChoices, workspace, ({ topicId }) => topicId === before.id)
      }
      yield* writer.writeEffects(workspace, [change])
    }),
  }),
)
