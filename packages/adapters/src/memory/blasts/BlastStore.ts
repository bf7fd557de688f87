// The blast store in memory. Transactions run one after another, so a lock is a plain read, and no intent is granted while a
// transaction decides.
import { type Blast, type EarlyEndReason, earlyEndReasonOf, launchOf, timeOf } from "@tentpole/core/blasts/Blast"
import {
  type BlastQuery,
  type BlastRecipient,
  BlastStore,
  type RecipientQuery,
  type RecipientStatus,
} from "@tentpole/core/blasts/BlastStore"
import { type PaceFacts, rateWindowStart } from "@tentpole/core/blasts/figures/Pace"
import type { BlastChange } from "@tentpole/core/blasts/machine"
import type { DeliveryTally } from "@tentpole/core/sending/Delivery"
import type { BlastId, ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { fold } from "@tentpole/core/kernel/Text"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Record } from "effect"
import { factsOf, launchFactsOf, summaryFactsOf } from "./BlastFacts.ts"
import {
  blasts,
  clicks,
  deliveries,
  type DeliveryRow,
  domainOf,
  makeDue,
  moved,
  scheduleDue,
} from "../sending/DeliveryTables.ts"
import { applyEmail } from "../emails/EmailStore.ts"
import { applyList } from "../lists/ListStore.ts"
import { putMoved, sendingSteps } from "../flows/MembershipTables.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { byId, inOrder, paged, type SortValue } from "../kernel/Slices.ts"

export const findBlast = (db: Rows, workspace: WorkspaceId, id: BlastId) => db.get(blasts, workspace, id, "email blast")

export const isOpen = ({ state }: DeliveryRow): boolean =>
  state === "queued" || state === "claimed" || state === "handed_over"

const statusOf = (row: DeliveryRow): RecipientStatus => {
  switch (row.state) {
    case "sent":
    case "failed":
    case "blocked":
      return row.state
    case "unconfirmed":
      return "failed"
    default:
      return "queued"
  }
}

/** The deliveries that each counter counts. */
const isCounted: { readonly [Counter in keyof DeliveryTally]: (row: DeliveryRow) => boolean } = {
  queued: isOpen,
  deferred: (row) => isOpen(row) && row.attempts > 0,
  sent: (row) => statusOf(row) === "sent",
  failed: (row) => statusOf(row) === "failed",
  blocked: (row) => statusOf(row) === "blocked",
  delivered: (row) => row.deliveredAt !== null,
  opened: (row) => row.openedAt !== null,
  clicked: (row) => row.clickedAt !== null,
  bounced: (row) => row.bouncedAt !== null,
  complained: (row) => row.complainedAt !== null,
  unsubscribed: (row) => row.unsubscribedAt !== null,
}

export const tallyOf = (rows: ReadonlyArray<DeliveryRow>): DeliveryTally =>
  Record.map(isCounted, (holds) => rows.filter(holds).length)

export const deliveriesOf = (db: Rows, workspace: WorkspaceId, id: BlastId) =>
  Effect.map(db.all(deliveries, workspace), (rows) =>
    rows.flatMap((row) => (row.blastId === id && row.contactId !== null ? [{ ...row, contactId: row.contactId }] : [])),
  )

const paceFacts = Effect.fnUntraced(function* (rows: ReadonlyArray<DeliveryRow>, now: DateTime.Utc) {
  const clock = yield* DateTime.now
  const since = rateWindowStart(now)
  const next = rows.filter(
    (row) => row.state === "queued" && row.attempts > 0 && DateTime.isGreaterThan(row.dueAt, clock),
  )
  return {
    now,
    sent: rows.filter((row) => row.sentAt !== null && DateTime.isGreaterThanOrEqualTo(row.sentAt, since)).length,
    nextAttemptAt: next.length === 0 ? null : next.map((row) => row.dueAt).reduce(DateTime.min),
    held: false,
  } satisfies PaceFacts
})

const view = Effect.fnUntraced(function* <Facts>(
  db: Rows,
  workspace: WorkspaceId,
  { blast, facts }: { readonly blast: Blast; readonly facts: Facts },
  now: DateTime.Utc,
) {
  const rows = yield* deliveriesOf(db, workspace, blast.id)
  const pace = blast.status === "sending" ? yield* paceFacts(rows, now) : null
  return { blast, facts, tally: tallyOf(rows), paceFacts: pace }
})

const listed = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, blast: Blast, now: DateTime.Utc) {
  const facts = yield* summaryFactsOf(db, workspace, blast)
  return yield* view(db, workspace, { blast, facts }, now)
})

const stored = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: BlastId, now: DateTime.Utc) {
  const blast = yield* findBlast(db, workspace, id)
  return yield* view(db, workspace, { blast, facts: yield* factsOf(db, workspace, blast, now) }, now)
})

const sortValues: { readonly [By in BlastQuery["sortBy"]]: (blast: Blast) => SortValue } = {
  name: ({ name }) => name,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
  scheduled_at: (blast) => {
    const time = timeOf(blast)
    return time?.mode === "scheduled" ? time.scheduledAt : null
  },
}

const idOf = (row: { readonly id: string }) => row.id

const page = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, query: BlastQuery, now: DateTime.Utc) {
  const chosen = (yield* db.all(blasts, workspace)).filter(
    ({ status, name }) =>
      (query.status === "any" || (query.status === null ? status !== "archived" : status === query.status)) &&
      fold(name).includes(fold(query.search)),
  )
  const { items, total } = paged(query, inOrder(chosen, query.sortOrder, { value: sortValues[query.sortBy], id: idOf }))
  return { items: yield* Effect.forEach(items, (blast) => listed(db, workspace, blast, now)), total }
})

const isAsDecidedOn = (stored: Blast | undefined, before: Blast): boolean =>
  stored?.status === before.status &&
  (stored.status !== "sending" || (before.status === "sending" && stored.paused === before.paused))

const apply = Effect.fnUntraced(function* (
  db: Rows,
  writer: ChangeWriter["Service"],
  workspace: WorkspaceId,
  change: BlastChange,
) {
  const { before, after } = change
  for (const list of change.lists) yield* applyList(db, workspace, list)
  // An inline email is not generated by the AI and costs no credits.
  if (change.email !== null) yield* Effect.orDie(applyEmail(db, writer, workspace, change.email))
  if (before !== null && !isAsDecidedOn(yield* db.find(blasts, workspace, before.id), before)) {
    return yield* Effect.die("the blast is not what the change was decided on: lock it first")
  }
  if (after !== null) yield* db.put(blasts, workspace, after.id, after)
  else if (before !== null) {
    yield* db.remove(blasts, workspace, before.id)
    yield* db.removeWhere(deliveries, workspace, ({ blastId }) => blastId === before.id)
    yield* db.removeWhere(clicks, workspace, ({ blastId }) => blastId === before.id)
  }
  yield* writer.writeEffects(workspace, [...change.lists, change])
  if (change.wakesSenders) yield* makeDue(db, workspace)
  if (change.scheduleDueAt !== null) yield* scheduleDue(db, workspace, change.scheduleDueAt)
})

const endOpen = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  id: BlastId,
  ending: EarlyEndReason,
  limit: number,
) {
  let count = 0
  for (const row of yield* deliveriesOf(db, workspace, id)) {
    const after = moved(row, { _tag: "end", ending })
    if (after === undefined || count === limit) continue
    count++
    yield* putMoved(db, workspace, row, after)
  }
  return count
})

const requeue = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  id: BlastId,
  { after, includeUnconfirmed, limit }: Parameters<BlastStore["Service"]["requeue"]>[2],
) {
  const now = yield* DateTime.now
  const retried = (yield* deliveriesOf(db, workspace, id))
    .filter((row) => after === null || row.contactId > after)
    .flatMap((row) => {
      const after = moved(row, { _tag: "retry", unconfirmed: includeUnconfirmed })
      return after === undefined ? [] : [{ ...after, contactId: row.contactId }]
    })
    .sort((left, right) => (left.contactId < right.contactId ? -1 : 1))
    .slice(0, limit)
  for (const row of retried)
    yield* db.put(deliveries, workspace, row.id, { ...row, failedAt: null, handedOverAt: null, dueAt: now })
  if (retried.length > 0) yield* makeDue(db, workspace)
  return retried.at(-1)?.contactId ?? null
})

const openCounts = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const open = new Map<BlastId, number>()
  for (const row of yield* db.all(deliveries, workspace)) {
    if (isOpen(row)) open.set(row.blastId, (open.get(row.blastId) ?? 0) + 1)
  }
  return open
})

/** Steps of ended flows that have open messages. */
const endedSteps = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const open = yield* openCounts(db, workspace)
  return (yield* db.all(sendingSteps, workspace))
    .filter(({ id, status }) => status === "cancelled" && open.has(id))
    .map(({ id }) => ({ id, ending: "cancelled" as const }))
})

/** Blasts with a fixed audience, each with its number of open recipients. */
const started = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const open = yield* openCounts(db, workspace)
  return (yield* db.all(blasts, workspace))
    .filter((blast) => (launchOf(blast)?.audience ?? null) !== null)
    .sort(byId)
    .map((blast) => ({ blast, open: open.get(blast.id) ?? 0 }))
})

const inCategory = (row: DeliveryRow, category: RecipientQuery["category"]): boolean => {
  if (category === "unconfirmed") return row.state === "unconfirmed"
  return category === "recipients" || isCounted[category === "spam" ? "complained" : category](row)
}

const recipientValues: { readonly [Sort in RecipientQuery["sort"]]: (row: DeliveryRow) => SortValue } = {
  display_name: (row) => row.displayName,
  email: (row) => row.emailNormalized,
  created_at: (row) => row.createdAt,
  sent_at: (row) => row.sentAt,
  delivered_at: (row) => row.deliveredAt,
  opened_at: (row) => row.openedAt,
  clicked_at: (row) => row.clickedAt,
  bounced_at: (row) => row.bouncedAt,
  unsubscribed_at: (row) => row.unsubscribedAt,
  complained_at: (row) => row.complainedAt,
}

const toRecipient = (row: DeliveryRow & { readonly contactId: ContactId }): BlastRecipient => ({
  ...row,
  contactDeleted: row.contactDeleted || row.reason === "contact_deleted",
  status: statusOf(row),
})

/** The recipients of a category, ordered by contact id. */
export const recipientsOf = (db: Rows, workspace: WorkspaceId, id: BlastId, category: RecipientQuery["category"]) =>
  Effect.map(deliveriesOf(db, workspace, id), (rows) =>
    rows
      .filter((row) => inCategory(row, category))
      .sort((left, right) => (left.contactId < right.contactId ? -1 : 1))
      .map(toRecipient),
  )

const recipients = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: BlastId, query: RecipientQuery) {
  yield* findBlast(db, workspace, id)
  const wanted = fold(query.search)
  const clicked = new Set(
    (yield* db.all(clicks, workspace)).flatMap((each) =>
      each.link === query.link && each.clicks > 0 ? [each.deliveryId] : [],
    ),
  )
  const chosen = (yield* deliveriesOf(db, workspace, id)).filter(
    (row) =>
      inCategory(row, query.category) &&
      (query.domain === null || domainOf(row) === query.domain) &&
      (query.reason === null || row.reason === query.reason) &&
      (query.link === null || clicked.has(row.id)) &&
      (wanted === "" || (row.displayName !== null && fold(row.displayName).includes(wanted))),
  )
  const { items, total } = paged(query, inOrder(chosen, query.order, { value: recipientValues[query.sort], id: idOf }))
  return { items: items.map(toRecipient), total }
})

export const layer = storeLayer(BlastStore, (db, writer) => {
  const lock = (workspace: WorkspaceId, id: BlastId) => Effect.andThen(Transaction, findBlast(db, workspace, id))
  return BlastStore.of({
    get: (workspace, id, now) => stored(db, workspace, id, now),
    list: (workspace, query, now) => page(db, workspace, query, now),
    lock,
    lockAgainstIntents: lock,
    lockForLaunch: Effect.fnUntraced(function* (workspace, id, { now, operational }) {
      const blast = yield* lock(workspace, id)
      const as = { now, operational: operational ?? blast.operational }
      return { blast, facts: yield* launchFactsOf(db, workspace, blast, as) }
    }),
    apply: (workspace, change) => Effect.andThen(Transaction, apply(db, writer, workspace, change)),
    endOpen: (workspace, id, ending, limit) => Effect.andThen(Transaction, endOpen(db, workspace, id, ending, limit)),
    requeue: (workspace, id, options) => Effect.andThen(Transaction, requeue(db, workspace, id, options)),
    lockFinished: (workspace, limit) =>
      Effect.map(Effect.andThen(Transaction, started(db, workspace)), (all) =>
        all
          .flatMap(({ blast, open }) =>
            blast.status === "sending" && blast.retryingSince === null && open === 0 ? [blast] : [],
          )
          .slice(0, limit),
      ),
    endedWithOpen: (workspace, limit) =>
      Effect.zipWith(started(db, workspace), endedSteps(db, workspace), (all, steps) =>
        [
          ...all.flatMap(({ blast, open }) => {
            const ending = earlyEndReasonOf(blast)
            return ending !== null && open > 0 ? [{ id: blast.id, ending }] : []
          }),
          ...steps,
        ].slice(0, limit),
      ),
    recipients: (workspace, id, query) => recipients(db, workspace, id, query),
  })
})
