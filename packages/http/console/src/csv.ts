// A CSV file (RFC 4180) of rows that the browser has. The service writes its own files: the console has no code of it.
import { saveFile } from "./saveFile.ts"

type Value = string | number | boolean | null | undefined | ReadonlyArray<string>

/** Text that a spreadsheet would run as a formula. A number, as of a phone, is none. */
const formula = /^'*[=+\-@\t\r](?!\d+(\.\d+)?$)/

const cellOf = (value: Value): string => {
  if (value === null || value === undefined) return '""'
  const text = typeof value === "object" ? value.join(", ") : String(value)
  return `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
}

/** Rows below a line of names. With the mark at the start, spreadsheets read the text as UTF-8. */
export const csvOf = <Column extends string>(
  columns: ReadonlyArray<Column>,
  rows: Iterable<Readonly<Partial<Record<Column, Value>>>>,
): string => {
  const records = [...rows].map((row) => columns.map((column) => cellOf(row[column])))
  return `\ufeff${[columns.map(cellOf), ...records].map((record) => `${record.join(",")}\r\n`).join("")}`
}

export const saveCsv = <Column extends string>(
  name: string,
  columns: ReadonlyArray<Column>,
  rows: Iterable<Readonly<Partial<Record<Column, Value>>>>,
): void => saveFile(name, "text/csv;charset=utf-8", csvOf(columns, rows))
