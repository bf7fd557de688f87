// The port to everything that is kept of one person, or of one workspace, whichever room keeps it.
import { Context, type Effect, Schema, type Stream } from "effect"
import type { ErrorCode } from "../../kernel/ErrorCode.ts"
import type { ExportKind } from "../../exports/Export.ts"
import type { ContactId, ExportId, ImportSessionId, WorkspaceId } from "../../kernel/Ids.ts"
import type { ImportRun, ImportSource } from "../../imports/Import.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { IdentifierPatterns } from "./IdentifierPatterns.ts"

/** Something is being done with somebody that can't be called back, and would write of them when they are gone. */
export class ContactBusy extends Schema.TaggedError<ContactBusy>()("ContactBusy", {
  because: Schema.Literals(["message", "export", "import"]),
}) {
  readonly code = "conflict" satisfies ErrorCode
  override get message(): string {
    const what = {
      message: "A message to this contact is being sent",
      export: "An export of this workspace that may contain the contact is being written",
      import: "An import that contains this contact is running",
    }[this.because]
    return `${what}. Try again in a minute`
  }
}

/** A row as the store keeps it, under the name of its table. */
export interface KeptRow {
  readonly table: string
  readonly row: Readonly<Record<string, unknown>>
}

export interface Erased {
  /** Exports that were completed and may have named them: their records are gone, their files are to go. */
  readonly exports: ReadonlyArray<{ readonly id: ExportId; readonly kind: ExportKind }>
}

/** A file that was uploaded to be imported, and what became of it. */
export interface ImportedFile {
  readonly sessionId: ImportSessionId
  readonly source: ImportSource
  readonly blobKey: string
  readonly run: Pick<ImportRun, "id" | "status"> | null
}

export class PrivacyStore extends Context.Service<
  PrivacyStore,
  {
    /** Every row that tells of a contact, in whatever table, suppressions of its address among them. */
    readonly rowsOf: (workspace: WorkspaceId, contact: ContactId) => Effect.Effect<ReadonlyArray<KeptRow>, NotFound>
    readonly traces: (workspace: WorkspaceId, contact: ContactId) => Effect.Effect<IdentifierPatterns, NotFound>
    /** Those whose bytes may still lie in the store of files. */
    readonly importedFiles: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<ImportedFile>>
    /**
     * Erases what stays of a contact when it is deleted: its messages' rows lose address, name and what the mail server said,
     * what it sent by forms and what imports said of it goes, so do test messages, suppressions, and events that somebody may
     * still read. For a contact that was locked for its deletion, and before it. What is queued for it is blocked.
     */
    readonly erase: (
      workspace: WorkspaceId,
      contact: ContactId,
      traces: IdentifierPatterns,
    ) => Effect.Effect<Erased, ContactBusy, Transaction>
    /**
     * Every row of a workspace, table by table, each table as it was at one moment; some rows at a time, so that memory does
     * not grow with them. Without secrets, and without what only the service's own work needs.
     */
    readonly rows: (workspace: WorkspaceId) => Stream.Stream<ReadonlyArray<KeptRow>>
  }
>()("tentpole/PrivacyStore") {}
