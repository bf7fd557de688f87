// Exports of a blast's recipients: contact, outcome of the delivery, and engagement.
import { DateTime, Effect, Stream } from "effect"
import { cellText } from "../kernel/Csv.ts"
import type { BlastRecipients } from "./Export.ts"
import type { ExportSource } from "./ExportSource.ts"
import { ExportStore } from "./ExportStore.ts"
import { slugify } from "../kernel/Text.ts"
import { type BlastRecipient, BlastStore } from "../blasts/BlastStore.ts"

interface Column {
  readonly name: string
  readonly value: (recipient: BlastRecipient) => string | boolean | DateTime.Utc | null
}

/** Names and order are those of the recipients' listing; `recipient_id` identifies the message in timelines. */
const columns: ReadonlyArray<Column> = [
  { name: "contact_id", value: (it) => it.contactId },
  { name: "recipient_id", value: (it) => it.id },
  { name: "display_name", value: (it) => it.displayName },
  { name: "email", value: (it) => it.email },
  { name: "contact_deleted", value: (it) => it.contactDeleted },
  { name: "status", value: (it) => it.status },
  { name: "reason", value: (it) => it.reason },
  { name: "sent_at", value: (it) => it.sentAt },
  { name: "delivered_at", value: (it) => it.deliveredAt },
  { name: "opened_at", value: (it) => it.openedAt },
  { name: "clicked_at", value: (it) => it.clickedAt },
  { name: "clicked_url", value: (it) => it.clickedUrl },
  { name: "bounced_at", value: (it) => it.bouncedAt },
  { name: "unsubscribed_at", value: (it) => it.unsubscribedAt },
  { name: "complained_at", value: (it) => it.complainedAt },
]

/** The columns' names. */
export const recipientHeader: ReadonlyArray<string> = columns.map(({ name }) => name)

/** A recipient's cells, one for each column. */
export const recipientRow = (recipient: BlastRecipient): ReadonlyArray<string> =>
  columns.map(({ value }) => cellText(value(recipient)))

export const recipientsExport = Effect.gen(function* () {
  const store = yield* ExportStore
  const blasts = yield* BlastStore
  const find = Effect.fnUntraced(function* (...[workspace, { blastId }]: Parameters<Source["check"]>) {
    return (yield* blasts.get(workspace, blastId, yield* DateTime.now)).blast
  })
  const source: Source = {
    check: find,
    open: Effect.fnUntraced(function* (workspace, subject) {
      const { name } = yield* find(workspace, subject)
      // A name without a Latin letter has no slug.
      const stem = `${slugify(name) || "blast"}-${subject.category}`
      const recipients = store.recipients(workspace, subject)
      return { stem, header: recipientHeader, rows: Stream.map(recipients, (some) => some.map(recipientRow)) }
    }),
    deletedError: "The email blast was deleted before its recipients were exported",
  }
  return source
})

type Source = ExportSource<BlastRecipients>
