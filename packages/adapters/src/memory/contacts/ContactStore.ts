// The contact store in memory, with timelines.
import { type Activity, ownActivityTypes } from "@tentpole/core/contacts/Activity"
import type { Identities } from "@tentpole/core/contacts/batch/Batch"
import type { Contact } from "@tentpole/core/contacts/Contact"
import type { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import { type ContactQuery, type ContactSort, ContactStore, IdentityTaken } from "@tentpole/core/contacts/ContactStore"
import { ContactId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Paged, PageRequest } from "@tentpole/core/kernel/Page"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { byCodePoint, fold } from "@tentpole/core/kernel/Text"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { activities, contacts, submissions } from "./ContactTables.ts"
import { deliveries, suppressions } from "../sending/DeliveryTables.ts"
import { leaveFlows } from "../flows/MembershipTables.ts"
import { MemoryDatabase, type Rows, table } from "../kernel/MemoryDatabase.ts"
import { listMembers, memberKey } from "../segments/SegmentMembers.ts"

export { contacts } from "./ContactTables.ts"

/** The unique keys of contacts: email address and phone number. */
const emails = table<ContactId>("contact_email")
const phones = table<ContactId>("contact_phone")
const sequence = table<number>("activity_sequence")

/** Writes the rows of a change in the caller's transaction. `IdentityTaken` comes from changes that were decided without `lock`. */
export const writeContacts = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: ContactsChange) {
  yield* deleteContacts(db, workspace, change.deletes)
  for (const { before } of change.updates) {
    if ((yield* db.find(contacts, workspace, before.id)) === undefined) return yield* notLocked(before)
    if (before.emailNormalized !== null) yield* db.remove(emails, workspace, before.emailNormalized)
    if (before.phone !== null) yield* db.remove(phones, workspace, before.phone)
  }
  for (const contact of [...change.updates.map((update) => update.after), ...change.creates]) {
    if (contact.emailNormalized !== null) yield* claim(db, workspace, emails, contact.emailNormalized, contact.id)
    if (contact.phone !== null) yield* claim(db, workspace, phones, contact.phone, contact.id)
    const there = yield* db.find(contacts, workspace, contact.id)
    yield* db.put(contacts, workspace, contact.id, { ...contact, lastActivityAt: there?.lastActivityAt ?? null })
  }
  yield* writeActivities(db, workspace, change.activities)
  for (const email of change.resubscribed) {
    if ((yield* db.find(suppressions, workspace, email))?.reason === "unsubscribe") {
      yield* db.remove(suppressions, workspace, email)
    }
  }
})

const notLocked = ({ id }: Contact) => Effect.die(`contact ${id} of a change is missing: it was not locked`)

/** Deletes contacts with their timelines, list members and flow memberships. Their deliveries stay and are marked. */
const deleteContacts = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, deleted: ReadonlyArray<Contact>) {
  if (deleted.length === 0) return
  const deletedIds = new Set(deleted.map(({ id }) => id))
  for (const contact of deleted) {
    const { id, emailNormalized, phone } = contact
    if ((yield* db.find(contacts, workspace, id)) === undefined) return yield* notLocked(contact)
    yield* db.remove(contacts, workspace, id)
    if (emailNormalized !== null) yield* db.remove(emails, workspace, emailNormalized)
    if (phone !== null) yield* db.remove(phones, workspace, phone)
  }
  for (const { listId, contactId } of yield* db.all(listMembers, workspace)) {
    if (deletedIds.has(contactId)) yield* db.remove(listMembers, workspace, memberKey(listId, contactId))
  }
  for (const row of yield* db.all(deliveries, workspace)) {
    if (deletedIds.has(row.contactId)) yield* db.put(deliveries, workspace, row.id, { ...row, contactDeleted: true })
  }
  for (const row of yield* db.all(submissions, workspace)) {
    if (row.contactId !== null && deletedIds.has(row.contactId)) {
      yield* db.put(submissions, workspace, row.id, { ...row, contactId: null })
    }
  }
  yield* leaveFlows(db, workspace, deletedIds)
  for (const { id, contactId } of yield* db.all(activities, workspace)) {
    if (deletedIds.has(contactId)) yield* db.remove(activities, workspace, id)
  }
})

/**
 * Adds activities to timelines in the caller's transaction, and moves `lastActivityAt` for what the contact did. Activities of
 * deleted contacts are skipped.
 */
export const writeActivities = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  added: ReadonlyArray<Activity>,
) {
  const last = (yield* db.find(sequence, workspace, "last")) ?? 0
  yield* db.put(sequence, workspace, "last", last + added.length)
  for (const [index, activity] of added.entries()) {
    const contact = yield* db.find(contacts, workspace, activity.contactId)
    if (contact === undefined) continue
    const id = `00000000-0000-7000-8000-${(last + 1 + index).toString(16).padStart(12, "0")}`
    yield* db.put(activities, workspace, id, { ...activity, id })
    if (!ownActivityTypes.has(activity.type)) continue
    const lastActivityAt =
      contact.lastActivityAt === null ? activity.at : DateTime.max(contact.lastActivityAt, activity.at)
    yield* db.put(contacts, workspace, contact.id, { ...contact, lastActivityAt })
  }
})

const claim = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  key: typeof emails,
  identity: string,
  id: ContactId,
) {
  const holder = yield* db.find(key, workspace, identity)
  if (holder !== undefined && holder !== id) return yield* new IdentityTaken()
  yield* db.put(key, workspace, identity, id)
})

const known = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  identities: Identities & { readonly ids?: ReadonlyArray<ContactId> },
) {
  const ids = new Set<ContactId>(identities.ids)
  for (const [key, values] of [
    [emails, identities.emails],
    [phones, identities.phones],
  ] as const) {
    for (const identity of values) {
      const holder = yield* db.find(key, workspace, identity)
      if (holder !== undefined) ids.add(holder)
    }
  }
  const found: Array<Contact> = []
  for (const id of ids) {
    const contact = yield* db.find(contacts, workspace, id)
    if (contact !== undefined) found.push(contact)
  }
  return found
})

type SortValue = string | DateTime.Utc | null

/** The value that each sort field orders by. */
export const contactSortValues: { readonly [Sort in ContactSort]: (contact: Contact) => SortValue } = {
  created_at: (contact) => contact.createdAt,
  updated_at: (contact) => contact.updatedAt,
  last_activity_at: (contact) => contact.lastActivityAt,
  display_name: (contact) => contact.displayName,
  first_name: (contact) => contact.firstName,
  last_name: (contact) => contact.lastName,
  normalized_email: (contact) => contact.emailNormalized,
  original_source: (contact) => contact.originalSource,
}

const compare = (left: string | DateTime.Utc, right: string | DateTime.Utc): number =>
  typeof left === "string" || typeof right === "string"
    ? byCodePoint(fold(String(left)), fold(String(right)))
    : left.epochMilliseconds - right.epochMilliseconds

/** Text in folded code point order, null last in both orders, ties by contact id ascending. */
export const inOrder = <Row>(
  rows: ReadonlyArray<Row>,
  order: "asc" | "desc",
  keys: { readonly value: (row: Row) => SortValue; readonly id: (row: Row) => string },
): ReadonlyArray<Row> => {
  const way = order === "asc" ? 1 : -1
  return [...rows].sort((a, b) => {
    const [left, right] = [keys.value(a), keys.value(b)]
    const byId = keys.id(a) < keys.id(b) ? -1 : 1
    if (left === null || right === null) return left === right ? byId : left === null ? 1 : -1
    return way * compare(left, right) || byId
  })
}

export const matches = ({ search, updatedAfter }: ContactQuery, contact: Contact): boolean => {
  if (updatedAfter !== null && contact.updatedAt.epochMilliseconds <= updatedAfter.epochMilliseconds) return false
  if (search === null) return true
  const { displayName, firstName, lastName, email, phone, company } = contact
  return [displayName, firstName, lastName, email, phone, company].some(
    (text) => text !== null && fold(text).includes(fold(search)),
  )
}

export const paged = <A>({ page, limit }: PageRequest, all: ReadonlyArray<A>): Paged<A> => ({
  items: all.slice((page - 1) * limit, page * limit),
  total: all.length,
})

export const layer = Layer.effect(
  ContactStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const writer = yield* ChangeWriter
    const get = (workspace: WorkspaceId, id: ContactId) =>
      Effect.flatMap(db.find(contacts, workspace, id), (contact) =>
        contact === undefined ? Effect.fail(new NotFound({ resource: "contact" })) : Effect.succeed(contact),
      )
    return ContactStore.of({
      get,
      findByIdentity: (workspace, identities) => known(db, workspace, identities),
      lock: (workspace, identities) => Effect.andThen(Transaction, known(db, workspace, identities)),
      lockForDeletion: (workspace, ids) =>
        Effect.andThen(Transaction, known(db, workspace, { emails: [], phones: [], ids })),
      apply: (workspace, change) =>
        Effect.gen(function* () {
          yield* Transaction
          yield* writeContacts(db, workspace, change)
          yield* writer.writeEffects(workspace, [change])
        }),
      list: (workspace, query) =>
        Effect.map(db.all(contacts, workspace), (rows) =>
          paged(
            query,
            inOrder(
              rows.filter((contact) => matches(query, contact)),
              query.order,
              { value: contactSortValues[query.sort], id: (contact) => contact.id },
            ),
          ),
        ),
      count: (workspace) => Effect.map(db.all(contacts, workspace), (rows) => rows.length),
      activities: (workspace, id, query) =>
        Effect.gen(function* () {
          yield* get(workspace, id)
          const way = query.order === "asc" ? 1 : -1
          const lines = (yield* db.all(activities, workspace))
            .filter((line) => line.contactId === id)
            .sort((a, b) => way * (a.at.epochMilliseconds - b.at.epochMilliseconds || (a.id < b.id ? -1 : 1)))
          return paged(query, lines)
        }),
    })
  }),
)
