// The list store in memory, with the members of lists.
import { type ContactId, ListId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type List, type ListChange, ListNameExists, type SystemList } from "@tentpole/core/lists/List"
import type { NameCandidates } from "@tentpole/core/lists/ListName"
import { list_users_max } from "@tentpole/core/lists/ListUse"
import { type ListQuery, ListStore, type Member, type MemberQuery } from "@tentpole/core/lists/ListStore"
import type { NotFound } from "@tentpole/core/kernel/Refusal"
import { referencesIn } from "@tentpole/core/segments/RuleTree"
import { fold } from "@tentpole/core/kernel/Text"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Equal } from "effect"
import { contacts, contactSortValues, writeActivities } from "../contacts/ContactStore.ts"
import { blasts } from "../sending/DeliveryTables.ts"
import { activeFlowsUsing } from "../flows/FlowTables.ts"
import { found, type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { byId, byNewest, inOrder, namesOf, paged } from "../kernel/Slices.ts"
import { contactsOf, listMembers, lists, memberKey } from "../segments/SegmentMembers.ts"
import { type SystemListRow, systemListRows } from "../workspaces/WorkspaceStore.ts"

export { listMembers, lists } from "../segments/SegmentMembers.ts"

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

/** All lists of the workspace, with counted members. */
export const allLists = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
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
  Effect.flatMap(allLists(db, workspace), (all) =>
    found(
      all.find((each) => each.id === id),
      "contact list",
    ),
  )

const isListed = ({ search, kind }: ListQuery, list: List): boolean =>
  list.ownerBlastId === null &&
  (kind === null || list.kind === kind) &&
  (search === null || fold(list.name).includes(fold(search)))

const isSelected = ({ search, unsubscribed }: MemberQuery, { contact }: Member): boolean => {
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
  return new Set(all.flatMap((contact) => contact?.id ?? []))
})

/** Writes the rows of a change in the caller's transaction. Changes of other rooms may carry a list change. */
export const applyList = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: ListChange) {
  const { before, after, added, removed, at } = change
  if (before === null && after !== null) yield* insertList(db, workspace, after)
  if (before !== null && after !== null && change.edited) yield* updateList(db, workspace, before, after)
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
})

const insertList = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, list: List) {
  const others = (yield* allLists(db, workspace)).filter(({ id }) => id !== list.id)
  if (others.some(({ name }) => fold(name) === fold(list.name)))
    return yield* new ListNameExists({ name: list.name, existingId: null })
  if (others.some(({ slug }) => slug === list.slug)) return yield* Effect.die(`the slug ${list.slug} is taken`)
  yield* db.put(lists, workspace, list.id, list)
})

const updateList = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, before: List, after: List) {
  const stored = yield* db.find(lists, workspace, before.id)
  if (stored?.kind !== before.kind || !Equal.equals(stored.updatedAt, before.updatedAt)) {
    return yield* Effect.die(`list ${before.id} is not what the change was decided on: lock it`)
  }
  yield* insertList(db, workspace, after)
})

const deleteList = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, { id }: List) {
  if ((yield* db.find(lists, workspace, id)) === undefined)
    return yield* Effect.die(`list ${id} of a change is missing`)
  yield* db.remove(lists, workspace, id)
  yield* db.removeWhere(listMembers, workspace, ({ listId }) => listId === id)
})

/** Which of the candidates other lists than `own` have. */
const takenNames = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { names, slugs }: NameCandidates,
  own: ListId | null,
) {
  const others = (yield* allLists(db, workspace)).filter(({ id }) => id !== own)
  const folded = new Set(names.map(fold))
  return {
    names: new Map(others.map(({ id, name }) => [fold(name), id] as const).filter(([name]) => folded.has(name))),
    slugs: new Set(others.map(({ slug }) => slug).filter((slug) => slugs.includes(slug))),
  }
})

/** The users of a list in all rooms that use lists. */
const usesOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: ListId) {
  const sent = (yield* db.all(blasts, workspace)).filter(
    ({ audience, status }) => audience?.listId === id && (status === "scheduled" || status === "sending"),
  )
  const naming = (yield* db.all(lists, workspace)).filter(
    (list) => list.kind === "dynamic" && referencesIn(list.rules).lists.includes(id),
  )
  const flows = yield* activeFlowsUsing(db, workspace, ({ lists: used }) => used.includes(id))
  const users = [...namesOf("blast", sent), ...namesOf("contact_list", naming), ...namesOf("flow", flows)]
  return { users: users.slice(0, list_users_max), count: users.length }
})

export const layer = storeLayer(ListStore, (db, writer) =>
  ListStore.of({
    get: (workspace, id) => findList(db, workspace, id),
    list: (workspace, query) =>
      Effect.map(allLists(db, workspace), (all) =>
        paged(query, all.filter((list) => isListed(query, list)).sort(byNewest)),
      ),
    listsOf: Effect.fnUntraced(function* (workspace, contact, limit) {
      const all = yield* allLists(db, workspace)
      const joined = (yield* db.all(listMembers, workspace)).filter(({ contactId }) => contactId === contact)
      const found = joined.flatMap(({ addedAt, listId }) => {
        const list = all.find(({ id }) => id === listId)
        return list?.kind === "static" && list.ownerBlastId === null ? [{ list, addedAt }] : []
      })
      return found
        .toSorted((left, right) =>
          byNewest({ id: left.list.id, createdAt: left.addedAt }, { id: right.list.id, createdAt: right.addedAt }),
        )
        .slice(0, limit)
    }),
    dynamicLists: (workspace, { after, limit }) =>
      Effect.map(db.all(lists, workspace), (all) =>
        all
          .flatMap((list) => (list.kind === "dynamic" ? [list] : []))
          .filter(
            ({ id, ownerBlastId, rules }) => rules !== null && ownerBlastId === null && (after === null || id > after),
          )
          .sort(byId)
          .slice(0, limit),
      ),
    uses: (workspace, id) => usesOf(db, workspace, id),
    members: Effect.fnUntraced(function* (workspace, { list, now }, query) {
      const listed = yield* contactsOf(db, workspace, list, now)
      const members = yield* Effect.forEach(listed, (contact) =>
        Effect.map(db.find(listMembers, workspace, memberKey(list.id, contact.id)), (member): Member => ({
          contact,
          addedAt: member?.addedAt ?? null,
        })),
      )
      const selected = members.filter((member) => isSelected(query, member))
      return paged(query, inMemberOrder(query, selected))
    }),
    memberIds: (workspace, id) =>
      Effect.map(db.all(listMembers, workspace), (all) =>
        all.flatMap(({ listId, contactId }) => (listId === id ? [contactId] : [])),
      ),
    countMembers: (workspace, { list, now }) =>
      Effect.map(contactsOf(db, workspace, list, now), (listed) => listed.length),
    lockForCreation: Effect.fnUntraced(function* (workspace, { candidates, contactIds }) {
      yield* Transaction
      return {
        contacts: yield* known(db, workspace, contactIds),
        taken: yield* takenNames(db, workspace, candidates, null),
      }
    }),
    lockForUpdate: Effect.fnUntraced(function* (workspace, id, { candidates = { names: [], slugs: [] } }) {
      yield* Transaction
      const list = yield* findList(db, workspace, id)
      return { list, taken: yield* takenNames(db, workspace, candidates, id) }
    }),
    lockForDelete: Effect.fnUntraced(function* (workspace, id) {
      yield* Transaction
      const list = yield* findList(db, workspace, id)
      return { list, uses: yield* usesOf(db, workspace, id) }
    }),
    lockForMembers: Effect.fnUntraced(function* (workspace, id, contactIds) {
      yield* Transaction
      const list = yield* findList(db, workspace, id)
      const rows = yield* Effect.forEach(contactIds, (contactId) =>
        db.find(listMembers, workspace, memberKey(id, contactId)),
      )
      return {
        list,
        contacts: yield* known(db, workspace, contactIds),
        members: new Set(rows.flatMap((member) => member?.contactId ?? [])),
      }
    }),
    apply: Effect.fnUntraced(function* (workspace, change) {
      yield* Transaction
      yield* applyList(db, workspace, change)
      yield* writer.writeEffects(workspace, [change])
    }),
  }),
)
