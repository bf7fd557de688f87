// What a file looks like before it is imported: its columns, where they would go, and what is wrong with the first rows.
import { withoutFormulaGuard } from "../Csv.ts"
import { type ItemReading, fieldsByName } from "../contacts/Item.ts"
import type { CustomField } from "../contacts/CustomField.ts"
import { type FieldCandidate, fieldCandidates } from "./FieldCandidates.ts"
import type { ImportSessionId } from "../Ids.ts"
import type { Mapping, RowIssue } from "./Import.ts"
import { namesSomebody, type ProposedMapping, proposeMappings, type Targets, targetsOf } from "./Mapping.ts"
import { rowReader, storable } from "./Rows.ts"
import type { Row } from "./Table.ts"

/** How many rows are read for a preview: enough to infer types from, whatever the size of the file. */
export const preview_rows_max = 200
const sample_rows_max = 10
const sample_issues_max = 50

export interface SampleIssue extends RowIssue {
  readonly rowNumber: number
}

export interface BlockingIssue {
  readonly code: "missing_identity_mapping"
  readonly message: string
}

export interface Preview {
  readonly sessionId: ImportSessionId
  readonly headers: ReadonlyArray<string>
  readonly proposedMappings: ReadonlyArray<ProposedMapping>
  readonly unmappedHeaders: ReadonlyArray<string>
  readonly availableFields: Targets
  readonly fieldCreationCandidates: ReadonlyArray<FieldCandidate>
  /** Cells by header. */
  readonly sampleRows: ReadonlyArray<Readonly<Record<string, string>>>
  readonly sampleIssues: ReadonlyArray<SampleIssue>
  readonly blockingIssues: ReadonlyArray<BlockingIssue>
}

export const previewOf = (
  sessionId: ImportSessionId,
  /** The columns, and the first rows of the file, at most `preview_rows_max`. */
  table: {
    readonly headers: ReadonlyArray<string>
    readonly rows: ReadonlyArray<Row>
    readonly formulaGuarded: boolean
  },
  workspace: { readonly fields: ReadonlyArray<CustomField>; readonly defaultCountry: string },
): Preview => {
  const { headers, rows, formulaGuarded } = table
  const targets = targetsOf(workspace.fields)
  const proposedMappings = proposeMappings(headers, targets)
  const shown = (cell: string | undefined): string => {
    const text = storable(cell ?? "")
    return formulaGuarded ? withoutFormulaGuard(text) : text
  }
  const unmapped = proposedMappings.flatMap(({ header, targetField }, index) =>
    targetField === null ? [{ header, index, values: rows.map(({ cells }) => shown(cells[index])) }] : [],
  )
  return {
    sessionId,
    headers,
    proposedMappings,
    unmappedHeaders: unmapped.map(({ header }) => header),
    availableFields: targets,
    fieldCreationCandidates: fieldCandidates(unmapped, workspace.fields),
    sampleRows: rows
      .slice(0, sample_rows_max)
      .map(({ cells }) => Object.fromEntries(headers.map((header, index) => [header, shown(cells[index])]))),
    sampleIssues: sampleIssues(table, proposedMappings, {
      fields: fieldsByName(workspace.fields),
      defaultCountry: workspace.defaultCountry,
    }),
    blockingIssues: namesSomebody(proposedMappings) ? [] : [missingIdentityMapping],
  }
}

const missingIdentityMapping: BlockingIssue = {
  code: "missing_identity_mapping",
  message: "No column was recognised as email or phone. Map one of the columns to email or phone to import the file",
}

/** What the rows would be refused for if the proposals were taken as they are; nothing while nobody can be known. */
const sampleIssues = (
  { headers, rows, formulaGuarded }: Parameters<typeof previewOf>[1],
  proposed: ReadonlyArray<ProposedMapping>,
  workspace: Pick<ItemReading, "fields" | "defaultCountry">,
): ReadonlyArray<SampleIssue> => {
  const mappings = proposed.flatMap(({ header, targetField, targetKind, overwriteBehavior }): ReadonlyArray<Mapping> =>
    targetField === null || targetKind === null ? [] : [{ header, targetField, targetKind, overwriteBehavior }],
  )
  if (!namesSomebody(mappings)) return []
  const read = rowReader({ headers, mappings, formulaGuarded, ...workspace })
  return rows
    .flatMap((row) => {
      const result = read(row)
      return result._tag === "item" ? [] : result.issues.map((issue) => ({ ...issue, rowNumber: row.rowNumber }))
    })
    .slice(0, sample_issues_max)
}
