// Merged contacts in memory: the rows that the target takes over from the source, and the contacts of former ids.
import type { MergePair } from "@tentpole/core/contacts/Merge"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { isLive } from "@tentpole/core/flows/members/Membership"
import { DateTime, Effect } from "effect"
import { firedDates, firedKey, memberships } from "../flows/MembershipTables.ts"
import { moveWaiting } from "../imports/ConfirmationTables.ts"
import { hintDue } from "../kernel/DueWork.ts"
import type { Rows } from "../kernel/MemoryDatabase.ts"
import { listMembers, memberKey } from "../segments/SegmentMembers.ts"
import { clicks, deliveries, type DeliveryRow, makeDue, moved } from "../sending/DeliveryTables.ts"
import { moveConsent } from "../topics/TopicTables.ts"
import { testMails } from "../sending/TestMailStore.ts"
import { moveRequests } from "../subscriptions/RequestTables.ts"
import { activities, contacts, formerIds, submissions } from "./ContactTables.ts"

type Pair = MergePair<ContactId>

/** The contact that has the id now: itself, or the one that it was merged into. */
export const currentContact = <Id extends ContactId | null>(db: Rows, workspace: WorkspaceId, id: Id) =>
  id === null
    ? Effect.succeed(id)
    : Effect.map(db.find(formerIds, workspace, id), (former): ContactId | Id => former?.contactId ?? id)

/** The messages of the source that become the target's, and those of blasts that were for both contacts. */
export const messagesOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, { source, target }: Pair) {
  const rows = yield* db.all(deliveries, workspace)
  const blasts = new Set(rows.filter(({ contactId }) => contactId === target).map(({ blastId }) => blastId))
  const isForBoth = ({ blastId, flow, message }: DeliveryRow) =>
    flow === null && message === null && blasts.has(blastId)
  const mine = rows.filter(({ contactId }) => contactId === source)
  return { own: mine.filter((row) => !isForBoth(row)), forBoth: mine.filter(isForBoth) }
})

/** The lists of the source in which the target is not. */
export const newListsOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, { source, target }: Pair) {
  const all = yield* db.all(listMembers, workspace)
  const joined = new Set(all.filter(({ contactId }) => contactId === target).map(({ listId }) => listId))
  return all.filter(({ contactId, listId }) => contactId === source && !joined.has(listId))
})

export const takeOver = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, pair: Pair) {
  const { source, target } = pair
  for (const member of yield* newListsOf(db, workspace, pair)) {
    yield* db.put(listMembers, workspace, memberKey(member.listId, target), { ...member, contactId: target })
  }
  yield* moveMessages(db, workspace, pair)
  yield* moveMemberships(db, workspace, pair)
  yield* moveConsent(db, workspace, pair)
  for (const row of yield* db.all(activities, workspace)) {
    if (row.contactId === source) yield* db.put(activities, workspace, row.id, { ...row, contactId: target })
  }
  for (const row of yield* db.all(submissions, workspace)) {
    if (row.contactId === source) yield* db.put(submissions, workspace, row.id, { ...row, contactId: target })
  }
  for (const row of yield* db.all(testMails, workspace)) {
    if (row.contactId === source) yield* db.put(testMails, workspace, row.id, { ...row, contactId: target })
  }
  yield* moveRequests(db, workspace, pair)
  yield* moveWaiting(db, workspace, pair)
  yield* moveLastActivity(db, workspace, pair)
  for (const row of yield* db.all(formerIds, workspace)) {
    if (row.contactId === source) yield* db.put(formerIds, workspace, row.formerId, { ...row, contactId: target })
  }
  const at = yield* DateTime.now
  yield* db.put(formerIds, workspace, source, { formerId: source, contactId: target, at })
})

const moveLastActivity = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, { source, target }: Pair) {
  const [from, to] = [yield* db.find(contacts, workspace, source), yield* db.find(contacts, workspace, target)]
  if (from === undefined || to === undefined || from.lastActivityAt === null) return
  const lastActivityAt =
    to.lastActivityAt === null ? from.lastActivityAt : DateTime.max(to.lastActivityAt, from.lastActivityAt)
  yield* db.put(contacts, workspace, target, { ...to, lastActivityAt })
})

const moveMessages = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, pair: Pair) {
  const { forBoth, own } = yield* messagesOf(db, workspace, pair)
  const moving = new Set(own.map(({ id }) => id))
  for (const row of own) yield* db.put(deliveries, workspace, row.id, { ...row, contactId: pair.target })
  for (const row of forBoth) {
    const ended = row.state === "queued" ? moved(row, { _tag: "end", ending: "duplicate_address" }) : undefined
    if (ended === undefined) continue
    yield* db.put(deliveries, workspace, row.id, ended)
    yield* makeDue(db, workspace)
  }
  for (const row of yield* db.all(clicks, workspace)) {
    if (!moving.has(row.deliveryId)) continue
    yield* db.put(clicks, workspace, `${row.deliveryId}/${row.link}`, { ...row, contactId: pair.target })
  }
})

/** The target's live memberships are due, so that their conditions see what the target has now. */
const moveMemberships = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, { source, target }: Pair) {
  const now = yield* DateTime.now
  for (const row of yield* db.all(memberships, workspace)) {
    const { membership } = row
    if (membership.contactId !== source && membership.contactId !== target) continue
    yield* db.put(memberships, workspace, membership.id, {
      membership: { ...membership, contactId: target },
      dueAt: isLive(membership.state) ? now : row.dueAt,
    })
  }
  yield* hintDue(db, "flows", workspace, now)
  for (const date of yield* db.all(firedDates, workspace)) {
    if (date.contactId !== source) continue
    const after = { ...date, contactId: target }
    yield* db.remove(firedDates, workspace, firedKey(date))
    yield* db.put(firedDates, workspace, firedKey(after), after)
  }
})
