// The privacy store in memory: all data of one contact or one workspace.
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ContactBusy, type StoredRow, PrivacyStore } from "@tentpole/core/operations/privacy/PrivacyStore"
import {
  formerIdentifiers,
  matchesText,
  type IdentifierPatterns,
  identifierPatternsOf,
} from "@tentpole/core/operations/privacy/IdentifierPatterns"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer, Stream } from "effect"
import { activities, contacts, submissions } from "../contacts/ContactTables.ts"
import { deliveries, type DeliveryRow, suppressions } from "../sending/DeliveryTables.ts"
import { exports } from "../exports/ExportStore.ts"
import { importRows, importRuns, importSessions } from "../imports/ImportStore.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"
import { deleteEvents } from "../kernel/Outbox.ts"
import { testMails } from "../sending/TestMailStore.ts"

const not_data = new Set(["idempotency_key", "outbox_consumer", "outbox_event", "outbox_sequence", "hook_token"])

const traces = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: ContactId) {
  const contact = yield* db.find(contacts, workspace, id)
  if (contact === undefined) return yield* new NotFound({ resource: "contact" })
  const lines = (yield* db.all(activities, workspace)).filter(({ contactId }) => contactId === id)
  const mailed = (yield* db.all(deliveries, workspace)).filter(({ contactId }) => contactId === id)
  const all = identifierPatternsOf(
    [
      contact.email,
      contact.emailNormalized,
      ...mailed.flatMap(({ email, emailNormalized }) => [email, emailNormalized]),
      ...lines.flatMap(({ metadata }) => formerIdentifiers(metadata, "email")),
    ],
    [contact.phone, ...lines.flatMap(({ metadata }) => formerIdentifiers(metadata, "phone"))],
  )
  const others = (yield* db.all(contacts, workspace)).filter((other) => other.id !== id)
  return {
    emails: all.emails.filter((email) => !others.some((other) => other.emailNormalized?.toLowerCase() === email)),
    phones: all.phones.filter((phone) => !others.some((other) => other.phone === phone)),
  } satisfies IdentifierPatterns
})

const without: Pick<
  DeliveryRow,
  "email" | "emailNormalized" | "displayName" | "smtpReply" | "clickedUrl" | "contactDeleted"
> = {
  email: null,
  emailNormalized: null,
  displayName: null,
  smtpReply: null,
  clickedUrl: null,
  contactDeleted: true,
}

const eraseDeliveries = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  id: ContactId,
  emails: ReadonlySet<string>,
) {
  for (const row of yield* db.all(deliveries, workspace)) {
    const isMine = row.contactId === id
    if (!isMine && !(row.contactDeleted && emails.has(row.emailNormalized ?? ""))) continue
    const blocked = isMine && row.state === "queued"
    yield* db.put(deliveries, workspace, row.id, {
      ...row,
      ...without,
      ...(blocked ? { state: "blocked" as const, reason: "contact_deleted" as const } : {}),
    })
  }
})

const eraseImports = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  id: ContactId,
  named: (of: unknown) => boolean,
) {
  for (const { id: run } of yield* db.all(importRuns, workspace)) {
    const rows = yield* db.find(importRows, workspace, run)
    if (rows === undefined) continue
    const erased = rows.map((row) =>
      row.contactId === id || named(row.record) || named(row.issues)
        ? { ...row, contactId: null, record: null, issues: [] }
        : row,
    )
    yield* db.put(importRows, workspace, run, erased)
  }
})

const erase = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: ContactId, known: IdentifierPatterns) {
  const mine = (yield* db.all(deliveries, workspace)).filter(({ contactId }) => contactId === id)
  if (mine.some(({ state }) => state === "claimed" || state === "handed_over")) {
    return yield* new ContactBusy({ because: "message" })
  }
  const written = yield* db.all(exports, workspace)
  if (written.some(({ status }) => status === "running")) return yield* new ContactBusy({ because: "export" })
  const emails = new Set(known.emails)
  const names = matchesText(known)
  const named = (of: unknown): boolean => of !== null && names(JSON.stringify(of))
  yield* eraseDeliveries(db, workspace, id, emails)
  for (const row of yield* db.all(submissions, workspace)) {
    if (row.contactId === id || named(row.fields)) yield* db.remove(submissions, workspace, row.id)
  }
  yield* eraseImports(db, workspace, id, named)
  for (const row of yield* db.all(testMails, workspace)) {
    if (row.contactId === id || emails.has(row.addressNormalized)) yield* db.remove(testMails, workspace, row.id)
  }
  yield* deleteEvents(db, workspace, ({ contactId, data }) => contactId === id || named(data))
  for (const email of emails) yield* db.remove(suppressions, workspace, email)
  const completed = written.filter(({ status }) => status === "completed")
  for (const each of completed) yield* db.remove(exports, workspace, each.id)
  return { exports: completed.map((each) => ({ id: each.id, kind: each.subject.kind })) }
})

/** Converts to JSON values: instants become texts. */
const asRecord = (row: unknown): Readonly<Record<string, unknown>> => {
  const plain: unknown = JSON.parse(JSON.stringify(row))
  return typeof plain === "object" && plain !== null && !Array.isArray(plain) ? { ...plain } : { value: plain }
}

export const layer = Layer.effect(
  PrivacyStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase

    const rows = (workspace: WorkspaceId) =>
      Effect.map(db.everything(workspace), (all) =>
        all.flatMap(({ table, row }): ReadonlyArray<StoredRow> =>
          not_data.has(table) ? [] : [{ table, row: asRecord(row) }],
        ),
      )

    return PrivacyStore.of({
      identifierPatterns: (workspace, id) => traces(db, workspace, id),
      rowsOf: Effect.fnUntraced(function* (workspace, id) {
        const { emails } = yield* traces(db, workspace, id)
        return (yield* rows(workspace)).filter(
          ({ row, table }) =>
            row["contactId"] === id ||
            (table === contacts.name && row["id"] === id) ||
            (table === suppressions.name && emails.some((email) => email === row["emailNormalized"])),
        )
      }),
      importedFiles: Effect.fnUntraced(function* (workspace) {
        const runs = yield* db.all(importRuns, workspace)
        return (yield* db.all(importSessions, workspace)).map(({ blobKey, id, source }) => ({
          sessionId: id,
          source,
          blobKey,
          run: runs.find(({ sessionId }) => sessionId === id) ?? null,
        }))
      }),
      erase: (workspace, id, known) => Effect.andThen(Transaction, erase(db, workspace, id, known)),
      rows: (workspace) => Stream.fromEffect(rows(workspace)),
    })
  }),
)
