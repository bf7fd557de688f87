// The members of lists in memory: core's evaluator over all contacts.
import type { Contact } from "@tentpole/core/contacts/Contact"
import type { ContactId, ListId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { List } from "@tentpole/core/lists/List"
import { compileRules, type RuleSubject } from "@tentpole/core/segments/Evaluate"
import { type RuleField, RuleFactsStore } from "@tentpole/core/segments/RuleFacts"
import { referencesIn, type RuleTree } from "@tentpole/core/segments/RuleTree"
import { topicStatusOf } from "@tentpole/core/topics/Topic"
import { type DateTime, Effect } from "effect"
import { contactFields, contacts } from "../contacts/ContactTables.ts"
import { timelineOf } from "../contacts/Timeline.ts"
import { topicChoices, topics } from "../topics/TopicTables.ts"
import { type Rows, storeLayer, table } from "../kernel/MemoryDatabase.ts"

/** A member of a static list, by `memberKey`. */
export interface ListMember {
  readonly listId: ListId
  readonly contactId: ContactId
  readonly addedAt: DateTime.Utc
}

export const listMembers = table<ListMember>("list_member")

export const memberKey = (list: ListId, contact: ContactId): string => `${list}/${contact}`

/** Stored lists. The members of a static list are counted on each read. */
export const lists = table<List>("list")

/** The contacts of a list of any kind at `now`, in no order. */
export const contactsOf = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  list: List,
  now: DateTime.Utc,
) {
  const all = yield* db.all(contacts, workspace)
  switch (list.kind) {
    case "static": {
      const members = (yield* membershipsOf(db, workspace)).get(list.id) ?? new Set()
      return all.filter(({ id }) => members.has(id))
    }
    case "dynamic":
      return list.rules === null ? [] : yield* contactsMatching(db, workspace, list.rules, now)
    case "system":
      return list.systemList === "all_contacts" ? all : all.filter(({ unsubscribed }) => unsubscribed)
  }
})

/** The contacts that match the rule tree at `now`, in no order. */
const contactsMatching = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  tree: RuleTree,
  now: DateTime.Utc,
) {
  const mentioned = referencesIn(tree).fields
  const fields = yield* ruleFields(db, workspace, ({ id }) => mentioned.includes(id))
  const holds = compileRules(tree, { fields, now })
  const subjects = yield* subjectsOf(db, workspace, yield* db.all(contacts, workspace))
  return subjects.filter(holds).map(({ contact }) => contact)
})

/** Contact ids by list. */
const membershipsOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const membersOf = new Map<ListId, Set<ContactId>>()
  for (const { listId, contactId } of yield* db.all(listMembers, workspace)) {
    const members = membersOf.get(listId) ?? new Set()
    membersOf.set(listId, members.add(contactId))
  }
  return membersOf
})

/** What rules need besides the fields of contacts: timelines, lists and topics. */
export const subjectsOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, all: ReadonlyArray<Contact>) {
  const timelines = Map.groupBy(yield* timelineOf(db, workspace), ({ contactId }) => contactId)
  const membersOf = yield* membershipsOf(db, workspace)
  const known = yield* db.all(topics, workspace)
  const chosen = Map.groupBy(yield* db.all(topicChoices, workspace), ({ contactId }) => contactId)
  return all.map((contact): RuleSubject => ({
    contact,
    topics: new Map(
      known.map((topic) => [
        topic.id,
        topicStatusOf(topic, chosen.get(contact.id)?.find(({ topicId }) => topicId === topic.id) ?? null),
      ]),
    ),
    activities: timelines.get(contact.id) ?? [],
    lists: new Set([...membersOf].flatMap(([list, members]) => (members.has(contact.id) ? [list] : []))),
  }))
})

/** The fields that satisfy the condition, as rules need them. */
export const ruleFields = (
  db: Rows,
  workspace: WorkspaceId,
  holds: (field: RuleField) => boolean,
): Effect.Effect<ReadonlyArray<RuleField>> =>
  Effect.map(db.all(contactFields, workspace), (fields) =>
    fields.filter(holds).map(({ id, apiName, displayName, valueType, status, provenanceProvider }) => ({
      id,
      apiName,
      displayName,
      valueType,
      status,
      provenanceProvider,
    })),
  )

export const layer = storeLayer(RuleFactsStore, (db) =>
  RuleFactsStore.of({
    of: Effect.fnUntraced(function* (workspace, { fields, lists: mentioned, topics: named = [], fieldNames = [] }) {
      const known = yield* db.all(lists, workspace)
      const isStatic = (id: ListId) =>
        known.some((list) => list.id === id && list.kind === "static" && list.ownerBlastId === null)
      return {
        fields: yield* ruleFields(
          db,
          workspace,
          ({ id, apiName }) => fields.includes(id) || fieldNames.includes(apiName),
        ),
        staticLists: new Set(mentioned.filter(isStatic)),
        topics: new Set((yield* db.all(topics, workspace)).flatMap(({ id }) => (named.includes(id) ? [id] : []))),
      }
    }),
  }),
)
