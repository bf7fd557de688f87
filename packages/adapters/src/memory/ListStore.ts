// Contact lists and their members in memory.
import { type ContactId, ListId, type WorkspaceId } from "@tentpole/core/Ids"
import { type List, ListChange, ListNameExists, type SystemList } from "@tentpole/core/lists/List"
import { type ListQuery, ListStore, type Member, type MemberQuery } from "@tentpole/core/lists/ListStore"
import type { Paged, PageRequest } from "@tentpole/core/Page"
import { NotFound } from "@tentpole/core/Refusal"
import { fold } from "@tentpole/core/Text"
import { Transaction } from "@tentpole/core/Transactor"
import { Effect, Layer } from "effect"
import { contacts, contactSortValues, inOrder, writeActivities } from "./ContactStore.ts"
import { MemoryDatabase, type Rows } from "./MemoryDatabase.ts"
import { appendEvents } from "./Outbox.ts"
import { contactsOf, listMembers, lists, memberKey } from "./Segment.ts"
import { type SystemListRow, systemListRows } from "./WorkspaceStore.ts"

export { listMembers, lists } from "./Segment.ts"

const toSystemList = (row: SystemListRow): SystemList => ({
  id: row.id,
  kind: "system",
  systemList: row.systemList,
  name: row.name,
  slug: row.slug,
  description: null,
  ownerBlastId: null,
  createdAt: row.createdAt,
  updatedAt: row.createdAt,
})

/** Every list of the workspace, its members counted. */
const allLists = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const counts = new Map<ListId, number>()
  for (const { listId } of yield* db.all(listMembers, workspace)) counts.set(listId, (counts.get(listId) ?? 0) + 1)
  const counted = (list: List): List =>
    list.kind === "static" ? { ...list, memberCount: counts.get(list.id) ?? 0 } : list
  return [
    ...(yield* db.all(systemListRows, workspace)).map(toSystemList),
    ...(yield* db.all(lists, workspace)).map(counted),
  ]
})

export const findList = (db: Rows, workspace: WorkspaceId, id: ListId): Effect.Effect<List, NotFound> =>
  Effect.flatMap(allLists(db, workspace), (all) => {
    const list = all.find((each) => each.id === id)
    return list === undefined ? Effect.fail(new NotFound({ resource: "contact list" })) : Effect.succeed(list)
  })

const paged = <A>({ page, limit }: PageRequest, all: ReadonlyArray<A>): Paged<A> => ({
  items: all.slice((page - 1) * limit, page * limit),
  total: all.length,
})

const isListed = ({ search, kind }: ListQuery, list: List): boolean =>
  list.ownerBlastId === null &&
  (kind === null || list.kind === kind) &&
  (search === null || fold(list.name).includes(fold(search)))

const isAsked = ({ search, unsubscribed }: MemberQuery, { contact }: Member): boolean => {
  if (unsubscribed !== null && contact.unsubscribed !== unsubscribed) return false
  const { displayName, firstName, lastName, email } = contact
  return (
    search === null ||
    [displayName, firstName, lastName, email].some((text) => text !== null && fold(text).includes(fold(search)))
  )
}

const inMemberOrder = ({ sort, order }: MemberQuery, members: ReadonlyArray<Member>): ReadonlyArray<Member> =>
  inOrder(members, order, {
    value: ({ contact, addedAt }) => (sort === "member_added_at" ? addedAt : contactSortValues[sort](contact)),
    id: ({ contact }) => contact.id,
  })

const known = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, ids: ReadonlyArray<ContactId>) {
  const all = yield* Effect.forEach(ids, (id) => db.find(contacts, workspace, id))
  return new Set(all.flatMap((contact) => (contact === undefined ? [] : [contact.id])))
})

/** Writes a change in the caller's transaction: also for rooms that carry one in their own. */
export const applyList = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: ListChange) {
  if (!ListChange.is(change)) return yield* Effect.die("a list can only be written by a ListChange")
  const { before, after, added, removed, at } = change
  if (before === null && after !== null) yield* insertList(db, workspace, after)
  if (before !== null && after === null) yield* deleteList(db, workspace, before)
  if (after !== null) {
    for (const contactId of added) {
      yield* db.put(listMembers, workspace, memberKey(after.id, contactId), {
        listId: after.id,
        contactId,
        addedAt: at,
      })
    }
    for (const contactId of removed) yield* db.remove(listMembers, workspace, memberKey(after.id, contactId))
  }
  yield* writeActivities(db, workspace, change.activities)
  yield* appendEvents(db, workspace, change.events)
})

const insertList = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, list: List) {
  const all = yield* allLists(db, workspace)
  if (all.some(({ name }) => fold(name) === fold(list.name))) return yield* new ListNameExists({ name: list.name })
  if (all.some(({ slug }) => slug === list.slug)) return yield* Effect.die(`the slug ${list.slug} is taken`)
  yield* db.put(lists, workspace, list.id, list)
})

const deleteList = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, { id }: List) {
  if ((yield* db.find(lists, workspace, id)) === undefined) return yield* Effect.die(`list ${id} of a change is gone`)
  yield* db.remove(lists, workspace, id)
  for (const { listId, contactId } of yield* db.all(listMembers, workspace)) {
    if (listId === id) yield* db.remove(listMembers, workspace, memberKey(id, contactId))
  }
})

export const layer = Layer.effect(
  ListStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    return ListStore.of({
      find: (workspace, id) => findList(db, workspace, id),
      page: (workspace, query) =>
        Effect.map(allLists(db, workspace), (all) => {
          const listed = all
            .filter((list) => isListed(query, list))
            .sort(
              (left, right) =>
                right.createdAt.epochMilliseconds - left.createdAt.epochMilliseconds || (left.id < right.id ? -1 : 1),
            )
          return paged(query, listed)
        }),
      members: (workspace, { list, now }, query) =>
        Effect.gen(function* () {
          const held = yield* contactsOf(db, workspace, list, now)
          const members = yield* Effect.forEach(held, (contact) =>
            Effect.map(db.find(listMembers, workspace, memberKey(list.id, contact.id)), (member): Member => ({
              contact,
              addedAt: member?.addedAt ?? null,
            })),
          )
          return paged(
            query,
            inMemberOrder(
              query,
              members.filter((member) => isAsked(query, member)),
            ),
          )
        }),
      countOf: (workspace, { list, now }) => Effect.map(contactsOf(db, workspace, list, now), (held) => held.length),
      lockForCreation: (workspace, { candidates, contactIds }) =>
        Effect.gen(function* () {
          yield* Transaction
          const names = new Set(candidates.names.map(fold))
          const taken = yield* allLists(db, workspace)
          return {
            contacts: yield* known(db, workspace, contactIds),
            taken: {
              names: new Set(taken.map(({ name }) => fold(name)).filter((name) => names.has(name))),
              slugs: new Set(taken.map(({ slug }) => slug).filter((slug) => candidates.slugs.includes(slug))),
            },
          }
        }),
      lockForMembers: (workspace, id, contactIds) =>
        Effect.gen(function* () {
          yield* Transaction
          const list = yield* findList(db, workspace, id)
          const asked = yield* Effect.forEach(contactIds, (contactId) =>
            db.find(listMembers, workspace, memberKey(id, contactId)),
          )
          return {
            list,
            contacts: yield* known(db, workspace, contactIds),
            members: new Set(asked.flatMap((member) => (member === undefined ? [] : [member.contactId]))),
          }
        }),
      apply: (workspace, change) => Effect.andThen(Transaction, applyList(db, workspace, change)),
    })
  }),
)
