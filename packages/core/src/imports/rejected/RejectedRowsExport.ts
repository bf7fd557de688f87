// The export of the rows that an import left out: read from the store a page at a time and told on as CSV, in memory that
// does not grow with the rows.
import { Effect, Option, Stream } from "effect"
import { encodeText } from "../../kernel/Bytes.ts"
import { byte_order_mark, csvTextInQuotes } from "../../kernel/Csv.ts"
import type { ImportRunId, WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { ImportStore } from "../ImportStore.ts"
import { rejectedRowsFileName, rejectedRowsTable } from "./RejectedRowsTable.ts"

export interface RejectedRowsExport {
  readonly fileName: string
  /** Ends before its end, by a defect, when the store does: who reads it must not take the beginning for the whole. */
  readonly bytes: Stream.Stream<Uint8Array>
}

/** Few enough that records of the largest size, which have half a megabyte, fit into memory. */
const page_rows = 250

/**
 * The rows that a run has left out by now. Their results never change once a chunk is written, so that a run which goes on
 * meanwhile, and a reader who takes long, see what there was at the beginning; nothing is held open between two pages.
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
  const total = run.counts.skipped + run.counts.failed
  const { header, row } = rejectedRowsTable({
    headers: run.headers,
    widest: total === 0 ? 0 : yield* store.widestRejected(workspace, id, through),
    formulaGuarded: session.source === "upload",
  })
  const pages = Stream.paginate({ after: 1, told: 0 }, ({ after, told }) =>
    Effect.gen(function* () {
      const rows = yield* store.rejectedRows(workspace, id, { after, through, limit: page_rows })
      const next = { after: rows.at(-1)?.rowNumber ?? through, told: told + rows.length }
      if (rows.length === 0 && told < total) return yield* Effect.die("rows of an import went while they were exported")
      return [[csvTextInQuotes(rows.map(row))], next.told < total ? Option.some(next) : Option.none()] as const
    }),
  )
  const text = Stream.concat(
    Stream.succeed(byte_order_mark + csvTextInQuotes([header])),
    total === 0 ? Stream.empty : pages,
  )
  return { fileName: rejectedRowsFileName(session.fileName), bytes: Stream.map(text, encodeText) }
})
