// A file as a table: its columns by name, its rows by number. Rows handed in with the request are kept in the same form,
// one JSON array a line, so that preview and run need not know where they came from.
import { Effect, Result, Schema, Stream } from "effect"
import { encodeText } from "../kernel/Bytes.ts"
import { trim } from "../kernel/Text.ts"
import { type CsvRecord, ImportUnreadable } from "./CsvReader.ts"
import { columns_max } from "./Import.ts"

/** The value of a cell in a row of the request. */
export type RowValue = string | number | boolean | null

/** A file of rows as it is stored. */
export const rows_content_type = "application/jsonl"

export interface Row {
  /** Records are counted, the header is 1. */
  readonly rowNumber: number
  /** The line of the file on which the record begins, from 1; null for rows of a request. */
  readonly line: CsvRecord["line"]
  readonly cells: CsvRecord["cells"]
}

/** The last columns of an export of rows that did not go in: a file may come back with them. */
export const outcomeColumns: ReadonlyArray<string> = ["row_number", "status", "reason"]

const endsWithOutcome = (cells: ReadonlyArray<string>): boolean =>
  outcomeColumns.every((name, index) => cells[cells.length - outcomeColumns.length + index] === name)

/**
 * A name of its own for each column: one without is called by its place, and one that repeats a name gets a number, so that
 * a mapping can mean either.
 */
export const distinctNames = (cells: ReadonlyArray<string>): ReadonlyArray<string> => {
  const given = new Set(cells)
  const used = new Set<string>()
  return cells.map((cell, index) => {
    const name = cell === "" ? `Column ${index + 1}` : cell
    let unique = name
    for (let number = 2; used.has(unique) || (unique !== cell && given.has(unique)); number++) {
      unique = `${name} (${number})`
    }
    used.add(unique)
    return unique
  })
}

/** A file's columns without those that an export has added, by the names that they are given here. */
export const ownColumns = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = names.slice(0, -outcomeColumns.length)
  const ended = distinctNames([...own, ...outcomeColumns])
  return own.length > 0 && ended.every((name, index) => name === names[index]) ? own : names
}

/**
 * Names for columns: as the header has them, without white space around, each different from the others. What an export has
 * added does not count against the most that a file may have: an export can always be imported.
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

/** The columns of rows of a request: every key that any of them has, in the order they come up. */
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

/** Reads what `encodeRows` wrote. */
export const decodeRows = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<CsvRecord, E, R> =>
  bytes.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.mapEffect((text) => Effect.orDie(decodeLine(text))),
    Stream.map((cells): CsvRecord => ({ line: null, cells })),
  )
