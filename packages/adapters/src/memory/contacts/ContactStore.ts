// The contact store in memory, with timelines.
import { forgetConsent } from "../topics/TopicTables.ts"
import { type Activity, ownActivityTypes } from "@tentpole/core/contacts/Activity"
import type { Identities } from "@tentpole/core/contacts/batch/Batch"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { contactNotFound } from "@tentpole/core/contacts/ContactErrors"
import type { ContactDeletion, ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import { type ContactQuery, type ContactSort, ContactStore, IdentityTaken } from "@tentpole/core/contacts/ContactStore"
import { countsOfContacts } from "@tentpole/core/figures/DayFigures"
import { ContactId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Paged } from "@tentpole/core/kernel/Page"
import { fold } from "@tentpole/core/kernel/Text"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect } from "effect"
import { addDayCounts } from "../figures/DayFigures.ts"
import { takeOver } from "./ContactMerge.ts"
import { activities, contacts, formerIds, submissions } from "./ContactTables.ts"
import { deliveries, suppressions } from "../sending/DeliveryTables.ts"
import { leaveFlows } from "../flows/MembershipTables.ts"
import { type Rows, storeLayer, table } from "../kernel/MemoryDatabase.ts"
import { inOrder, paged, type SortValue } from "../kernel/Slices.ts"
import { listMembers } from "../segments/SegmentMembers.ts"
import { waitingConfirmations } from "../imports/ConfirmationTables.ts"
import { requests } from "../subscriptions/RequestTables.ts"
import { timelineOf } from "./Timeline.ts"

export { contacts } from "./ContactTables.ts"

/** The unique keys of contacts: email address and phone number. */
const emails = table<ContactId>("contact_email")
const phones = table<ContactId>("contact_phone")
const sequence = table<number>("activity_sequence")

/** Writes the rows of a change in the caller's transaction. `IdentityTaken` comes from changes that were decided without `lock`. */
export const writeContacts = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: ContactsChange) {
  yield* deleteContacts(db, workspace, change.deletes)
  yield* addDayCounts(db, workspace, countsOfContacts(change))
  for (const { before } of change.updates) {
    if ((yield* db.find(contacts, workspace, before.id)) === undefined) return yield* notLocked(before)
    if (before.emailNormalized !== null) yield* db.remove(emails, workspace, before.emailNormalized)
    if (before.phone !== null) yield* db.remove(phones, workspace, before.phone)
  }
  for (const contact of [...change.updates.map((update) => update.after), ...change.creates]) {
    if (contact.emailNormalized !== null) yield* claim(db, workspace, emails, contact.emailNormalized, contact.id)
    if (contact.phone !== null) yield* claim(db, workspace, phones, contact.phone, contact.id)
    const stored = yield* db.find(contacts, workspace, contact.id)
    yield* db.put(contacts, workspace, contact.id, { ...contact, lastActivityAt: stored?.lastActivityAt ?? null })
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
const deleteContacts = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  deletes: ReadonlyArray<ContactDeletion>,
) {
  if (deletes.length === 0) return
  for (const { before, mergedInto } of deletes) {
    if (mergedInto !== undefined) yield* takeOver(db, workspace, { source: before.id, target: mergedInto })
  }
  const deletedIds = new Set(deletes.map(({ before }) => before.id))
  for (const { before: contact } of deletes) {
    const { id, emailNormalized, phone } = contact
    if ((yield* db.find(contacts, workspace, id)) === undefined) return yield* notLocked(contact)
    yield* db.remove(contacts, workspace, id)
    if (emailNormalized !== null) yield* db.remove(emails, workspace, emailNormalized)
    if (phone !== null) yield* db.remove(phones, workspace, phone)
  }
  yield* db.removeWhere(listMembers, workspace, ({ contactId }) => deletedIds.has(contactId))
  for (const row of yield* db.all(deliveries, workspace)) {
    if (row.contactId !== null && deletedIds.has(row.contactId))
      yield* db.put(deliveries, workspace, row.id, { ...row, contactDeleted: true })
  }
  for (const row of yield* db.all(submissions, workspace)) {
    if (row.contactId !== null && deletedIds.has(row.contactId)) {
      yield* db.put(submissions, workspace, row.id, { ...row, contactId: null })
    }
  }
  yield* leaveFlows(db, workspace, deletedIds)
  yield* db.removeWhere(requests, workspace, ({ contactId }) => contactId !== null && deletedIds.has(contactId))
  yield* db.removeWhere(waitingConfirmations, workspace, ({ contactId }) => deletedIds.has(contactId))
  yield* forgetConsent(db, workspace, deletedIds)
  yield* db.removeWhere(formerIds, workspace, ({ contactId }) => deletedIds.has(contactId))
  yield* db.removeWhere(activities, workspace, ({ contactId }) => deletedIds.has(contactId))
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
  const rows = yield* Effect.forEach(ids, (id) => db.find(contacts, workspace, id))
  return rows.filter((contact) => contact !== undefined)
})

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

const matches = ({ search, updatedAfter }: ContactQuery, contact: Contact): boolean => {
  if (updatedAfter !== null && contact.updatedAt.epochMilliseconds <= updatedAfter.epochMilliseconds) return false
  if (search === null) return true
  const { displayName, firstName, lastName, email, phone, company } = contact
  return [displayName, firstName, lastName, email, phone, company].some(
    (text) => text !== null && fold(text).includes(fold(search)),
  )
}

/** The page of the contacts that match the query. */
export const pageOfContacts = (rows: ReadonlyArray<Contact>, query: ContactQuery): Paged<Contact> =>
  paged(
    query,
    inOrder(
      rows.filter((contact) => matches(query, contact)),
      query.order,
      { value: contactSortValues[query.sort], id: (contact) => contact.id },
    ),
  )

export const layer = storeLayer(ContactStore, (db, writer) => {
  const findMerged = Effect.fnUntraced(function* (workspace: WorkspaceId, ids: ReadonlyArray<ContactId>) {
    const rows = yield* Effect.forEach(ids, (id) => db.find(formerIds, workspace, id))
    return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.formerId, row.contactId]])))
  })
  const get = Effect.fnUntraced(function* (workspace: WorkspaceId, id: ContactId) {
    const contact = yield* db.find(contacts, workspace, id)
    return contact ?? (yield* contactNotFound((yield* findMerged(workspace, [id])).get(id) ?? null))
  })
  return ContactStore.of({
    get,
    findMerged,
    findByIdentity: (workspace, identities) => known(db, workspace, identities),
    lock: (workspace, identities) => Effect.andThen(Transaction, known(db, workspace, identities)),
    lockForDeletion: (workspace, ids) =>
      Effect.andThen(Transaction, known(db, workspace, { emails: [], phones: [], ids })),
    apply: Effect.fnUntraced(function* (workspace, change) {
      yield* Transaction
      yield* writeContacts(db, workspace, change)
      yield* writer.writeEffects(workspace, [change])
    }),
    list: (workspace, query) => Effect.map(db.all(contacts, workspace), (rows) => pageOfContacts(rows, query)),
    count: (workspace) => Effect.map(db.all(contacts, workspace), (rows) => rows.length),
    activities: Effect.fnUntraced(function* (workspace, id, query) {
      yield* get(workspace, id)
      const lines = (yield* timelineOf(db, workspace)).filter((line) => line.contactId === id)
      return paged(query, query.order === "asc" ? lines : lines.reverse())
    }),
  })
})
