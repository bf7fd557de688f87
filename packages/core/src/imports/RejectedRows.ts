// The export of an import's rejected rows, and of rows that were imported without an invalid cell: a table to correct and to import
// again, with the columns and cells of the file, then the number, status and reason of each row. It is read in pages and streamed as
// CSV, in constant memory.
import { Effect, Option, Stream } from "effect"
import { encodeText } from "../kernel/Bytes.ts"
import { byte_order_mark, csvTextInQuotes, guardCell, guardFormula } from "../kernel/Csv.ts"
import type { ImportRunId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import { columns_max, type RejectedRow, type RowIssue, type RowStatus } from "./Import.ts"
import type { ImportStore } from "./ImportStore.ts"
import { beginning } from "./Rows.ts"
import { distinctNames, outcomeColumns, ownColumns } from "./Table.ts"

export interface RejectedRowsExport {
  readonly fileName: string
  /** Dies when the store fails, so that a reader does not mistake a part for the whole. */
  readonly bytes: Stream.Stream<Uint8Array>
}

/** Small enough for memory: the largest records have half a megabyte. */
const page_rows = 250

/**
 * The rows that a run has rejected so far. Results never change once a chunk is written, so a slow reader of a running
 * import sees one consistent state. No transaction is open between two pages.
 */
export const rejectedRowsExport = Effect.fnUntraced(function* (
  store: ImportStore["Service"],
  workspace: WorkspaceId,
  id: ImportRunId,
): Effect.fn.Return<RejectedRowsExport, NotFound> {
  const run = yield* store.getRun(workspace, id)
  const session = yield* store.getSession(workspace, run.sessionId)
  // The header is row 1.
  const through = run.processedRows + 1
  const total = run.counts.skipped + run.counts.failed + run.counts.warned
  const { header, row } = rejectedRowsTable({
    headers: run.headers,
    widest: total === 0 ? 0 : yield* store.widestRejected(workspace, id, through),
    formulaGuarded: session.source === "upload",
  })
  const pages = Stream.paginate({ after: 1, emitted: 0 }, ({ after, emitted }) =>
    Effect.gen(function* () {
      const rows = yield* store.rejectedRows(workspace, id, { after, through, limit: page_rows })
      const next = { after: rows.at(-1)?.rowNumber ?? through, emitted: emitted + rows.length }
      if (rows.length === 0 && emitted < total)
        return yield* Effect.die("rows of an import were deleted while they were exported")
      return [[csvTextInQuotes(rows.map(row))], next.emitted < total ? Option.some(next) : Option.none()] as const
    }),
  )
  const text = Stream.concat(
    Stream.succeed(byte_order_mark + csvTextInQuotes([header])),
    total === 0 ? Stream.empty : pages,
  )
  return { fileName: rejectedRowsFileName(session.fileName), bytes: Stream.map(text, encodeText) }
})

/**
 * No cell is lost. Cells beyond the header get columns named by their numbers; those beyond `columns_max` share the last
 * column. The outcome columns of an earlier export are replaced.
 */
export const rejectedRowsTable = ({
  headers,
  widest,
  formulaGuarded,
}: {
  /** The run's headers. Null: it has none, and columns are named by their numbers. */
  readonly headers: ReadonlyArray<string> | null
  /** The number of cells in the longest record. */
  readonly widest: number
  /** Whether cells may have the `'` that exports put before formulas. */
  readonly formulaGuarded: boolean
}) => {
  const named = headers ?? []
  const own = ownColumns(named)
  const again = own.length < named.length
  const wanted = widest > named.length ? Math.min(widest, columns_max) : own.length
  const columns_count = Math.max(own.length, wanted)
  const names = distinctNames([...own, ...Array.from({ length: columns_count - own.length }, () => "")])
  const guard = formulaGuarded ? guardCell : guardFormula

  return {
    header: [...names.map(guardFormula), ...outcomeColumns],
    /** One cell for each column, with guards against formulas in spreadsheets. */
    row: ({ record, rowNumber, status, issues }: RejectedRow): ReadonlyArray<string> => {
      const cells = fitted(again ? withoutOutcome(record, named.length) : record, columns_count)
      return [...cells.map(guard), String(rowNumber), status, guardFormula(reasonOf(status, issues))]
    },
  }
}

const statuses: ReadonlySet<string> = new Set<RowStatus>(["created", "updated", "skipped", "failed"])

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
const reasonOf = (status: RowStatus, issues: RejectedRow["issues"]): string => {
  if (issues.length === 0)
    return "A contact with this email or phone is there already, and duplicate_strategy skip leaves it as it is."
  const isImported = status === "created" || status === "updated"
  const isWhole = issues.every(({ code }) => code === "kept_unsubscribed")
  const imported = isWhole ? "The row was imported." : "The row was imported without the invalid cells."
  return [...(isImported ? [imported] : []), ...issues.map(sentenceOf)].join(" ")
}

const base_name_length_max = 150
const suffix = "-not-imported"

/** The file name for browsers. */
export const rejectedRowsFileName = (fileName: string | null): string => {
  let base = (fileName ?? "").replace(/\.[A-Za-z0-9]{1,5}$/, "")
  while (base.endsWith(suffix)) base = base.slice(0, -suffix.length)
  return `${beginning(base, base_name_length_max) || "import"}${suffix}.csv`
}
