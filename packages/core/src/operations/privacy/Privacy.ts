// The use cases of privacy: export and erasure of a contact's data, and the export of a workspace.
import { Context, DateTime, Effect, Layer, Stream } from "effect"
import { AuditLog } from "../../kernel/changes/AuditLog.ts"
import { BlobStore, type BlobUnavailable } from "../../ports/BlobStore.ts"
import { ContactsChange } from "../../contacts/ContactsChange.ts"
import { ContactStore, retryOnIdentityConflict } from "../../contacts/ContactStore.ts"
import { exportKey } from "../../exports/Export.ts"
import type { ContactId, WorkspaceId } from "../../kernel/Ids.ts"
import { CsvReader } from "../../imports/CsvReader.ts"
import { NotFound } from "../../kernel/Refusal.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { ContactBusy, type StoredRow, PrivacyStore } from "./PrivacyStore.ts"
import { fileKeys, fileSearch } from "./FileSearch.ts"
import type { IdentifierPatterns } from "./IdentifierPatterns.ts"

export class Privacy extends Context.Service<
  Privacy,
  {
    /** All stored rows about a contact. */
    readonly rowsOf: PrivacyStore["Service"]["rowsOf"]
    /**
     * Erases a contact: afterwards its current and former addresses and numbers are in no table and no file, except texts that
     * users of the workspace wrote, and responses to requests of the last day, which are sealed. The contact can be created
     * again: nothing is stored that would recognize it.
     */
    readonly erase: (
      workspace: WorkspaceId,
      contact: ContactId,
    ) => Effect.Effect<void, NotFound | ContactBusy | BlobUnavailable>
    readonly rows: (workspace: WorkspaceId) => Stream.Stream<ReadonlyArray<StoredRow>>
  }
>()("tentpole/Privacy") {
  static readonly layer = Layer.effect(
    Privacy,
    Effect.gen(function* () {
      const store = yield* PrivacyStore
      const contacts = yield* ContactStore
      const blobs = yield* BlobStore
      const audit = yield* AuditLog
      const { transact } = yield* Transactor
      const isNamed = fileSearch(blobs, yield* CsvReader)

      /** The keys of the files that name the contact. */
      const filesNaming = Effect.fnUntraced(function* (workspace: WorkspaceId, traces: IdentifierPatterns) {
        const named: Array<string> = []
        for (const file of yield* store.importedFiles(workspace)) {
          for (const key of fileKeys(workspace, file)) {
            if (!(yield* isNamed(file, key, traces))) continue
            if (file.run?.status === "queued" || file.run?.status === "running") {
              return yield* new ContactBusy({ because: "import" })
            }
            named.push(key)
          }
        }
        return named
      })

      const forget = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        contact: ContactId,
        traces: IdentifierPatterns,
      ) {
        const existing = yield* contacts.lockForDeletion(workspace, [contact])
        if (existing.length === 0) return yield* new NotFound({ resource: "contact" })
        const erased = yield* store.erase(workspace, contact, traces)
        const at = yield* DateTime.now
        const steps = existing.map((before) => ({ before, after: null, at, erased: true }) as const)
        yield* contacts.apply(workspace, ContactsChange.of(steps))
        yield* audit.append([{ workspaceId: workspace, action: "contact.erased", target: contact, details: {} }])
        return erased
      })

      return Privacy.of({
        rowsOf: Effect.fn("Privacy.rowsOf")((workspace, contact) =>
          Effect.andThen(contacts.get(workspace, contact), store.rowsOf(workspace, contact)),
        ),
        erase: Effect.fn("Privacy.erase")(function* (workspace, contact) {
          yield* contacts.get(workspace, contact)
          const traces = yield* store.identifierPatterns(workspace, contact)
          const files = yield* filesNaming(workspace, traces)
          const { exports } = yield* retryOnIdentityConflict(transact(forget(workspace, contact, traces)))
          // If this is interrupted, each file is deleted by its own job when it expires.
          yield* Effect.forEach(
            [...files, ...exports.map(({ id, kind }) => exportKey(workspace, kind, id))],
            (key) => blobs.delete(key),
            { discard: true },
          )
        }),
        rows: store.rows,
      })
    }),
  )
}
