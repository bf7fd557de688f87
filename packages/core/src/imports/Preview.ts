// The preview of a file: its columns with proposed mappings, candidates for fields, and issues of the first rows.
import { withoutFormulaGuard } from "../kernel/Csv.ts"
import { type ItemContext, fieldsByName } from "../contacts/batch/ContactItem.ts"
import type { CustomField } from "../contacts/CustomField.ts"
import { type FieldCandidate, fieldCandidates } from "./mapping/FieldCandidates.ts"
import type { ImportSessionId } from "../kernel/Ids.ts"
import type { RowIssue } from "./Import.ts"
import {
  identifiesContacts,
  mappingOf,
  type ProposedMapping,
  proposeMappings,
  type Targets,
  targetsOf,
} from "./mapping/Mapping.ts"
import { mapInSteps, type Steps } from "../kernel/runtime/Steps.ts"
import { rowReader, sanitizeCell } from "./Rows.ts"
import {
  type SuggestionAnswer,
  type SuggestionRequest,
  suggestionRequestOf,
  type SampledColumn,
  withSuggestions,
} from "./mapping/Suggestions.ts"
import { notationValuesMax, proposeFormat } from "./mapping/FormatProposals.ts"
import type { Row } from "./Table.ts"

/** How many rows a preview reads, whatever the size of the file: enough to infer types. */
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

export interface ImportPreview {
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

/** The columns, and at most `preview_rows_max` rows of the file. */
export interface SampledFile {
  readonly headers: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  /** Whether cells may have the `'` that exports put before formulas. */
  readonly formulaGuarded: boolean
}

export interface PreviewFacts {
  readonly fields: ReadonlyArray<CustomField>
  readonly defaultCountry: string
}

/** The result of the headers alone, and the AI request for open columns. */
export interface HeaderAnalysis {
  readonly targets: Targets
  readonly columns: ReadonlyArray<SampledColumn>
  readonly proposed: ReadonlyArray<ProposedMapping>
  readonly suggestionRequest: SuggestionRequest
}

export function* analyzeHeaders(
  { headers, rows, formulaGuarded }: SampledFile,
  facts: PreviewFacts,
): Steps<HeaderAnalysis> {
  const targets = targetsOf(facts.fields)
  const proposed = proposeMappings(headers, targets)
  const display = displayText(formulaGuarded)
  const columns = yield* mapInSteps(proposed, ({ header, targetField }, index) => ({
    header,
    values: targetField === null ? rows.map(({ cells }) => display(cells[index])) : [],
  }))
  return { targets, columns, proposed, suggestionRequest: yield* suggestionRequestOf(columns, proposed, targets) }
}

export function* previewOf(
  sessionId: ImportSessionId,
  file: SampledFile,
  facts: PreviewFacts,
  { targets, columns, proposed, suggestionRequest }: HeaderAnalysis,
  answer: SuggestionAnswer,
): Steps<ImportPreview> {
  const { headers, rows, formulaGuarded } = file
  const display = displayText(formulaGuarded)
  const types = new Map([...targets.standard, ...targets.custom].map(({ apiName, valueType }) => [apiName, valueType]))
  const suggested = withSuggestions(proposed, suggestionRequest, answer, targets)
  const proposedMappings = yield* mapInSteps(suggested, (proposal, index) => {
    const type = types.get(proposal.targetField ?? "")
    if (type === undefined) return proposal
    const { format, question } = proposeFormat(
      type,
      rows.slice(0, notationValuesMax(headers.length)).map(({ cells }) => display(cells[index])),
    )
    return { ...proposal, format, reasons: [...proposal.reasons, ...(question === null ? [] : [question])] }
  })
  const open = columns.flatMap(({ values }, index) => {
    const proposal = proposedMappings[index]
    return proposal?.targetField === null ? [{ ...proposal, index, values }] : []
  })
  return {
    sessionId,
    headers,
    proposedMappings,
    unmappedHeaders: open.map(({ header }) => header),
    availableFields: targets,
    fieldCreationCandidates: yield* fieldCandidates(
      open.filter(({ standing }) => standing !== "exported"),
      facts.fields,
    ),
    sampleRows: rows
      .slice(0, sample_rows_max)
      .map(({ cells }) => Object.fromEntries(headers.map((header, index) => [header, display(cells[index])]))),
    sampleIssues: yield* sampleIssues(file, proposedMappings, {
      fields: fieldsByName(facts.fields),
      defaultCountry: facts.defaultCountry,
    }),
    blockingIssues: identifiesContacts(proposedMappings) ? [] : [missingIdentityMapping],
  }
}

const displayText =
  (formulaGuarded: boolean) =>
  (cell: string | undefined): string => {
    const text = sanitizeCell(cell ?? "")
    return formulaGuarded ? withoutFormulaGuard(text) : text
  }

const missingIdentityMapping: BlockingIssue = {
  code: "missing_identity_mapping",
  message: "No column was recognised as email or phone. Map one of the columns to email or phone to import the file",
}

/** The issues of the sample under the proposed mappings. None when no column identifies contacts. */
function* sampleIssues(
  { headers, rows, formulaGuarded }: SampledFile,
  proposed: ReadonlyArray<ProposedMapping>,
  workspace: Pick<ItemContext, "fields" | "defaultCountry">,
): Steps<ReadonlyArray<SampleIssue>> {
  const mappings = proposed.flatMap(({ targetField, targetKind, ...rest }) =>
    targetField === null || targetKind === null ? [] : [mappingOf({ ...rest, targetField, targetKind })],
  )
  if (!identifiesContacts(mappings)) return []
  const read = rowReader({ headers, mappings, formulaGuarded, onInvalidCell: "skip_row", ...workspace })
  const issues = yield* mapInSteps(rows, (row) => {
    const result = read(row)
    return result._tag === "item" ? [] : result.issues.map((issue) => ({ ...issue, rowNumber: row.rowNumber }))
  })
  return issues.flat().slice(0, sample_issues_max)
}
