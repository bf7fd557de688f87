// The search of uploaded import files for a contact.
import { Effect, Stream } from "effect"
import type { CsvReader } from "../../imports/CsvReader.ts"
import { frozenKey } from "../../imports/Import.ts"
import { importFiles } from "../../imports/ImportFile.ts"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import type { BlobStore } from "../../ports/BlobStore.ts"
import { type IdentifierPatterns, matchesCells } from "./IdentifierPatterns.ts"
import type { ImportedFile } from "./PrivacyStore.ts"

/** The uploaded file, and the copy that its run reads. */
export const fileKeys = (workspace: WorkspaceId, { blobKey, run, sessionId }: ImportedFile): ReadonlyArray<string> =>
  run === null ? [blobKey] : [blobKey, frozenKey(workspace, { id: run.id, sessionId })]

/** Whether a file names the contact. An unreadable file counts as naming it. */
export const fileSearch = (blobs: BlobStore["Service"], csv: CsvReader["Service"]) => {
  const { records } = importFiles(blobs, csv)
  return ({ source }: ImportedFile, key: string, traces: IdentifierPatterns) => {
    const names = matchesCells(traces)
    return records(source, key).pipe(
      Stream.filter(({ cells }) => cells.some(names)),
      Stream.take(1),
      Stream.runCollect,
      Effect.map((found) => found.length > 0),
      Effect.catchTags({
        BlobNotFound: () => Effect.succeed(false),
        ImportUnreadable: () => Effect.succeed(true),
      }),
    )
  }
}
