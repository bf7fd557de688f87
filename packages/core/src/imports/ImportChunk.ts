// A chunk of an import: the next rows of the file, decided together, and everything that one transaction writes for them.
import type { DateTime } from "effect"
import { type BatchFacts, decideUpserts, type Identities, identitiesOf } from "../contacts/batch/Batch.ts"
import type { ContactsChange } from "../contacts/ContactsChange.ts"
import type { SkipIfFilled } from "../contacts/ContactPatch.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import type { ContactId, ImportRunId, ListId } from "../kernel/Ids.ts"
import type { ImportRun, RowCounts, RowResult } from "./Import.ts"
import { pathOf, type ReadRow, rowIssues, sanitizeCell } from "./Rows.ts"
import type { Row } from "./Table.ts"

export interface ChunkRow {
  readonly row: Row
  readonly read: ReadRow
}

/** The identities in the rows, to lock before the decision. */
export const chunkIdentities = (rows: ReadonlyArray<ChunkRow>): Identities =>
  identitiesOf(rows.flatMap(({ read }) => (read._tag === "item" ? [read.item] : [])))

export type ImportChunkChange = Change<
  "import chunk",
  {
    readonly runId: ImportRunId
    /** The number of processed rows at the decision. The chunk is written only if it is still the same. */
    readonly processedBefore: number
    readonly processedAfter: number
    readonly contacts: ContactsChange
    /** Every imported contact becomes a member of each of these lists. */
    readonly members: { readonly listIds: ReadonlyArray<ListId>; readonly contactIds: ReadonlyArray<ContactId> }
    readonly results: ReadonlyArray<RowResult>
    /** What the chunk adds to the run's counters. */
    readonly counts: RowCounts
    readonly at: DateTime.Utc
  }
>

const chunkChange = changeOf("import chunk")

export const ImportChunkChange = {
  /**
   * Decides the rows after the run's processed ones, as if one after another: a row that repeats an earlier one is merged
   * into it.
   *
   * @throws when the rows do not follow the processed ones, which is a bug.
   */
  decide(
    run: ImportRun,
    headers: ReadonlyArray<string>,
    rows: ReadonlyArray<ChunkRow>,
    facts: BatchFacts,
  ): ImportChunkChange {
    for (const [index, { row }] of rows.entries()) {
      // The header is row 1.
      if (row.rowNumber !== run.processedRows + index + 2)
        throw new Error("a chunk must begin where the processed rows end")
    }
    const items = rows.flatMap(({ read }) => (read._tag === "item" ? [read.item] : []))
    const decision = decideUpserts(items, facts, {
      source: "import",
      match: "email_or_phone",
      splitIdentity: "reject",
      duplicates: run.duplicateStrategy,
      skipIfFilled: skipIfFilled(run),
    })
    const decided = decision.results[Symbol.iterator]()
    const results = rows.map(({ row, read }): RowResult => {
      if (read._tag !== "item") return resultOf(row, read._tag, { issues: read.issues })
      const next = decided.next()
      if (next.done === true) throw new Error("a decision must have a result for each of its items")
      const result = next.value
      return result.status === "rejected"
        ? resultOf(row, "failed", {
            issues: rowIssues(result.refusal.issues, row, { headers, mappings: run.mappings }),
          })
        : resultOf(row, result.status, {
            contactId: result.contact.id,
            issues: result.status === "skipped" ? [] : read.warnings,
          })
    })
    const count = (status: RowResult["status"]) => results.filter((result) => result.status === status).length
    return chunkChange({
      runId: run.id,
      processedBefore: run.processedRows,
      processedAfter: run.processedRows + rows.length,
      contacts: decision.change,
      members: {
        listIds: run.listIds,
        contactIds: [...new Set(results.flatMap(({ contactId }) => (contactId === null ? [] : [contactId])))],
      },
      results,
      counts: {
        created: count("created"),
        updated: count("updated"),
        skipped: count("skipped"),
        failed: count("failed"),
        warned: results.filter(({ status, issues }) => isImported(status) && issues.length > 0).length,
      },
      at: facts.now,
    })
  },
}

const skipIfFilled = (run: ImportRun): SkipIfFilled =>
  run.overwriteBlankOnly
    ? "all"
    : new Set(run.mappings.filter((each) => each.overwriteBehavior === "skip_if_filled").map(pathOf))

const resultOf = (
  row: Row,
  status: RowResult["status"],
  known: Partial<Pick<RowResult, "contactId" | "issues">>,
): RowResult => ({
  rowNumber: row.rowNumber,
  line: row.line,
  status,
  contactId: null,
  issues: [],
  ...known,
  record: isImported(status) && !known.issues?.length ? null : row.cells.map(sanitizeCell),
})

const isImported = (status: RowResult["status"]): boolean => status === "created" || status === "updated"
