// The rejected rows of an import as a table to correct and import again: the file's columns and cells, then each row's
// number, status and reason.
import { guardCell, guardFormula } from "../../kernel/Csv.ts"
import { columns_max, type RejectedRow, type RowIssue } from "../Import.ts"
import { distinctNames, outcomeColumns, ownColumns } from "../Table.ts"

export interface RejectedRowsTable {
  readonly header: ReadonlyArray<string>
  /** One cell for each column, with guards against formulas in spreadsheets. */
  readonly row: (row: RejectedRow) => ReadonlyArray<string>
}

export interface RejectedRowsFile {
  /** The run's headers. Null: it has none, and columns are named by their numbers. */
  readonly headers: ReadonlyArray<string> | null
  /** The number of cells in the longest record. */
  readonly widest: number
  /** Whether cells may have the `'` that exports put before formulas. */
  readonly formulaGuarded: boolean
}

/**
 * No cell is lost. Cells beyond the header get columns named by their numbers; those beyond `columns_max` share the last
 * column. The outcome columns of an earlier export are replaced.
 */
export const rejectedRowsTable = ({ headers, widest, formulaGuarded }: RejectedRowsFile): RejectedRowsTable => {
  const named = headers ?? []
  const own = ownColumns(named)
  const again = own.length < named.length
  const wanted = widest > named.length ? Math.min(widest, columns_max) : own.length
  const columns_count = Math.max(own.length, wanted)
  const names = distinctNames([...own, ...Array.from({ length: columns_count - own.length }, () => "")])
  const guard = formulaGuarded ? guardCell : guardFormula

  return {
    header: [...names.map(guardFormula), ...outcomeColumns],
    row: ({ record, rowNumber, status, issues }) => {
      const cells = fitted(again ? withoutOutcome(record, named.length) : record, columns_count)
      return [...cells.map(guard), String(rowNumber), status, guardFormula(reasonOf(issues))]
    },
  }
}

const statuses: ReadonlySet<string> = new Set<RejectedRow["status"]>(["skipped", "failed"])

/**
 * An extra delimiter moves cells to the right, so the outcome of an earlier export is searched at the end of the record.
 */
const withoutOutcome = (record: ReadonlyArray<string>, columns_count: number): ReadonlyArray<string> => {
  if (record.length <= columns_count) return record.slice(0, columns_count - outcomeColumns.length)
  const [rowNumber = "", status = ""] = record.slice(-outcomeColumns.length)
  const isOutcome = /^\d+$/.test(rowNumber) && statuses.has(status)
  return isOutcome ? record.slice(0, -outcomeColumns.length) : record
}

const fitted = (cells: ReadonlyArray<string>, count: number): ReadonlyArray<string> =>
  cells.length > count
    ? [...cells.slice(0, count - 1), cells.slice(count - 1).join(",")]
    : [...cells, ...Array.from({ length: count - cells.length }, () => "")]

const header_shown_chars = 80

/** An issue is a clause about its column, or a sentence about the row. */
const sentenceOf = ({ header, message }: RowIssue): string => {
  const subject = header === null ? "The row" : header.slice(0, header_shown_chars)
  const sentence = /^\p{Lu}/u.test(message) ? message : `${subject} ${message}`
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}

/** A row without issues was skipped because the contact exists. */
const reasonOf = (issues: RejectedRow["issues"]): string =>
  issues.length === 0
    ? "A contact with this email or phone is there already, and duplicate_strategy skip leaves it as it is."
    : issues.map(sentenceOf).join(" ")

const base_name_length_max = 150

/** The file name for browsers. */
export const rejectedRowsFileName = (fileName: string | null): string => {
  const base = (fileName ?? "").replace(/\.[A-Za-z0-9]{1,5}$/, "").replace(/(-not-imported)+$/, "")
  return `${Array.from(base).slice(0, base_name_length_max).join("") || "import"}-not-imported.csv`
}
