// The memory tables of single messages, and what claims, intents and sweeps read of them.
import type { BlastId, DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { EmailMessage } from "@tentpole/core/messages/EmailMessage"
import type { KeyedItems } from "@tentpole/core/messages/EmailMessageStore"
import type { ClaimedMessage, MessageBody } from "@tentpole/core/sending/messages/MessageContent"
import { Clock, type DateTime, Effect } from "effect"
import { deliveries } from "../sending/DeliveryTables.ts"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"

/** What a message has besides its delivery. The fields that its delivery has are those of its acceptance. */
export interface MessageRow {
  readonly message: EmailMessage
  /** Null: deleted. */
  readonly content: { readonly body: MessageBody; readonly files: ReadonlyArray<Uint8Array> } | null
}

/** By delivery id. */
export const messages = table<MessageRow>("email_message")
/** The line of a workspace, under the key `line`. */
export const messageLines = table<{ readonly id: BlastId }>("blast of single messages")
/** By the hash of the key, in hexadecimal. */
export const messageKeys = table<KeyedItems & { readonly at: DateTime.Utc }>("email_message_key")

export const lineOf = (db: Rows, workspace: WorkspaceId) => db.find(messageLines, workspace, "line")

export const claimedMessage = ({ content, message }: MessageRow, expiresAt: DateTime.Utc): ClaimedMessage => ({
  header: message,
  toName: message.to.name,
  headers: message.headers,
  attachments: message.attachments,
  trackOpens: message.trackOpens,
  trackClicks: message.trackClicks,
  body: content?.body ?? null,
  expiresAt,
  waitingSince: message.scheduledAt ?? message.createdAt,
})

/** Deletes content that goes with the final state of its message. */
export const deletePassingContent = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: DeliveryId) {
  const row = yield* db.find(messages, workspace, id)
  if (row === undefined || row.message.retainContent) return
  yield* db.put(messages, workspace, id, { ...row, content: null })
})

/** A line with claimed messages is checked again after this time, and swept until then. */
const claimed_ms = 10_000

/** When the line is to be checked again, in milliseconds; Infinity: all of its messages have ended. */
export const nextDue_ms = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, wait_ms: number) {
  const now = yield* Clock.currentTimeMillis
  const times = (yield* db.all(deliveries, workspace)).flatMap(({ dueAt, message, state }) => {
    if (message === null) return []
    if (state === "queued") return [dueAt.epochMilliseconds]
    return state === "claimed" || state === "handed_over" ? [now + claimed_ms] : []
  })
  return Math.max(Math.min(...times), now + wait_ms)
})

export const messageOf = (db: Rows, workspace: WorkspaceId, id: DeliveryId) => db.find(messages, workspace, id)

/** The messages since a time that were not blocked. */
export const messagesSince = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, since_ms: number) {
  return (yield* db.all(deliveries, workspace)).filter(
    ({ createdAt, message, state }) =>
      message !== null && state !== "blocked" && createdAt.epochMilliseconds >= since_ms,
  ).length
})
