// The decoded file of an import. Preview and run read it the same way, whether it was uploaded or sent as rows.
import { Effect, Schema, Stream } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"
import type { BlobStore } from "../ports/BlobStore.ts"
import { withoutFormulaGuard } from "../kernel/Csv.ts"
import type { CsvReader } from "./CsvReader.ts"
import { ImportUnreadable } from "./CsvReader.ts"
import type { ImportSource } from "./Import.ts"
import { columnNames, decodeRows, type Row, rowsOf } from "./Table.ts"

/** No file has been uploaded yet. */
export class UploadMissing extends refusalClass<UploadMissing>()("UploadMissing", {
  code: "upload_missing",
  message: () => "The file has not been uploaded. Upload it to upload_url with PUT first",
}) {}

export class UploadTooLarge extends refusalClass<UploadTooLarge>()("UploadTooLarge", {
  code: "payload_too_large",
  fields: { bytes_max: Schema.Int },
  message: (it) => {
    const size_megabytes = Number((it.bytes_max / 2 ** 20).toFixed(1))
    return `The file exceeds the limit of ${size_megabytes} MB for imports. Split it and import the parts`
  },
}) {}

/** The connection ended before the last byte. An earlier upload stays. */
export class UploadBroken extends refusalClass<UploadBroken>()("UploadBroken", {
  code: "validation_failed",
  message: () => "The upload was interrupted. Send the file again",
}) {}

export interface Head {
  readonly headers: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
}

export const importFiles = (blobs: BlobStore["Service"], csv: CsvReader["Service"]) => {
  /** Every record, the header first. */
  const records = (source: ImportSource, key: string) =>
    source === "rows" ? decodeRows(blobs.get(key)) : csv.read(blobs.get(key))

  const read = Effect.fnUntraced(function* (source: ImportSource, key: string, rows_max: number) {
    const [header, ...rest] = yield* records(source, key).pipe(Stream.take(rows_max + 1), Stream.runCollect)
    if (header === undefined) return yield* new ImportUnreadable({ reason: "it is empty" })
    // An export guards all of its cells against formulas, also the headers.
    const names = source === "upload" ? header.cells.map(withoutFormulaGuard) : header.cells
    const headers = yield* Effect.fromResult(columnNames(names))
    const rows = yield* rowsOf(Stream.fromIterable([header, ...rest])).pipe(Stream.runCollect)
    const head: Head = { headers, rows }
    return head
  })

  return {
    records,
    /** The columns and at most `rows_max` rows. The rest of the file is not read. */
    head: (source: ImportSource, key: string, rows_max: number) =>
      Effect.catchTag(read(source, key, rows_max), "BlobNotFound", () => new UploadMissing()),
  }
}
