// The export of an import's rejected rows: read from the store in pages and streamed as CSV, in constant memory.
import { Effect, Option, Stream } from "effect"
import { encodeText } from "../../kernel/Bytes.ts"
import { byte_order_mark, csvTextInQuotes } from "../../kernel/Csv.ts"
import type { ImportRunId, WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { ImportStore } from "../ImportStore.ts"
import { rejectedRowsFileName, rejectedRowsTable } from "./RejectedRowsTable.ts"

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
  const total = run.counts.skipped + run.counts.failed
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
