// A file as a table: its columns by name, its rows by number. Rows of a request are stored in the same form, as one JSON
// array a line, so that preview and run treat all sources alike.
import { Effect, Result, Schema, Stream } from "effect"
import { encodeText } from "../kernel/Bytes.ts"
import { trim } from "../kernel/Text.ts"
import { type CsvRecord, ImportUnreadable } from "./CsvReader.ts"
import { columns_max } from "./Import.ts"

/** The value of a cell in a row of a request. */
export type RowValue = string | number | boolean | null

/** The content type of stored rows of a request. */
export const rows_content_type = "application/jsonl"

export interface Row {
  /** The number of the record; the header is 1. */
  readonly rowNumber: number
  /** The line of the file on which the record begins, from 1; null for rows of a request. */
  readonly line: CsvRecord["line"]
  readonly cells: CsvRecord["cells"]
}

/** The last columns of an export of rejected rows. A re-imported file has them. */
export const outcomeColumns: ReadonlyArray<string> = ["row_number", "status", "reason"]

const endsWithOutcome = (cells: ReadonlyArray<string>): boolean =>
  outcomeColumns.every((name, index) => cells[cells.length - outcomeColumns.length + index] === name)

/** Unique names, for mappings to refer to: columns without header are named by number, repeated names are numbered. */
export const distinctNames = (cells: ReadonlyArray<string>): ReadonlyArray<string> => {
  const given = new Set(cells)
  const used = new Set<string>()
  const numbers = new Map<string, number>()
  return cells.map((cell, index) => {
    const name = cell === "" ? `Column ${index + 1}` : cell
    let unique = name
    // All lower numbers of this name are used: a thousand equal names must not be counted from the start each time.
    let number = numbers.get(name) ?? 2
    while (used.has(unique) || (unique !== cell && given.has(unique))) unique = `${name} (${number++})`
    numbers.set(name, number)
    used.add(unique)
    return unique
  })
}

/** A file's column names without those that an export of rejected rows added. */
export const ownColumns = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = names.slice(0, -outcomeColumns.length)
  const ended = distinctNames([...own, ...outcomeColumns])
  return own.length > 0 && ended.every((name, index) => name === names[index]) ? own : names
}

/**
 * Unique trimmed headers. Columns that an export of rejected rows added don't count against `columns_max`, so that such an
 * export can always be imported.
 */
export const columnNames = (header: ReadonlyArray<string>): Result.Result<ReadonlyArray<string>, ImportUnreadable> => {
  const cells = header.map((cell) => trim(cell.replaceAll("\0", "")))
  if (cells.every((cell) => cell === "")) {
    return Result.fail(new ImportUnreadable({ reason: "it has no header: the first line must name the columns" }))
  }
  const own_count = endsWithOutcome(cells) ? cells.length - outcomeColumns.length : cells.length
  if (own_count > columns_max) {
    return Result.fail(new ImportUnreadable({ reason: `it has ${own_count} columns, more than ${columns_max}` }))
  }
  return Result.succeed(distinctNames(cells))
}

/** The rows below the header, numbered from 2. */
export const rowsOf = <E, R>(records: Stream.Stream<CsvRecord, E, R>): Stream.Stream<Row, E, R> =>
  records.pipe(
    Stream.zipWithIndex,
    Stream.map(([{ line, cells }, index]): Row => ({ rowNumber: index + 1, line, cells })),
    Stream.drop(1),
  )

/** The columns of rows of a request: every key of any row, in order of first use. */
export const rowColumns = (rows: ReadonlyArray<Readonly<Record<string, RowValue>>>): ReadonlyArray<string> => [
  ...new Set(rows.flatMap((row) => Object.keys(row))),
]

const line = (cells: ReadonlyArray<string>): string => `${JSON.stringify(cells)}\n`

/** Rows of a request as a file, with a cell in each column. */
export const encodeRows = (rows: ReadonlyArray<Readonly<Record<string, RowValue>>>): Uint8Array => {
  const header = rowColumns(rows)
  const cellOf = (row: Readonly<Record<string, RowValue>>, name: string): string =>
    Object.hasOwn(row, name) ? String(row[name] ?? "") : ""
  return encodeText(line(header) + rows.map((row) => line(header.map((name) => cellOf(row, name)))).join(""))
}

const decodeLine = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Schema.String)))

/** The inverse of `encodeRows`. */
export const decodeRows = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<CsvRecord, E, R> =>
  bytes.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.mapEffect((text) => Effect.orDie(decodeLine(text))),
    Stream.map((cells): CsvRecord => ({ line: null, cells })),
  )
