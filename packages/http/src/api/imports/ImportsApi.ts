// The endpoints of contact imports, and their schemas.
import { type StandardField, valueTypes } from "@tentpole/core/contacts/ContactFields"
import {
  chunksOf,
  type ImportRun,
  type ImportSession,
  list_ids_max,
  type RowResult,
  rows_max,
} from "@tentpole/core/imports/Import"
import { results_limit_max } from "@tentpole/core/imports/ImportStore"
import type { UploadSession } from "@tentpole/core/imports/Imports"
import type { ImportPreview } from "@tentpole/core/imports/Preview"
import type { Execution } from "@tentpole/core/imports/machine"
import type { FieldCandidate } from "@tentpole/core/imports/mapping/FieldCandidates"
import type { ProposedMapping } from "@tentpole/core/imports/mapping/Mapping"
import { ContactId, FieldDefinitionId, ImportRunId, ImportSessionId, ListId } from "@tentpole/core/kernel/Ids"
import { Schema, Struct } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import {
  InstantWire,
  iso,
  limitParameter,
  oneOf,
  pageParameter,
  PaginationWire,
  Text,
  toCamelCase,
  toSnakeCase,
} from "../../Wire.ts"
import { FieldWire, toFieldWire } from "../contacts/ContactFieldsApi.ts"

const textOrNull = Schema.NullOr(Schema.String)

const contentType = Schema.String.check(
  Schema.isPattern(/^[\w.+-]{1,100}\/[\w.+-]{1,100}(; ?[\w-]{1,50}="?[\w.+-]{1,50}"?)?$/, {
    message: "must be a media type, such as text/csv",
  }),
)

const Cell = Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null]).annotate({
  message: "must be a string, a number, true, false or null",
})

const rowsSize = { message: `must have 1 to ${rows_max} rows` }

const BeginUpload = Schema.Struct({
  source: Schema.Literal("upload"),
  file_name: Text(255, 1),
  content_type: Schema.optionalKey(contentType),
}).annotate({ identifier: "BeginUploadImport" })

const BeginRows = Schema.Struct({
  source: Schema.Literal("rows"),
  rows: Schema.Array(Schema.Record(Schema.String, Cell)).check(
    Schema.isMinLength(1, rowsSize),
    Schema.isMaxLength(rows_max, rowsSize),
  ),
  file_name: Schema.optionalKey(Text(255, 1)),
}).annotate({ identifier: "BeginRowsImport", description: "The keys of the rows are the headers of the columns" })

export const BeginImport = Schema.Union([BeginUpload, BeginRows]).annotate({
  identifier: "BeginImport",
  message: "must be an object with source upload or rows",
})

export const SessionWire = Schema.Struct({
  import_session_id: ImportSessionId,
  upload_url: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Upload the file here with PUT, without an API key. Valid for an hour. At most 500 MB, unless configured otherwise",
    }),
  ),
  expires_at: InstantWire,
}).annotate({ identifier: "ImportSession" })

export const toSessionWire = (session: ImportSession): typeof SessionWire.Type => ({
  import_session_id: session.id,
  expires_at: iso(session.expiresAt),
})

export const toUploadWire = ({ session, uploadUrl }: UploadSession): typeof SessionWire.Type => ({
  ...toSessionWire(session),
  upload_url: uploadUrl,
})

const targetKind = Schema.NullOr(Schema.Literals(["standard", "custom"]))
const overwriteBehavior = Schema.Literals(["overwrite", "skip_if_filled"])

const ProposedMappingWire = Schema.Struct({
  header: Schema.String,
  target_field: textOrNull.annotate({ description: "The `api_name` of a field. No field is used twice" }),
  target_kind: targetKind,
  reason: Schema.String.annotate({ description: "Why the column is mapped to this field, or why it is not mapped" }),
  source: Schema.Literals(["deterministic", "ai", "none"]).annotate({
    description:
      "`deterministic`: the header matches a name of the field. `ai`: suggested from the header and the shapes of the values; the AI does not see values. `none`: not mapped",
  }),
  overwrite_behavior: overwriteBehavior,
}).annotate({ identifier: "ProposedMapping" })

const toProposedMapping = ({ standing: _, ...mapping }: ProposedMapping): typeof ProposedMappingWire.Type =>
  toSnakeCase(mapping)

/** Standard fields have no provenance and no times. */
const AvailableFieldWire = Schema.Struct({
  ...FieldWire.fields,
  management_mode: textOrNull,
  provenance_kind: textOrNull,
  created_at: Schema.NullOr(InstantWire),
  updated_at: Schema.NullOr(InstantWire),
}).annotate({ identifier: "AvailableField" })

const toStandardField = (field: StandardField): typeof AvailableFieldWire.Type => ({
  field_definition_id: field.fieldDefinitionId,
  type: "standard",
  api_name: field.apiName,
  display_name: field.displayName,
  value_type: field.valueType,
  is_editable: field.writable,
  description: null,
  status: "active",
  management_mode: null,
  provenance_kind: null,
  provenance_provider: null,
  provenance_reference: null,
  created_by_user_id: null,
  created_from_import_session_id: null,
  show_in_people_list_default: false,
  created_at: null,
  updated_at: null,
})

const FieldCandidateWire = Schema.Struct({
  header: Schema.String,
  suggested_display_name: Schema.String,
  suggested_api_name: Schema.String,
  suggested_value_type: Schema.Literals(valueTypes),
  confidence: Schema.Literals(["low", "medium", "high"]).annotate({
    description:
      "Confidence in the type: `high` from 20 values, `medium` from 3, otherwise `low`. Also `low` for text that mostly looks like another type",
  }),
  sample_values: Schema.Array(Schema.String).annotate({ description: "Up to 5 distinct values" }),
  reason: Schema.String.annotate({ description: "How the type was determined" }),
  conflicts: Schema.Array(
    Schema.Struct({
      kind: Schema.Literals([
        "archived_existing",
        "active_existing",
        "reserved_name",
        "duplicate_in_file",
        "field_limit_reached",
      ]).annotate({ description: "Why a field of this name can't be created" }),
      resolution: Schema.Literals(["restore_existing", "map_to_existing", "rename", "archive_others"]),
      existing_field_definition_id: Schema.NullOr(FieldDefinitionId),
      existing_field_display_name: textOrNull,
      conflict_key: Schema.String.annotate({ description: "The `api_name` that is taken or over the limit" }),
    }),
  ),
}).annotate({ identifier: "FieldCreationCandidate" })

const toFieldCandidate = ({ conflicts, ...candidate }: FieldCandidate): typeof FieldCandidateWire.Type => ({
  ...toSnakeCase(candidate),
  conflicts: conflicts.map(toSnakeCase),
})

const issueFields = {
  header: textOrNull,
  target_field: textOrNull,
  code: Schema.String,
  message: Schema.String,
  value: textOrNull,
}

export const PreviewWire = Schema.Struct({
  import_session_id: ImportSessionId,
  headers: Schema.Array(Schema.String),
  proposed_mappings: Schema.Array(ProposedMappingWire).annotate({
    description: "One for each column, in the order of the file",
  }),
  unmapped_headers: Schema.Array(Schema.String),
  available_fields: Schema.Struct({
    standard: Schema.Array(AvailableFieldWire),
    custom: Schema.Array(AvailableFieldWire),
  }),
  field_creation_candidates: Schema.Array(FieldCandidateWire).annotate({
    description:
      "A custom field for each unmapped column, except the columns `row_number`, `status` and `reason` of an export of rejected rows",
  }),
  sample_rows: Schema.Array(Schema.Record(Schema.String, Schema.String)).annotate({ description: "Cells by header" }),
  sample_issues: Schema.Array(Schema.Struct({ row_number: Schema.Int, ...issueFields })),
  blocking_issues: Schema.Array(
    Schema.Struct({ code: Schema.Literal("missing_identity_mapping"), message: Schema.String }),
  ),
}).annotate({ identifier: "ImportPreview" })

export const toPreviewWire = ({ sessionId, availableFields, ...preview }: ImportPreview): typeof PreviewWire.Type => ({
  import_session_id: sessionId,
  ...toSnakeCase(preview),
  proposed_mappings: preview.proposedMappings.map(toProposedMapping),
  available_fields: {
    standard: availableFields.standard.map(toStandardField),
    custom: availableFields.custom.map(toFieldWire),
  },
  field_creation_candidates: preview.fieldCreationCandidates.map(toFieldCandidate),
  sample_issues: preview.sampleIssues.map(toSnakeCase),
})

const mappings_max = 2000
const atMost = (count: number) => ({ message: `must have at most ${count} items` })

const MappingWire = Schema.Struct({
  header: Schema.String,
  target_field: Schema.NullOr(Schema.String),
  target_kind: Schema.optionalKey(Schema.NullOr(oneOf("standard", "custom"))),
  overwrite_behavior: Schema.optionalKey(oneOf("overwrite", "skip_if_filled")),
}).annotate({ identifier: "ImportMapping" })

export const Execute = Schema.Struct({
  mappings: Schema.Array(MappingWire).check(Schema.isMaxLength(mappings_max, atMost(mappings_max))),
  duplicate_strategy: Schema.optionalKey(oneOf("update", "skip")),
  overwrite_blank_only: Schema.optionalKey(Schema.Boolean),
  list_ids: Schema.optionalKey(Schema.Array(ListId).check(Schema.isMaxLength(list_ids_max, atMost(list_ids_max)))),
  created_field_definition_ids: Schema.optionalKey(
    Schema.Array(FieldDefinitionId).check(Schema.isMaxLength(mappings_max, atMost(mappings_max))),
  ),
}).annotate({ identifier: "ExecuteImport" })

export const toExecution = ({ mappings, ...body }: typeof Execute.Type): Execution => ({
  duplicateStrategy: "update",
  overwriteBlankOnly: false,
  listIds: [],
  createdFieldDefinitionIds: [],
  ...toCamelCase(body),
  mappings: mappings.map((mapping) => ({ targetKind: null, overwriteBehavior: "overwrite", ...toCamelCase(mapping) })),
})

export const RunWire = Schema.Struct({
  import_run_id: ImportRunId,
  import_session_id: ImportSessionId,
  status: Schema.Literals(["queued", "running", "completed", "failed"]),
  created_count: Schema.Int,
  updated_count: Schema.Int,
  skipped_count: Schema.Int,
  error_count: Schema.Int,
  total_rows: Schema.NullOr(Schema.Int).annotate({ description: "null until the file was counted" }),
  processed_rows: Schema.Int,
  chunks: Schema.Struct({ size: Schema.Int, total: Schema.NullOr(Schema.Int), completed: Schema.Int }),
  error: textOrNull,
  created_at: InstantWire,
  started_at: Schema.NullOr(InstantWire),
  completed_at: Schema.NullOr(InstantWire),
}).annotate({ identifier: "ImportRun" })

export const toRunWire = (run: ImportRun): typeof RunWire.Type => ({
  import_run_id: run.id,
  import_session_id: run.sessionId,
  ...toSnakeCase(
    Struct.pick(run, ["status", "totalRows", "processedRows", "error", "createdAt", "startedAt", "completedAt"]),
  ),
  created_count: run.counts.created,
  updated_count: run.counts.updated,
  skipped_count: run.counts.skipped,
  error_count: run.counts.failed,
  chunks: chunksOf(run),
})

export const ResultWire = Schema.Struct({
  row_number: Schema.Int.annotate({ description: "Number of the record; the header is 1" }),
  line: Schema.NullOr(Schema.Int).annotate({
    description:
      "Line of the file where the row starts, from 1. Greater than `row_number` after cells with line breaks and empty lines. null if unknown, and for rows of the request",
  }),
  status: Schema.Literals(["created", "updated", "skipped", "failed"]),
  contact_id: Schema.NullOr(ContactId),
  field_issues: Schema.Array(Schema.Struct(issueFields)),
}).annotate({ identifier: "ImportRowResult" })

export const toResultWire = ({ issues, record: _, ...row }: RowResult): typeof ResultWire.Type => ({
  ...toSnakeCase(row),
  field_issues: issues.map(toSnakeCase),
})

const ResultsQuery = Schema.Struct({
  status: Schema.optionalKey(oneOf("created", "updated", "skipped", "failed")),
  page: pageParameter,
  limit: limitParameter(results_limit_max),
})

export const ResultsAnswer = Schema.Struct({ items: Schema.Array(ResultWire), pagination: PaginationWire }).annotate({
  identifier: "ImportResults",
})

const KeptRowsAnswer = HttpApiSchema.WithHeaders(
  HttpApiSchema.StreamUint8Array({ contentType: "text/csv; charset=utf-8" }),
  { "content-disposition": Schema.String },
)

export const ImportsApi = Endpoint.group("imports", "Imports of contacts from CSV files or rows.").add(
  Endpoint.post("begin", "/v1/contacts/imports", {
    summary: "Start an import",
    description:
      "Creates an import session. Upload the file to `upload_url` with PUT, or send up to 1,000 rows in the body. A session expires after 24 hours and can be executed once.",
    payload: BeginImport,
    success: SessionWire.pipe(HttpApiSchema.status(201)),
    errors: ["validation_failed", "payload_too_large", "unavailable"],
  }),
  Endpoint.post("preview", "/v1/contacts/imports/:session_id/preview", {
    summary: "Preview an import",
    description:
      "Parses the columns and the first 200 rows and proposes a target field for each column. Headers are matched with field names first. The AI suggests targets for the remaining columns: it sees headers and the shapes of values, never values. Its suggestions are stored with the session. If the AI does not answer within 10 seconds, the affected columns say so in `reason`, and the next preview tries again.",
    success: PreviewWire,
    errors: ["not_found", "upload_missing", "import_unreadable", "payload_too_large", "unavailable"],
  }),
  Endpoint.post("execute", "/v1/contacts/imports/:session_id/execute", {
    summary: "Execute an import",
    description:
      "Starts the import with these mappings and returns the run. A session can be executed once. Poll `GET /v1/contacts/imports/{import_run_id}` for progress. A run that is interrupted continues where it stopped.",
    payload: Execute,
    success: RunWire.pipe(HttpApiSchema.status(202)),
    errors: [
      "validation_failed",
      "not_found",
      "invalid_state",
      "upload_missing",
      "import_unreadable",
      "payload_too_large",
      "unavailable",
    ],
  }),
  Endpoint.get("find", "/v1/contacts/imports/:import_run_id", {
    summary: "Get an import run",
    description: "Returns the progress and the counts of the run.",
    success: RunWire,
  }),
  Endpoint.get("results", "/v1/contacts/imports/:import_run_id/results", {
    summary: "List an import's results",
    description:
      "Returns the outcome of each row in the order of the file. While the run is in progress, it returns the rows that are done. An installation may delete the results of old imports: `items` is then empty, and the totals stay.",
    query: ResultsQuery,
    success: ResultsAnswer,
  }),
  Endpoint.get("exportKept", "/v1/contacts/imports/:import_run_id/export", {
    summary: "Export rejected rows",
    description:
      "Returns the skipped and failed rows as CSV (UTF-8 with byte order mark): the columns of the file, then row_number, status and reason. While the run is in progress, it returns the rows so far. Corrected, the file can be imported again: an import removes the apostrophe before formulas. If the response is cut off, request it again. If the results were deleted because of their age, the file has no rows.",
    success: KeptRowsAnswer,
  }),
)
