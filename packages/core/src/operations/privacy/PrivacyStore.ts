// The port to all stored data of a contact or of a workspace, across all rooms.
import { Context, type Effect, Schema, type Stream } from "effect"
import type { ErrorCode } from "../../kernel/ErrorCode.ts"
import type { ExportKind } from "../../exports/Export.ts"
import type { ContactId, ExportId, ImportSessionId, WorkspaceId } from "../../kernel/Ids.ts"
import type { ImportRun, ImportSource } from "../../imports/Import.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { IdentifierPatterns } from "./IdentifierPatterns.ts"

/** A running operation on the contact can't be stopped, and would write its data after the erasure. */
export class ContactBusy extends Schema.TaggedError<ContactBusy>()("ContactBusy", {
  because: Schema.Literals(["message", "export", "import"]),
}) {
  readonly code = "contact_busy" satisfies ErrorCode
  override get message(): string {
    const what = {
      message: "A message to this contact is being sent",
      export: "An export of this workspace that may contain the contact is being written",
      import: "An import that contains this contact is running",
    }[this.because]
    return `${what}. Try again in a minute`
  }
}

/** A stored row, with the name of its table. */
export interface StoredRow {
  readonly table: string
  readonly row: Readonly<Record<string, unknown>>
}

export interface Erased {
  /** Completed exports that may contain the contact: their rows are deleted, and the caller deletes their files. */
  readonly exports: ReadonlyArray<{ readonly id: ExportId; readonly kind: ExportKind }>
}

/** An uploaded import file, and its run. */
export interface ImportedFile {
  readonly sessionId: ImportSessionId
  readonly source: ImportSource
  readonly blobKey: string
  readonly run: Pick<ImportRun, "id" | "status"> | null
}

export class PrivacyStore extends Context.Service<
  PrivacyStore,
  {
    /** Every row about a contact, in all tables, including suppressions of its address. */
    readonly rowsOf: (workspace: WorkspaceId, contact: ContactId) => Effect.Effect<ReadonlyArray<StoredRow>, NotFound>
    readonly identifierPatterns: (
      workspace: WorkspaceId,
      contact: ContactId,
    ) => Effect.Effect<IdentifierPatterns, NotFound>
    /** Files whose bytes may still exist in the blob store. */
    readonly importedFiles: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<ImportedFile>>
    /**
     * Erases what the deletion of a contact leaves: address, name and server replies of its messages, its form submissions,
     * import results, test messages, suppressions, and unread events. Call it before the deletion of a contact that is locked
     * for deletion. Queued messages of the contact are blocked.
     */
    readonly erase: (
      workspace: WorkspaceId,
      contact: ContactId,
      identifierPatterns: IdentifierPatterns,
    ) => Effect.Effect<Erased, ContactBusy, Transaction>
    /**
     * Every row of a workspace, table by table, each table from one snapshot, in slices, so that memory does not grow. Without
     * secrets, and without rows that only the service itself needs.
     */
    readonly rows: (workspace: WorkspaceId) => Stream.Stream<ReadonlyArray<StoredRow>>
  }
>()("tentpole/PrivacyStore") {}
