// The port to whoever reads CSV as people have it: any usual encoding and delimiter, quoted line breaks, ragged records.
import { Context, Schema, type Stream } from "effect"
import type { ErrorCode } from "../kernel/ErrorCode.ts"

export interface CsvRecord {
  /** The line of the file on which the record begins, from 1; null for what is no file. */
  readonly line: number | null
  /** As many as the record has. */
  readonly cells: ReadonlyArray<string>
}

/** No CSV at all, or one that can't be read on. `reason` is a clause for people: `it is an Excel workbook`. */
export class ImportUnreadable extends Schema.TaggedError<ImportUnreadable>()("ImportUnreadable", {
  reason: Schema.String,
}) {
  readonly code = "import_unreadable" satisfies ErrorCode
  override get message(): string {
    return `The file can't be read as CSV: ${this.reason}`
  }
}

export class CsvReader extends Context.Service<
  CsvReader,
  {
    /**
     * The records, the header first; lines without anything on them are none. Encoding and delimiter are found out from
     * the bytes, always the same for the same bytes. Memory does not grow with the file. Of a file that breaks off (an
     * open quote, a record of a size that no person writes) the records before are emitted, then it fails.
     */
    readonly read: <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) => Stream.Stream<CsvRecord, E | ImportUnreadable, R>
  }
>()("tentpole/CsvReader") {}
