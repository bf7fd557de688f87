// The tables that exports write: a list's members at the time of the job, a blast's recipients, or consent records.
import { DateTime, Effect, Stream } from "effect"
import { type BlastRecipient, BlastStore } from "../blasts/BlastStore.ts"
import { ContactFieldStore } from "../contacts/ContactFieldStore.ts"
import { cellText } from "../kernel/Csv.ts"
import type { BlastId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { slugify } from "../kernel/Text.ts"
import { ListStore } from "../lists/ListStore.ts"
import { type HashedRecord, hashRecord } from "../topics/ConsentRecord.ts"
import { topicNotFound } from "../topics/TopicErrors.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import type { BlastRecipients, ConsentRecords, ExportKind, ExportSubject, ListMembers } from "./Export.ts"
import { type AddressedRecord, ExportStore } from "./ExportStore.ts"
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

/** Names and order are those of a record in the API, after the address. */
const recordColumns: ReadonlyArray<readonly [name: string, field: keyof (AddressedRecord & HashedRecord)]> = [
  ["email", "email"],
  ["consent_record_id", "id"],
  ["contact_id", "contactId"],
  ["topic_id", "topicId"],
  ["action", "action"],
  ["at", "at"],
  ["source", "source"],
  ["source_detail", "sourceDetail"],
  ["text", "text"],
  ["text_sha256", "textSha256"],
  ["ip_prefix", "ipPrefix"],
  ["user_agent", "userAgent"],
  ["tent_id", "tentId"],
  ["form_id", "formId"],
  ["submission_id", "submissionId"],
  ["import_run_id", "importRunId"],
  ["message_id", "messageId"],
  ["key_prefix", "keyPrefix"],
]

export const recordHeader: ReadonlyArray<string> = recordColumns.map(([name]) => name)

export const recordRow = (record: AddressedRecord & HashedRecord): ReadonlyArray<string> =>
  recordColumns.map(([, field]) => cellText(record[field]))

/** The error of an export whose subject was deleted meanwhile, as a sentence for users. */
export const deletedErrors: Readonly<Record<ExportKind, string>> = {
  list: "The list was deleted before its members were exported",
  blast: "The email blast was deleted before its recipients were exported",
  consent: "The topic was deleted before its consent records were exported",
}

export const exportTables = Effect.gen(function* () {
  const store = yield* ExportStore
  const lists = yield* ListStore
  const fieldStore = yield* ContactFieldStore
  const blasts = yield* BlastStore
  const topics = yield* TopicStore
  const secrets = yield* Secrets

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

  const checkTopic = Effect.fnUntraced(function* (workspace: WorkspaceId, { topicId }: ConsentRecords) {
    if (topicId !== null && (yield* topics.many(workspace, [topicId])).length === 0)
      return yield* topicNotFound().at("topic_id")
  })

  /** The records of a topic stay when it is deleted. */
  const openRecords = (workspace: WorkspaceId, subject: ConsentRecords): Effect.Effect<OpenTable> => {
    const hashed = hashRecord(secrets.sha256)
    const records = store.consentRecords(workspace, subject)
    return Effect.succeed({
      stem: "consent-records",
      header: recordHeader,
      rows: Stream.map(records, (some) => some.map((record) => recordRow({ ...record, ...hashed(record) }))),
    })
  }

  return {
    /** Fails when the subject does not exist. */
    check: (workspace: WorkspaceId, subject: ExportSubject): Effect.Effect<unknown, NotFound> => {
      switch (subject.kind) {
        case "list":
          return lists.get(workspace, subject.listId)
        case "blast":
          return findBlast(workspace, subject.blastId)
        case "consent":
          return checkTopic(workspace, subject)
      }
    },
    open: (workspace: WorkspaceId, subject: ExportSubject): Effect.Effect<OpenTable, NotFound> => {
      switch (subject.kind) {
        case "list":
          return openMembers(workspace, subject)
        case "blast":
          return openRecipients(workspace, subject)
        case "consent":
          return openRecords(workspace, subject)
      }
    },
  }
})
