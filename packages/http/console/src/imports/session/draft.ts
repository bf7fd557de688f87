// The choices of a person about a file: where each column goes, and how the rows are treated. They begin with the proposals of
// the service, and become the request that starts the run.
import type {
  AvailableField,
  ExecuteImport,
  FieldCreationCandidate,
  ImportMapping,
  ImportPreview,
} from "@tentpole/client"
import type { SenderLack } from "./sender.ts"

export type ValueType = AvailableField["value_type"]

/** A custom field that is created when the import starts. */
export interface NewField {
  readonly display_name: string
  readonly api_name: string
  readonly value_type: ValueType
}

export type Target =
  | { readonly kind: "none" }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "new"; readonly field: NewField }
  | { readonly kind: "topic"; readonly id: string; readonly name: string }

type Notation = Required<Pick<ImportMapping, "date_format" | "decimal_separator" | "currency_sign">>

export interface Column {
  readonly header: string
  readonly target: Target
  readonly notation: Notation
}

export interface Constant {
  readonly field: string | null
  readonly value: string
}

export interface ListChoice {
  readonly id: string
  readonly name: string
}

/** What the people of the file agreed to. Without topics nothing is recorded. `topics` are those of every row. */
export interface Consent {
  readonly topics: ReadonlyArray<string>
  readonly text: string
  readonly source: string
  /** The column with the time of the consent; empty: the day, or now. */
  readonly header: string
  /** Such as `2026-05-01`. */
  readonly day: string
  readonly isConfirmed: boolean
}

export interface Draft {
  readonly columns: ReadonlyArray<Column>
  readonly constants: ReadonlyArray<Constant>
  readonly as: "contacts" | "suppressions"
  readonly reason: NonNullable<ExecuteImport["reason"]> | null
  readonly lists: ReadonlyArray<ListChoice>
  readonly existing: "update" | "fill" | "skip"
  readonly invalid: "skip_row" | "skip_cell"
  readonly consent: Consent
  /** Ids of fields that were created for this import. */
  readonly created: ReadonlyArray<string>
}

export const none: Target = { kind: "none" }

export const newFieldOf = (candidate: FieldCreationCandidate): NewField => ({
  display_name: candidate.suggested_display_name,
  api_name: candidate.suggested_api_name,
  value_type: candidate.suggested_value_type,
})

export const candidateOf = ({ field_creation_candidates }: ImportPreview, header: string) =>
  field_creation_candidates.find((each) => each.header === header) ?? null

/** A column without values says nothing about a field: it is left out until the person wants it. */
const isWorthAField = ({ conflicts, sample_values }: FieldCreationCandidate): boolean =>
  conflicts.length === 0 && sample_values.length > 0

const plain: Notation = { date_format: null, decimal_separator: null, currency_sign: null }

export const draftOf = (preview: ImportPreview): Draft => ({
  columns: preview.proposed_mappings.map((proposed): Column => {
    const { currency_sign, date_format, decimal_separator, header, target_field } = proposed
    if (target_field !== null) {
      const notation = { currency_sign, date_format, decimal_separator }
      return { header, target: { kind: "field", name: target_field }, notation }
    }
    const candidate = candidateOf(preview, header)
    if (candidate === null) return { header, target: none, notation: plain }
    const { currency_sign: sign, date_format: date, decimal_separator: decimal } = candidate
    return {
      header,
      target: isWorthAField(candidate) ? { kind: "new", field: newFieldOf(candidate) } : none,
      notation: { currency_sign: sign, date_format: date, decimal_separator: decimal },
    }
  }),
  constants: [],
  as: "contacts",
  reason: null,
  lists: [],
  existing: "update",
  invalid: "skip_row",
  consent: { topics: [], text: "", source: "", header: "", day: "", isConfirmed: false },
  created: [],
})

/** Fields by their `api_name`. */
export const fieldsOf = ({ available_fields }: ImportPreview): ReadonlyMap<string, AvailableField> =>
  new Map([...available_fields.standard, ...available_fields.custom].map((field) => [field.api_name, field]))

/** The `api_name` of the field that a column or constant goes to, or the id of the topic; null for none. */
export const nameOf = (target: Target): string | null => {
  switch (target.kind) {
    case "none":
      return null
    case "field":
      return target.name
    case "new":
      return target.field.api_name
    case "topic":
      return target.id
  }
}

/** The type of the field that a column goes to, which decides about its notation. */
export const typeOf = (target: Target, fields: ReadonlyMap<string, AvailableField>): ValueType | null => {
  if (target.kind === "new") return target.field.value_type
  return target.kind === "field" ? (fields.get(target.name)?.value_type ?? null) : null
}

/** Of suppressions only the addresses count. */
const isUsed = ({ as }: Draft, name: string | null): name is string =>
  name !== null && (as === "contacts" || name === "email")

export const usedColumns = (draft: Draft): ReadonlyArray<Column> =>
  draft.columns.filter(({ target }) => isUsed(draft, nameOf(target)))

/** Whether a column goes elsewhere than the service proposed: the issues of the sample say nothing about it. */
export const changesTargets = (draft: Draft, preview: ImportPreview): boolean => {
  const proposed = new Map(draftOf(preview).columns.map(({ header, target }) => [header, nameOf(target)]))
  return usedColumns(draft).some(({ header, target }) => proposed.get(header) !== nameOf(target))
}

export const newFields = (draft: Draft): ReadonlyArray<NewField> =>
  usedColumns(draft).flatMap(({ target }) => (target.kind === "new" ? [target.field] : []))

export type Problem = "no_identity" | "no_email" | "twice" | "api_name" | "constant" | "consent" | SenderLack

const api_name = /^[a-z][a-z0-9_]*$/

/** Why a column can't go where the person put it; null if it can. */
export const columnProblem = (draft: Draft, { header, target }: Column): "twice" | "api_name" | null => {
  const name = nameOf(target)
  if (!isUsed(draft, name)) return null
  if (target.kind === "new" && (!api_name.test(target.field.api_name) || target.field.display_name.trim() === "")) {
    return "api_name"
  }
  const others = usedColumns(draft).filter((other) => other.header !== header && nameOf(other.target) === name)
  return others.length > 0 || draft.constants.some(({ field }) => field === name) ? "twice" : null
}

/** The topics for which a column says who is subscribed. */
export const topicsOfColumns = (draft: Draft): ReadonlySet<string> =>
  new Set(usedColumns(draft).flatMap(({ target }) => (target.kind === "topic" ? [target.id] : [])))

/** Whether people of the file are subscribed to topics: all of them, or as a column says. */
export const namesTopics = (draft: Draft): boolean =>
  draft.as === "contacts" && (draft.consent.topics.length > 0 || topicsOfColumns(draft).size > 0)

const lacksConsent = (draft: Draft): boolean =>
  namesTopics(draft) && (draft.consent.text.trim() === "" || draft.consent.source.trim() === "")

/** Whether people of the file get a mail that asks them to confirm. */
export const asksPeople = (draft: Draft): boolean => namesTopics(draft) && draft.consent.isConfirmed

/** What has to be mended before the import can start. `lack`: what the workspace needs to send confirmation mails. */
export const problemsOf = (draft: Draft, lack: SenderLack | null = null): ReadonlyArray<Problem> => {
  const names = new Set(draft.columns.map(({ target }) => nameOf(target)))
  const isIdentified = names.has("email") || (draft.as === "contacts" && names.has("phone"))
  return [
    ...(isIdentified ? [] : [draft.as === "contacts" ? ("no_identity" as const) : ("no_email" as const)]),
    ...new Set(draft.columns.flatMap((column) => columnProblem(draft, column) ?? [])),
    ...(draft.constants.some(({ field, value }) => field === null || value.trim() === "") ? ["constant" as const] : []),
    ...(lacksConsent(draft) ? ["consent" as const] : []),
    ...(lack !== null && asksPeople(draft) ? [lack] : []),
  ]
}

const mappingOf = (
  { header, notation, target }: Column,
  fields: ReadonlyMap<string, AvailableField>,
): ImportMapping => {
  const type = typeOf(target, fields)
  const { currency_sign, date_format, decimal_separator } = notation
  return {
    header,
    target_field: nameOf(target),
    ...(target.kind === "topic" ? { target_kind: "topic" } : {}),
    ...(type === "date" && date_format !== null ? { date_format } : {}),
    ...(type === "number" && decimal_separator !== null ? { decimal_separator } : {}),
    ...(type === "number" && currency_sign !== null && currency_sign !== "" ? { currency_sign } : {}),
  }
}

const consentOf = (draft: Draft): Pick<ExecuteImport, "consent"> => {
  if (!namesTopics(draft)) return {}
  const { day, header, isConfirmed, source, text } = draft.consent
  const mapped = topicsOfColumns(draft)
  const topics = draft.consent.topics.filter((id) => !mapped.has(id))
  const ids = topics.length === 0 ? {} : { topic_ids: topics }
  const at =
    header !== "" ? { collected_at_header: header } : day === "" ? {} : { collected_at: `${day}T00:00:00.000Z` }
  return { consent: { ...ids, text: text.trim(), source: source.trim(), double_opt_in: isConfirmed, ...at } }
}

/** The request that starts the run. Its mappings are in the order of `usedColumns`, then the constants. */
export const executionOf = (draft: Draft, fields: ReadonlyMap<string, AvailableField>): ExecuteImport => {
  const columns = usedColumns(draft).map((column) => mappingOf(column, fields))
  if (draft.as === "suppressions") {
    return { as: "suppressions", mappings: columns, ...(draft.reason === null ? {} : { reason: draft.reason }) }
  }
  const constants = draft.constants.flatMap(({ field, value }) =>
    field === null ? [] : [{ header: null, target_field: field, value: value.trim() }],
  )
  return {
    mappings: [...columns, ...constants],
    duplicate_strategy: draft.existing === "skip" ? "skip" : "update",
    overwrite_blank_only: draft.existing === "fill",
    on_invalid_cell: draft.invalid,
    list_ids: draft.lists.map(({ id }) => id),
    created_field_definition_ids: draft.created,
    ...consentOf(draft),
  }
}

/** The header of the column that an issue of the request is about, such as `mappings.2.target_field`; null for others. */
export const headerOfIssue = (draft: Draft, path: string): string | null => {
  const index = /^mappings\.(\d+)(\.|$)/.exec(path)?.[1]
  return index === undefined ? null : (usedColumns(draft)[Number(index)]?.header ?? null)
}

/** The new fields exist now: their columns go to them. */
export const withCreated = (draft: Draft, created: ReadonlyArray<AvailableField | CreatedField>): Draft => {
  const names = new Set(created.map(({ api_name: name }) => name))
  return {
    ...draft,
    columns: draft.columns.map((column) =>
      column.target.kind === "new" && names.has(column.target.field.api_name)
        ? { ...column, target: { kind: "field", name: column.target.field.api_name } }
        : column,
    ),
    created: [...draft.created, ...created.map(({ field_definition_id }) => field_definition_id)],
  }
}

interface CreatedField {
  readonly api_name: string
  readonly field_definition_id: string
}

export const toStored = (draft: Draft): string => JSON.stringify(draft)

/** A stored draft of the same columns; otherwise the proposals, as what was asked for. */
export const fromStored = (text: string | null, preview: ImportPreview, as: Draft["as"] = "contacts"): Draft => {
  const proposed = { ...draftOf(preview), as }
  if (text === null) return proposed
  try {
    const stored = JSON.parse(text) as Draft
    const headers = stored.columns.map(({ header }) => header)
    return JSON.stringify(headers) === JSON.stringify(preview.headers) ? { ...proposed, ...stored } : proposed
  } catch {
    return proposed
  }
}
