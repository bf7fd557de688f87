// The store of single messages in memory.
import { launchOf, lockedOf } from "@tentpole/core/blasts/Blast"
import { BlastId, Ids, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { sliced } from "@tentpole/core/kernel/Page"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { type EmailMessage, key_days, messageStatus } from "@tentpole/core/messages/EmailMessage"
import {
  type AcceptedMessage,
  type AcceptedRequest,
  EmailMessageStore,
  marketing_sender_days,
  type MessageQuery,
} from "@tentpole/core/messages/EmailMessageStore"
import { DateTime, Effect, Layer } from "effect"
import { usedOn } from "../blasts/BlastFacts.ts"
import { emailApprovals } from "../emails/EmailStore.ts"
import { contacts } from "../contacts/ContactTables.ts"
import { putMoved } from "../flows/MembershipTables.ts"
import { hintDue, makeWorkDue } from "../kernel/DueWork.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"
import {
  blasts,
  deliveries,
  type DeliveryRow,
  moved,
  nothingHappened,
  suppressions,
} from "../sending/DeliveryTables.ts"
import { lineOf, messageKeys, messageLines, type MessageRow, messages } from "./MessageTables.ts"

/** The message as it is now: its own fields, and the state of its delivery. */
const current = ({ message }: MessageRow, row: DeliveryRow): EmailMessage => ({
  ...message,
  state: row.state,
  reason: row.reason,
  to: { email: row.email, name: message.to.name },
  contactId: row.contactId,
  expiresAt: row.expiresAt ?? message.expiresAt,
  attempts: row.attempts,
  sentAt: row.sentAt,
  deliveredAt: row.deliveredAt,
  openedAt: row.openedAt,
  clickedAt: row.clickedAt,
  clickedUrl: row.clickedUrl,
  bouncedAt: row.bouncedAt,
  unsubscribedAt: row.unsubscribedAt,
  complainedAt: row.complainedAt,
  failedAt: row.failedAt,
  blockedAt: row.blockedAt,
})

const all = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const found: Array<EmailMessage> = []
  for (const row of yield* db.all(messages, workspace)) {
    const delivery = yield* db.find(deliveries, workspace, row.message.id)
    if (delivery !== undefined) found.push(current(row, delivery))
  }
  return found.sort((left, right) => (left.id < right.id ? 1 : -1))
})

const list = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, query: MessageQuery) {
  const { after, contactId, emailId, limit, now, since, status, tag, to, until } = query
  const rows = (yield* all(db, workspace)).filter(
    (message) =>
      (after === null || message.id < after.id) &&
      (status === null || messageStatus(message, now) === status) &&
      (contactId === null || message.contactId === contactId) &&
      (emailId === null || message.emailId === emailId) &&
      (tag === null || message.tags[tag.name] === tag.value) &&
      (since === null || message.createdAt.epochMilliseconds >= since.epochMilliseconds) &&
      (until === null || message.createdAt.epochMilliseconds < until.epochMilliseconds),
  )
  const found: Array<EmailMessage> = []
  for (const message of rows) {
    const delivery = yield* db.find(deliveries, workspace, message.id)
    if (to === null || delivery?.emailNormalized === to) found.push(message)
  }
  return sliced(found, limit, ({ createdAt, id }) => ({ at: createdAt.epochMilliseconds, id }))
})

const rowOf = ({
  accepted,
  line,
  now,
}: {
  readonly accepted: AcceptedMessage
  readonly line: BlastId
  readonly now: DateTime.Utc
}): DeliveryRow => {
  const { approvalId, displayName, emailNormalized, message } = accepted
  const { contactId, createdAt, expiresAt, id, operational, reason, state, to, topicId } = message
  return {
    ...nothingHappened,
    id,
    blastId: line,
    flow: null,
    message: { tags: message.tags, metadata: message.metadata },
    contactId,
    approvalId,
    topicId,
    operational,
    email: to.email,
    emailNormalized,
    displayName,
    state,
    reason,
    dueAt: message.scheduledAt ?? now,
    expiresAt,
    createdAt,
  }
}

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const findKey = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, keyHash: Uint8Array, now: DateTime.Utc) {
  const found = yield* db.find(messageKeys, workspace, hex(keyHash))
  return found !== undefined && DateTime.isGreaterThan(DateTime.add(found.at, { days: key_days }), now) ? found : null
})

const accept = Effect.fnUntraced(function* (
  db: Rows,
  ids: Ids["Service"],
  workspace: WorkspaceId,
  { key, messages: accepted }: AcceptedRequest,
) {
  const now = yield* DateTime.now
  if (key !== null) {
    const first = yield* findKey(db, workspace, key.keyHash, now)
    if (first !== null) return first
    yield* db.put(messageKeys, workspace, hex(key.keyHash), key)
  }
  if (accepted.length === 0) return null
  const line = (yield* lineOf(db, workspace)) ?? { id: BlastId.make(yield* ids.next) }
  if ((yield* lineOf(db, workspace)) === undefined) {
    yield* db.put(messageLines, workspace, "line", line)
    yield* makeWorkDue(db, "messages", workspace)
  }
  for (const each of accepted) {
    const { message } = each
    const row = rowOf({ accepted: each, line: line.id, now })
    // From queued, so that a blocked one has its event.
    yield* putMoved(db, workspace, { ...row, state: "queued", reason: null }, row)
    const isStored = message.state !== "blocked" || message.retainContent
    const content = isStored ? { body: each.body, files: each.files } : null
    yield* db.put(messages, workspace, message.id, { message, content })
    if (message.state === "queued") yield* hintDue(db, "messages", workspace, row.dueAt)
  }
  return null
})

const lock = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: string) {
  yield* Transaction
  const row = yield* db.find(messages, workspace, id)
  const delivery = yield* db.find(deliveries, workspace, id)
  if (row === undefined || delivery === undefined) return yield* new NotFound({ resource: "message" })
  return current(row, delivery)
})

const marketingSenders = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const since = DateTime.subtract(yield* DateTime.now, { days: marketing_sender_days })
  const senders = new Set<string>()
  for (const blast of yield* db.all(blasts, workspace)) {
    const launch = launchOf(blast)
    const locked = lockedOf(blast)
    if (launch === null || locked === null || blast.operational || DateTime.isLessThan(launch.at, since)) continue
    const approval = yield* db.find(emailApprovals, workspace, locked.approvalId)
    if (approval !== undefined) senders.add(approval.fromAddress.toLowerCase())
  }
  return senders
})

export const layer = Layer.effect(
  EmailMessageStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const ids = yield* Ids
    const get = (workspace: WorkspaceId, id: string) =>
      Effect.flatMap(all(db, workspace), (rows) => {
        const found = rows.find((message) => message.id === id)
        return found === undefined ? Effect.fail(new NotFound({ resource: "message" })) : Effect.succeed(found)
      })
    return EmailMessageStore.of({
      facts: Effect.fnUntraced(function* (workspace, { contactIds, emails }) {
        const found = (yield* db.all(contacts, workspace)).filter(
          ({ emailNormalized, id }) => contactIds.includes(id) || emails.includes(emailNormalized ?? ""),
        )
        const wanted = [...emails, ...found.flatMap(({ emailNormalized }) => emailNormalized ?? [])]
        return {
          contacts: found,
          suppressions: (yield* db.all(suppressions, workspace)).filter(({ email }) => wanted.includes(email)),
        }
      }),
      marketingSenders: (workspace) => marketingSenders(db, workspace),
      usedToday: (workspace, now) => Effect.andThen(Transaction, usedOn(db, workspace, now)),
      findKeys: (workspace, keyHashes) =>
        Effect.flatMap(DateTime.now, (now) =>
          Effect.forEach(keyHashes, (keyHash) => findKey(db, workspace, keyHash, now)),
        ),
      accept: (workspace, requests) =>
        Effect.andThen(
          Transaction,
          Effect.forEach(requests, (request) => accept(db, ids, workspace, request)),
        ),
      get,
      many: (workspace, wanted) =>
        Effect.map(all(db, workspace), (rows) => rows.filter(({ id }) => wanted.includes(id))),
      list: (workspace, query) => list(db, workspace, query),
      lock: (workspace, id) => lock(db, workspace, id),
      cancel: Effect.fnUntraced(function* (workspace, id, at) {
        yield* Transaction
        const row = yield* db.find(deliveries, workspace, id)
        const after = row === undefined ? undefined : moved(row, { _tag: "end", ending: "cancelled" })
        if (row === undefined || after === undefined) return
        yield* putMoved(db, workspace, row, { ...after, blockedAt: at })
      }),
      retry: Effect.fnUntraced(function* (workspace, id, { expiresAt }) {
        yield* Transaction
        const row = yield* db.find(deliveries, workspace, id)
        const after = row === undefined ? undefined : moved(row, { _tag: "retry", unconfirmed: true })
        const stored = yield* db.find(messages, workspace, id)
        if (after === undefined || stored === undefined) return
        const now = yield* DateTime.now
        yield* db.put(deliveries, workspace, id, {
          ...after,
          failedAt: null,
          handedOverAt: null,
          dueAt: now,
          expiresAt,
        })
        yield* db.put(messages, workspace, id, {
          ...stored,
          message: { ...stored.message, scheduledAt: null, expiresAt },
        })
        yield* hintDue(db, "messages", workspace, now)
      }),
    })
  }),
)
