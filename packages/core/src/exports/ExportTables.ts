// The tables that exports write: a list's members at the time of the job, or a blast's recipients.
import { DateTime, Effect, Stream } from "effect"
import { type BlastRecipient, BlastStore } from "../blasts/BlastStore.ts"
import { ContactFieldStore } from "../contacts/ContactFieldStore.ts"
import { cellText } from "../kernel/Csv.ts"
import type { BlastId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import { slugify } from "../kernel/Text.ts"
import { ListStore } from "../lists/ListStore.ts"
import type { BlastRecipients, ExportKind, ExportSubject, ListMembers } from "./Export.ts"
import { ExportStore } from "./ExportStore.ts"
import { memberTable } from "./MemberTable.ts"

export interface OpenTable {
  /** The beginning of the file's name: letters, digits and hyphens. */
  readonly stem: string
  readonly header: ReadonlyArray<string>
  /** Chunks of rows of one snapshot, read when the stream runs. A row has a guarded cell for each column. */
  readonly rows: Stream.Stream<ReadonlyArray<ReadonlyArray<string>>>
}

/** Names and order are those of the recipients' listing; `recipient_id` identifies the message in timelines. */
const columns: ReadonlyArray<readonly [name: string, field: keyof BlastRecipient]> = [
  ["contact_id", "contactId"],
  ["recipient_id", "id"],
  ["display_name", "displayName"],
  ["email", "email"],
  ["contact_deleted", "contactDeleted"],
  ["status", "status"],
  ["reason", "reason"],
  ["sent_at", "sentAt"],
  ["delivered_at", "deliveredAt"],
  ["opened_at", "openedAt"],
  ["clicked_at", "clickedAt"],
  ["clicked_url", "clickedUrl"],
  ["bounced_at", "bouncedAt"],
  ["unsubscribed_at", "unsubscribedAt"],
  ["complained_at", "complainedAt"],
]

export const recipientHeader: ReadonlyArray<string> = columns.map(([name]) => name)

export const recipientRow = (recipient: BlastRecipient): ReadonlyArray<string> =>
  columns.map(([, field]) => cellText(recipient[field]))

/** The error of an export whose subject was deleted meanwhile, as a sentence for users. */
export const deletedErrors: Readonly<Record<ExportKind, string>> = {
  list: "The list was deleted before its members were exported",
  blast: "The email blast was deleted before its recipients were exported",
}

export const exportTables = Effect.gen(function* () {
  const store = yield* ExportStore
  const lists = yield* ListStore
  const fieldStore = yield* ContactFieldStore
  const blasts = yield* BlastStore

  const findBlast = (workspace: WorkspaceId, id: BlastId) =>
    Effect.flatMap(DateTime.now, (now) => blasts.get(workspace, id, now))

  const openMembers = Effect.fnUntraced(function* (workspace: WorkspaceId, subject: ListMembers) {
    const list = yield* lists.get(workspace, subject.listId)
    // All fields, because the list's rules may use any of them.
    const fields = yield* fieldStore.list(workspace)
    const { header, row } = memberTable(fields)
    const members = store.members(workspace, { list, fields, now: yield* DateTime.now }, subject)
    return { stem: list.slug, header, rows: Stream.map(members, (some) => some.map(row)) }
  })

  const openRecipients = Effect.fnUntraced(function* (workspace: WorkspaceId, subject: BlastRecipients) {
    const { blast } = yield* findBlast(workspace, subject.blastId)
    // A name without a Latin letter has no slug.
    const stem = `${slugify(blast.name) || "blast"}-${subject.category}`
    const recipients = store.recipients(workspace, subject)
    return { stem, header: recipientHeader, rows: Stream.map(recipients, (some) => some.map(recipientRow)) }
  })

  return {
    /** Fails when the subject does not exist. */
    check: (workspace: WorkspaceId, subject: ExportSubject): Effect.Effect<unknown, NotFound> =>
      subject.kind === "list" ? lists.get(workspace, subject.listId) : findBlast(workspace, subject.blastId),
    open: (workspace: WorkspaceId, subject: ExportSubject): Effect.Effect<OpenTable, NotFound> =>
      subject.kind === "list" ? openMembers(workspace, subject) : openRecipients(workspace, subject),
  }
})
