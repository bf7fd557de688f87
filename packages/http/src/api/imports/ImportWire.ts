// Wire schemas of contact imports.
import { type StandardField, valueTypes } from "@tentpole/core/contacts/ContactFields"
import {
  chunksOf,
  type RunView,
  type ImportSession,
  list_ids_max,
  type RowResult,
  rows_max,
} from "@tentpole/core/imports/Import"
import { suppressionReasons } from "@tentpole/core/sending/Suppression"
import type { UploadSession } from "@tentpole/core/imports/Imports"
import type { ImportPreview } from "@tentpole/core/imports/Preview"
import type { NamedRun } from "@tentpole/core/imports/ImportStore"
import type { Execution } from "@tentpole/core/imports/machine"
import type { FieldCandidate } from "@tentpole/core/imports/mapping/FieldCandidates"
import type { ProposedMapping, WantedMapping } from "@tentpole/core/imports/mapping/Mapping"
import { reasonText } from "@tentpole/core/imports/mapping/Reasons"
import { dateFormats, decimalSeparators, type ValueFormat } from "@tentpole/core/contacts/values/ValueFormat"
import { ContactId, FieldDefinitionId, ImportRunId, ImportSessionId, ListId } from "@tentpole/core/kernel/Ids"
import { Schema, Struct } from "effect"
import { InstantWire, iso, listing, oneOf, PaginationWire, Text, toCamelCase, toSnakeCase } from "../../Wire.ts"
import { FieldWire, toFieldWire } from "../contacts/ContactFieldsApi.ts"
import { ConsentWire, toConsent } from "./ImportConsentWire.ts"
import { reasonsField } from "./ReasonWire.ts"

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
  through_service: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Returns an `upload_url` of this service, even if files are stored in S3. For browsers, whose uploads a bucket refuses until it is configured for them. Default: false",
    }),
  ),
}).annotate({ identifier: "BeginUploadImport" })

export const Rows = Schema.Array(Schema.Record(Schema.String, Cell)).check(
  Schema.isMinLength(1, rowsSize),
  Schema.isMaxLength(rows_max, rowsSize),
)

const BeginRows = Schema.Struct({
  source: Schema.Literal("rows"),
  rows: Rows,
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

/** The notation of a column's values. */
const formatFields = {
  date_format: Schema.NullOr(Schema.Literals(dateFormats)).annotate({
    description: "How the column's dates are written; null: as `2026-05-01`, or not certain, which `reason` then says",
  }),
  decimal_separator: Schema.NullOr(Schema.Literals(decimalSeparators)).annotate({
    description: "Between whole and fraction of the column's numbers; null: a point and no thousands separators",
  }),
  currency_sign: textOrNull.annotate({ description: "The sign or code that the column's numbers have, such as €" }),
}

const toFormat = (format: ValueFormat) => ({
  date_format: format.dateFormat ?? null,
  decimal_separator: format.decimalSeparator ?? null,
  currency_sign: format.currencySign ?? null,
})

const ProposedMappingWire = Schema.Struct({
  header: Schema.String,
  target_field: textOrNull.annotate({ description: "The `api_name` of a field. No field is used twice" }),
  target_kind: targetKind,
  reason: Schema.String.annotate({ description: "Why the column is mapped to this field, or why it is not mapped" }),
  reasons: reasonsField,
  source: Schema.Literals(["deterministic", "ai", "none"]).annotate({
    description:
      "`deterministic`: the header matches a name of the field. `ai`: suggested from the header and the shapes of the values; the AI does not see values. `none`: not mapped",
  }),
  overwrite_behavior: overwriteBehavior,
  ...formatFields,
}).annotate({ identifier: "ProposedMapping" })

const toProposedMapping = ({ standing: _, format, ...mapping }: ProposedMapping): typeof ProposedMappingWire.Type => ({
  ...toSnakeCase(mapping),
  reason: reasonText(mapping.reasons),
  ...toFormat(format),
})

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
  ...formatFields,
  sample_values: Schema.Array(Schema.String).annotate({ description: "Up to 5 distinct values" }),
  reason: Schema.String.annotate({ description: "How the type was determined" }),
  reasons: reasonsField,
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

const toFieldCandidate = ({ conflicts, format, ...candidate }: FieldCandidate): typeof FieldCandidateWire.Type => ({
  ...toSnakeCase(candidate),
  reason: reasonText(candidate.reasons),
  ...toFormat(format),
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

const ignored = Schema.optionalKey(
  Schema.NullOr(Schema.Union([Schema.String, Schema.Finite])).annotate({
    description: "Ignored, so that `proposed_mappings` can be sent back as they are",
  }),
)

const MappingWire = Schema.Struct({
  header: Schema.optionalKey(textOrNull).annotateKey({
    description: "The column, as the preview names it. Without it every row gets `value`",
  }),
  target_field: textOrNull.annotate({ description: "The `api_name` of a field, or the id of a topic" }),
  target_kind: Schema.optionalKey(Schema.NullOr(oneOf("standard", "custom", "topic"))).annotateKey({
    description:
      "Required for a `topic`: `target_field` is then its id, and the cells are subscribed, yes, true or 1, or unsubscribed, no, false or 0. An empty cell says nothing",
  }),
  overwrite_behavior: Schema.optionalKey(oneOf("overwrite", "skip_if_filled")),
  value: Schema.optionalKey(
    Cell.annotate({ description: "The value of every row, for a field that the file has no column for" }),
  ),
  date_format: Schema.optionalKey(Schema.NullOr(oneOf(...dateFormats))),
  decimal_separator: Schema.optionalKey(Schema.NullOr(oneOf(...decimalSeparators))),
  currency_sign: Schema.optionalKey(textOrNull),
  reason: ignored,
  reasons: Schema.optionalKey(
    reasonsField.annotate({ description: "Ignored, so that `proposed_mappings` can be sent back as they are" }),
  ),
  source: ignored,
  confidence: ignored,
}).annotate({ identifier: "ImportMapping" })

export const Reason = oneOf(...suppressionReasons).annotate({
  description: "Of suppressions: the reason of rows whose columns say none. Required if the file has no such column",
})

export const Execute = Schema.Struct({
  as: Schema.optionalKey(oneOf("contacts", "suppressions")).annotateKey({
    description:
      "`contacts`, the default. `suppressions`: the addresses of the rows get no more mail, and no contact is created; only the mapping to `email` counts",
  }),
  reason: Schema.optionalKey(Reason),
  mappings: Schema.Array(MappingWire).check(Schema.isMaxLength(mappings_max, atMost(mappings_max))),
  duplicate_strategy: Schema.optionalKey(oneOf("update", "skip")),
  overwrite_blank_only: Schema.optionalKey(Schema.Boolean),
  on_invalid_cell: Schema.optionalKey(oneOf("skip_row", "skip_cell")).annotateKey({
    description:
      "`skip_row`, the default: an invalid cell rejects its row. `skip_cell`: the row is imported without the cell and counts in `warning_count`. An invalid email or phone always rejects the row",
  }),
  list_ids: Schema.optionalKey(Schema.Array(ListId).check(Schema.isMaxLength(list_ids_max, atMost(list_ids_max)))),
  created_field_definition_ids: Schema.optionalKey(
    Schema.Array(FieldDefinitionId).check(Schema.isMaxLength(mappings_max, atMost(mappings_max))),
  ),
  consent: Schema.optionalKey(ConsentWire),
}).annotate({ identifier: "ExecuteImport" })

export const toExecution = ({ consent, mappings, reason, ...body }: typeof Execute.Type): Execution => ({
  as: "contacts",
  suppressionReason: reason ?? null,
  duplicateStrategy: "update",
  overwriteBlankOnly: false,
  onInvalidCell: "skip_row",
  listIds: [],
  createdFieldDefinitionIds: [],
  ...toCamelCase(body),
  consent: consent === undefined ? null : toConsent(consent),
  mappings: mappings.map(toWantedMapping),
})

const toWantedMapping = (mapping: typeof MappingWire.Type): WantedMapping => ({
  header: mapping.header ?? null,
  targetField: mapping.target_field,
  targetKind: mapping.target_kind ?? null,
  overwriteBehavior: mapping.overwrite_behavior ?? "overwrite",
  ...(mapping.value === undefined || mapping.value === null ? {} : { value: String(mapping.value) }),
  format: {
    ...(mapping.date_format ? { dateFormat: mapping.date_format } : {}),
    ...(mapping.decimal_separator ? { decimalSeparator: mapping.decimal_separator } : {}),
    ...(mapping.currency_sign ? { currencySign: mapping.currency_sign } : {}),
  },
})

export const RunWire = Schema.Struct({
  import_run_id: ImportRunId,
  import_session_id: ImportSessionId,
  as: Schema.Literals(["contacts", "suppressions"]).annotate({ description: "What the rows become" }),
  status: Schema.Literals(["queued", "running", "completed", "failed"]),
  created_count: Schema.Int,
  updated_count: Schema.Int,
  skipped_count: Schema.Int,
  error_count: Schema.Int,
  warning_count: Schema.Int.annotate({
    description:
      "Created and updated rows that were imported without an invalid cell (`on_invalid_cell` skip_cell), or whose contact stays unsubscribed (`kept_unsubscribed`)",
  }),
  confirmations_waiting_count: Schema.Int.annotate({
    description:
      "Of an import with `consent.double_opt_in`: the contacts that wait until their confirmation mail is sent, which `confirmations_per_hour` of the workspace limits",
  }),
  total_rows: Schema.NullOr(Schema.Int).annotate({ description: "null until the file was counted" }),
  processed_rows: Schema.Int,
  chunks: Schema.Struct({ size: Schema.Int, total: Schema.NullOr(Schema.Int), completed: Schema.Int }),
  error: textOrNull,
  created_at: InstantWire,
  started_at: Schema.NullOr(InstantWire),
  completed_at: Schema.NullOr(InstantWire),
}).annotate({ identifier: "ImportRun" })

const NamedRunWire = Schema.Struct({
  ...RunWire.fields,
  file_name: textOrNull.annotate({ description: "null for rows of a request without a name" }),
}).annotate({ identifier: "NamedImportRun" })

export const RunsAnswer = listing({ runs: Schema.Array(NamedRunWire) })

export const toNamedRunWire = (run: NamedRun & RunView): typeof NamedRunWire.Type => ({
  ...toRunWire(run),
  file_name: run.fileName,
})

export const toRunWire = (run: RunView): typeof RunWire.Type => ({
  import_run_id: run.id,
  import_session_id: run.sessionId,
  ...toSnakeCase(
    Struct.pick(run, ["as", "status", "totalRows", "processedRows", "error", "createdAt", "startedAt", "completedAt"]),
  ),
  created_count: run.counts.created,
  updated_count: run.counts.updated,
  skipped_count: run.counts.skipped,
  error_count: run.counts.failed,
  warning_count: run.counts.warned,
  confirmations_waiting_count: run.confirmationsWaiting,
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
  field_issues: Schema.Array(Schema.Struct(issueFields)).annotate({
    description:
      "Why the row was rejected. Of a created or updated row: the invalid cells and the topics that were left out",
  }),
}).annotate({ identifier: "ImportRowResult" })

export const toResultWire = ({ issues, record: _, ...row }: RowResult): typeof ResultWire.Type => ({
  ...toSnakeCase(row),
  field_issues: issues.map(toSnakeCase),
})

export const ResultsAnswer = Schema.Struct({ items: Schema.Array(ResultWire), pagination: PaginationWire }).annotate({
  identifier: "ImportResults",
})
