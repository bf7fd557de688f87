// The audience pass of a blast in memory, chunk by chunk. It uses core's machine and block reasons.
import type { FixedAudience } from "@tentpole/core/sending/Delivery"
import { type Blast, launchOf, lockedOf } from "@tentpole/core/blasts/Blast"
import { type BlastEvent, decide } from "@tentpole/core/blasts/machine"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { AudienceGone } from "@tentpole/core/sending/DeliveryStore"
import { blockReason } from "@tentpole/core/sending/Suppression"
import { type BlastId, type ContactId, DeliveryId, type Ids, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { List } from "@tentpole/core/lists/List"
import { plans } from "@tentpole/core/workspaces/Workspace"
import { DateTime, Effect } from "effect"
import { contacts } from "../contacts/ContactStore.ts"
import { blasts, deliveries, factsOf, makeDue, newDelivery } from "./DeliveryTables.ts"
import { allLists } from "../lists/ListStore.ts"
import type { Rows } from "../kernel/MemoryDatabase.ts"
import { byAge, byId } from "../kernel/Slices.ts"
import { contactsOf } from "../segments/SegmentMembers.ts"
import { workspaces } from "../workspaces/WorkspaceStore.ts"

/** The list's contacts among the next `contacts_max` contacts, and the last of these; null at the end. */
const sliceOf = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  list: List,
  after: ContactId | null,
  contacts_max: number | null,
) {
  const now = yield* DateTime.now
  const behind = (yield* db.all(contacts, workspace)).filter(({ id }) => after === null || id > after).sort(byId)
  const through = contacts_max === null ? null : (behind[contacts_max - 1]?.id ?? null)
  const members = (yield* contactsOf(db, workspace, list, now)).filter(
    ({ id }) => (after === null || id > after) && (through === null || id <= through),
  )
  return { members: members.sort(byId), through }
})

/** At most as many contacts as the plan allows: the oldest ones. */
export const cutTo = (members: ReadonlyArray<Contact>, max: number): ReadonlyArray<Contact> =>
  members.toSorted(byAge).slice(0, max)

export const fixAudience = Effect.fnUntraced(function* (
  db: Rows,
  ids: Ids["Service"],
  workspace: WorkspaceId,
  id: BlastId,
  contacts_max: number,
) {
  const blast = yield* db.find(blasts, workspace, id)
  const launch = blast === undefined ? null : launchOf(blast)
  if (blast === undefined || launch === null || !(blast.status === "sending" || launch.pass !== null)) return null
  if (launch.audience !== null) return launch.audience
  const list = (yield* allLists(db, workspace)).find((each) => each.id === blast.audience?.listId)
  if (list === undefined && launch.pass === null) return yield* new AudienceGone()
  const plan = (yield* db.find(workspaces, null, workspace))?.plan ?? "free"
  const max = launch.pass === null ? plans[plan].recipientsPerBlast_max : null
  const { members, through } =
    list === undefined
      ? { members: [], through: null }
      : yield* sliceOf(db, workspace, list, launch.pass?.through ?? null, max === null ? contacts_max : null)
  const audience = max === null ? members : cutTo(members, max)
  const written = yield* writeDeliveries(db, ids, workspace, blast, audience)
  yield* makeDue(db, workspace)
  const counts = {
    recipientCount: (launch.pass?.recipientCount ?? 0) + written.recipientCount,
    qualifiedCount: (launch.pass?.qualifiedCount ?? 0) + written.qualifiedCount,
  }
  const now = yield* DateTime.now
  const put = (event: BlastEvent<"writeAudience" | "fixAudience">) =>
    Effect.flatMap(Effect.orDie(Effect.fromResult(decide(blast, event, now))), ({ after }) =>
      db.put(blasts, workspace, id, after),
    )
  if (through !== null) {
    yield* put({ _tag: "writeAudience", pass: { ...counts, through } })
    return "unfinished" as const
  }
  const fixed: FixedAudience = { ...counts, at: now, truncated: audience.length < members.length }
  yield* put({ _tag: "fixAudience", audience: fixed })
  return fixed
})

/** Writes deliveries. An address that has a delivery of this blast gets no second one. */
const writeDeliveries = Effect.fnUntraced(function* (
  db: Rows,
  ids: Ids["Service"],
  workspace: WorkspaceId,
  blast: Blast,
  audience: ReadonlyArray<Contact>,
) {
  const locked = lockedOf(blast)
  if (locked === null) return yield* Effect.die(new Error("a launched blast has its approval"))
  const taken = new Set<string | null>()
  const recipients = new Set<ContactId>()
  for (const row of yield* db.all(deliveries, workspace)) {
    if (row.blastId !== blast.id) continue
    if (row.contactId !== null) recipients.add(row.contactId)
    if (row.state !== "blocked") taken.add(row.emailNormalized)
  }
  const names = yield* ids.many(audience.length)
  const now = yield* DateTime.now
  const counts = { recipientCount: 0, qualifiedCount: 0 }
  const topicId = blast.operational ? null : blast.topicId
  for (const [at, contact] of audience.entries()) {
    if (recipients.has(contact.id)) continue
    const facts = yield* factsOf(db, workspace, contact, contact.emailNormalized, topicId)
    const reason = blockReason(facts, blast.operational)
    if (reason === undefined && taken.has(contact.emailNormalized)) continue
    counts.recipientCount++
    if (reason === undefined) counts.qualifiedCount++
    const row = newDelivery(
      {
        id: DeliveryId.make(names[at] ?? ""),
        blastId: blast.id,
        flow: null,
        contactId: contact.id,
        approvalId: locked.approvalId,
        topicId,
        operational: blast.operational,
      },
      contact,
      reason,
      now,
    )
    yield* db.put(deliveries, workspace, row.id, row)
  }
  return counts
})
