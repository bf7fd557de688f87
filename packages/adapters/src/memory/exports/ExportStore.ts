// The export store in memory.
import type { ConsentRecords, Export, ExportSubject } from "@tentpole/core/exports/Export"
import { type AddressedRecord, ExportStore } from "@tentpole/core/exports/ExportStore"
import type { ExportId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Stream } from "effect"
import { findBlast, recipientsOf } from "../blasts/BlastStore.ts"
import { findList } from "../lists/ListStore.ts"
import { contacts } from "../contacts/ContactTables.ts"
import { type Rows, storeLayer, table } from "../kernel/MemoryDatabase.ts"
import { byId } from "../kernel/Slices.ts"
import { contactsOf } from "../segments/SegmentMembers.ts"
import { consentRecords } from "../topics/TopicTables.ts"

export const exports = table<Export>("export")

const chunk_rows = 250

const recordsOf = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { since, topicId, until }: Pick<ConsentRecords, "topicId" | "since" | "until">,
) {
  const wanted = (yield* db.all(consentRecords, workspace)).filter(
    (record) =>
      (topicId === null || record.topicId === topicId) &&
      (since === null || DateTime.isGreaterThanOrEqualTo(record.at, since)) &&
      (until === null || DateTime.isLessThan(record.at, until)),
  )
  return yield* Effect.forEach(wanted.sort(byId), (record) =>
    Effect.map(db.find(contacts, workspace, record.contactId), (contact): AddressedRecord => ({
      ...record,
      email: contact?.email ?? null,
    })),
  )
})

export const layer = storeLayer(ExportStore, (db, writer) => {
  const getExport = (workspace: WorkspaceId, id: ExportId) => db.get(exports, workspace, id, "export")

  /** The list or blast that is exported; fails when it was deleted. */
  const getSubject = (workspace: WorkspaceId, subject: ExportSubject): Effect.Effect<unknown, NotFound> => {
    switch (subject.kind) {
      case "list":
        return findList(db, workspace, subject.listId)
      case "blast":
        return findBlast(db, workspace, subject.blastId)
      case "consent":
        return Effect.void
    }
  }

  return ExportStore.of({
    get: (workspace, id) =>
      Effect.tap(getExport(workspace, id), ({ subject }) =>
        Effect.mapError(getSubject(workspace, subject), () => new NotFound({ resource: "export" })),
      ),
    lock: (workspace, id) => Effect.andThen(Transaction, getExport(workspace, id)),
    apply: Effect.fnUntraced(function* (workspace, change) {
      yield* Transaction
      const { before, after } = change
      if (before !== null) {
        const stored = yield* db.find(exports, workspace, before.id)
        if (stored?.status !== before.status) return false
        if (after === null) yield* db.remove(exports, workspace, before.id)
      }
      if (after !== null) yield* db.put(exports, workspace, after.id, after)
      yield* writer.writeEffects(workspace, [change])
      return true
    }),
    members: (workspace, { list, now }, { excludeUnsubscribed }) =>
      Stream.unwrap(
        Effect.map(contactsOf(db, workspace, list, now), (members) =>
          Stream.fromIterable(
            members.filter(({ unsubscribed }) => !(excludeUnsubscribed && unsubscribed)).sort(byId),
          ).pipe(Stream.grouped(chunk_rows)),
        ),
      ),
    recipients: (workspace, { blastId, category }) =>
      Stream.unwrap(
        Effect.map(recipientsOf(db, workspace, blastId, category), (all) =>
          Stream.grouped(Stream.fromIterable(all), chunk_rows),
        ),
      ),
    consentRecords: (workspace, wanted) =>
      Stream.unwrap(
        Effect.map(recordsOf(db, workspace, wanted), (all) => Stream.grouped(Stream.fromIterable(all), chunk_rows)),
      ),
  })
})
