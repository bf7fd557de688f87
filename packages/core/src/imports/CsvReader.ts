// The port to the CSV reader. It reads any usual encoding and delimiter, quoted line breaks and ragged records.
import { Context, Schema, type Stream } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"

export interface CsvRecord {
  /** The line of the file on which the record begins, from 1; null for rows of a request. */
  readonly line: number | null
  /** As many cells as the record has. */
  readonly cells: ReadonlyArray<string>
}

/** The file is not CSV, or is malformed. `reason` is a clause for users: `it is an Excel workbook`. */
export class ImportUnreadable extends refusalClass<ImportUnreadable>()("ImportUnreadable", {
  code: "import_unreadable",
  fields: { reason: Schema.String },
  message: ({ reason }) => `The file can't be read as CSV: ${reason}`,
}) {}

export class CsvReader extends Context.Service<
  CsvReader,
  {
    /**
     * The records, the header first; blank lines are skipped. Encoding and delimiter are detected from the bytes, always
     * with the same result. Memory does not grow with the file. A malformed file (an open quote, an oversized record) emits
     * the records before the fault, then fails.
     */
    readonly read: <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) => Stream.Stream<CsvRecord, E | ImportUnreadable, R>
  }
>()("tentpole/CsvReader") {}
