// Mappings of columns to fields: proposals from the headers, and validation of the caller's choice.
import { Result, Struct } from "effect"
import { type ItemContext, readPatch } from "../../contacts/batch/ContactItem.ts"
import { currencySign, formatTypes, unformat, type ValueFormat } from "../../contacts/values/ValueFormat.ts"
import {
  type StandardField,
  standardFieldByName,
  standardFields,
  type ValueType,
} from "../../contacts/ContactFields.ts"
import type { CustomField } from "../../contacts/CustomField.ts"
import { Invalid, type Issue } from "../../kernel/Refusal.ts"
import { headerKey, headerSynonyms, technicalColumns } from "./HeaderSynonyms.ts"
import type { FieldKind, Mapping, OverwriteBehavior, TargetKind } from "../Import.ts"
import { statusMessage, statusOfCell, topicOf } from "../ImportConsent.ts"
import { ownColumns } from "../Table.ts"
import { type Reason, reasonOf } from "./Reasons.ts"

/** The fields that an import can write: standard fields and the workspace's active custom fields. */
export interface Targets {
  readonly standard: ReadonlyArray<StandardField>
  readonly custom: ReadonlyArray<CustomField>
}

export const targetsOf = (fields: ReadonlyArray<CustomField>): Targets => ({
  standard: standardFields.filter((field) => field.writable),
  custom: fields.filter((field) => field.status === "active"),
})

export interface ProposedMapping {
  readonly header: string
  readonly targetField: string | null
  readonly targetKind: FieldKind | null
  /** Why the column has this target or none, and what its values leave open. */
  readonly reasons: ReadonlyArray<Reason>
  readonly source: "deterministic" | "ai" | "none"
  readonly overwriteBehavior: OverwriteBehavior
  /** Set by the preview from the column's values. */
  readonly format: ValueFormat
  /**
   * `open`: no field has its name. `claimed`: another column has its field. `technical`: the tool that wrote the file uses
   * the column itself. `exported`: an export of rejected rows added the column.
   */
  readonly standing: "mapped" | "open" | "claimed" | "technical" | "exported"
}

export const unmapped = (
  header: string,
  standing: Exclude<ProposedMapping["standing"], "mapped">,
  reason: Reason,
): ProposedMapping => ({
  header,
  targetField: null,
  targetKind: null,
  reasons: [reason],
  source: "none",
  overwriteBehavior: "overwrite",
  format: {},
  standing,
})

export const claimed = (header: string, targetField: string, claimant: string): ProposedMapping =>
  unmapped(header, "claimed", reasonOf("field_claimed", claimant, targetField))

type Match = Pick<ProposedMapping, "targetField" | "targetKind" | "reasons"> & { readonly targetField: string }

/** Every name that a header can match, by its key. The first entry wins: a field's own name before a label. */
const matchesOf = ({ standard, custom }: Targets) => {
  const [names, synonyms] = [new Map<string, Match>(), new Map<string, Match>()]
  const add = (to: Map<string, Match>, name: string, match: Match) => {
    const key = headerKey(name)
    if (key !== "" && !to.has(key)) to.set(key, match)
  }
  const fields = [
    ...standard.map((field) => ({ ...field, targetKind: "standard" as const, the: "field" as const })),
    ...custom.map((field) => ({ ...field, targetKind: "custom" as const, the: "custom_field" as const })),
  ]
  for (const { apiName: targetField, targetKind, the } of fields) {
    add(names, targetField, { targetField, targetKind, reasons: [reasonOf(`${the}_name`)] })
  }
  for (const { apiName: targetField, displayName, targetKind, the } of fields) {
    add(names, displayName, { targetField, targetKind, reasons: [reasonOf(`${the}_label`)] })
  }
  for (const { apiName: targetField } of standard) {
    for (const synonym of headerSynonyms[targetField] ?? []) {
      add(synonyms, synonym, { targetField, targetKind: "standard", reasons: [reasonOf("usual_name")] })
    }
  }
  return { names, synonyms }
}

/** The field that all parts of a header name: `Company / Account`. */
const matchOfParts = (header: string, matchOf: (key: string) => Match | undefined): Match | undefined => {
  const [first, ...others] = header.split(/[/|,;()]| - |\bor\b/i).flatMap((part) => headerKey(part) || [])
  const match = first === undefined || others.length === 0 ? undefined : matchOf(first)
  return others.every((part) => matchOf(part)?.targetField === match?.targetField) ? match : undefined
}

/**
 * One proposal for each column, in order, from its header alone. Each field is proposed once, for the earliest column. The
 * columns that an export of rejected rows adds get no field.
 */
export const proposeMappings = (headers: ReadonlyArray<string>, targets: Targets): ReadonlyArray<ProposedMapping> => {
  const { names, synonyms } = matchesOf(targets)
  const technical = technicalColumns(headers)
  const own_count = ownColumns(headers).length
  const claimedBy = new Map<string, string>()
  return headers.map((header, index): ProposedMapping => {
    if (index >= own_count) return unmapped(header, "exported", reasonOf("exported_column"))
    const key = headerKey(header)
    const matchOf = (part: string) => names.get(part) ?? synonyms.get(part)
    const match =
      names.get(key) ?? (technical.has(key) ? undefined : (synonyms.get(key) ?? matchOfParts(header, matchOf)))
    if (match === undefined) {
      return technical.has(key)
        ? unmapped(header, "technical", reasonOf("technical_column"))
        : unmapped(header, "open", reasonOf("no_field"))
    }
    const claimant = claimedBy.get(match.targetField)
    if (claimant !== undefined) return claimed(header, match.targetField, claimant)
    claimedBy.set(match.targetField, header)
    return { ...match, header, source: "deterministic", overwriteBehavior: "overwrite", format: {}, standing: "mapped" }
  })
}

/** A mapping of a request. A null target leaves the column out. The kind of a field follows from its name. */
export interface WantedMapping {
  /** Null: every row gets `value`. */
  readonly header: string | null
  readonly targetField: string | null
  readonly targetKind: TargetKind | null
  readonly overwriteBehavior: OverwriteBehavior
  readonly value?: string
  readonly format?: ValueFormat
}

const identity: ReadonlySet<string> = new Set(["email", "phone"])

export const identifiesContacts = (mappings: ReadonlyArray<{ readonly targetField: string | null }>): boolean =>
  mappings.some(({ targetField }) => targetField !== null && identity.has(targetField))

const kindOf = (name: string, custom: ReadonlyMap<string, CustomField>): FieldKind | undefined => {
  if (standardFieldByName.get(name)?.writable === true) return "standard"
  return custom.get(name)?.status === "active" ? "custom" : undefined
}

const whyUnknown = (name: string, custom: ReadonlyMap<string, CustomField>): string => {
  if (standardFieldByName.has(name)) return `${name} is read-only: an import can't write it`
  if (custom.has(name)) return `the field ${name} is archived: restore it first`
  return `there is no field ${name} in this workspace: create it first, or omit the column`
}

/** The type of a field that can be written. */
const typeOf = (name: string, custom: ReadonlyMap<string, CustomField>): ValueType | undefined =>
  standardFieldByName.get(name)?.valueType ?? custom.get(name)?.valueType

/** The mappings without columns that are left out, or every issue. Topics with an id are checked elsewhere. */
export const checkMappings = (
  wanted: ReadonlyArray<WantedMapping>,
  headers: ReadonlyArray<string>,
  fields: ReadonlyArray<CustomField>,
): Result.Result<ReadonlyArray<Mapping>, Invalid> => {
  const known = new Set(headers)
  const custom = new Map(fields.map((field) => [field.apiName, field]))
  const [columns, targets] = [new Set<string>(), new Map<string, string>()]
  const issues: Array<Issue> = []
  const mappings: Array<Mapping> = []
  for (const [index, each] of wanted.entries()) {
    const { header, targetKind, value } = each
    const topic = topicOf(each)
    const targetField = topic ?? each.targetField
    const refuse = (key: string, message: string) => issues.push({ path: `mappings.${index}.${key}`, message })
    if (header === null) {
      if (value === undefined) refuse("header", "is required: a column of the file, or give a value for every row")
    } else {
      if (value !== undefined) refuse("value", "can't be given beside header: the column has the values")
      if (!known.has(header)) refuse("header", `is not a column of the file: ${header}`)
      else if (columns.has(header)) refuse("header", `occurs twice: ${header}`)
      columns.add(header)
    }
    if (targetField === null) {
      if (header === null) refuse("target_field", "is required: the field that gets the value")
      continue
    }
    const kind = targetKind === "topic" ? "topic" : kindOf(targetField, custom)
    if (kind === "topic" && topic === null) refuse("target_field", "must be the id of a topic")
    else if (kind === undefined) refuse("target_field", whyUnknown(targetField, custom))
    else if (targetKind !== null && targetKind !== kind) refuse("target_kind", `must be ${kind} for ${targetField}`)
    const claimant = targets.get(targetField)
    if (claimant !== undefined) {
      refuse("target_field", `${targetField} can be the target of one mapping only, and ${claimant} goes there already`)
    }
    targets.set(targetField, header === null ? "a value" : `"${header}"`)
    if (kind === undefined) continue
    for (const { key, message } of formatIssues(each.format ?? {}, targetField, typeOf(targetField, custom)))
      refuse(key, message)
    const mapping = mappingOf({ ...each, targetField, targetKind: kind })
    const unreadable = header === null && value !== undefined ? valueIssue(mapping, custom) : null
    if (unreadable !== null) refuse("value", unreadable)
    mappings.push(mapping)
  }
  if (!identifiesContacts(wanted)) {
    issues.push({ path: "mappings", message: "must map a column to email or phone" })
  }
  return issues.length === 0 ? Result.succeed(mappings) : Result.fail(new Invalid({ issues }))
}

type Placed = Omit<WantedMapping, "targetField" | "targetKind"> & Pick<Mapping, "targetField" | "targetKind">

/** Absent keys instead of nulls and empty formats. */
export const mappingOf = ({
  header,
  targetField,
  targetKind,
  overwriteBehavior,
  value,
  format = {},
}: Placed): Mapping => ({
  header,
  targetField,
  targetKind,
  overwriteBehavior,
  ...(value === undefined ? {} : { value }),
  ...(Object.keys(format).length === 0 ? {} : { format }),
})

/** The column that is named as an email address, as a mapping; none if no column is. */
export const emailMapping = (headers: ReadonlyArray<string>): ReadonlyArray<WantedMapping> =>
  proposeMappings(headers, targetsOf([])).filter(({ targetField }) => targetField === "email")

const formatKeys: { readonly [Part in keyof typeof formatTypes]: string } = {
  dateFormat: "date_format",
  decimalSeparator: "decimal_separator",
  currencySign: "currency_sign",
}

/** A format for fields of another type, or a currency sign that is none. */
const formatIssues = (format: ValueFormat, target: string, type: ValueType | undefined) =>
  Struct.keys(formatKeys).flatMap((part) => {
    const key = formatKeys[part]
    if (format[part] === undefined) return []
    if (type !== formatTypes[part])
      return [{ key, message: `is only for fields of type ${formatTypes[part]}: ${target} is ${type ?? "a topic"}` }]
    return part === "currencySign" && !currencySign.test(format[part])
      ? [{ key, message: "must be a currency sign or code, such as € or USD" }]
      : []
  })

/** Why no row can have the value. */
const valueIssue = (
  { targetField, targetKind, value = "", format = {} }: Mapping,
  fields: ReadonlyMap<string, CustomField>,
): string | null => {
  if (targetKind === "topic") return statusOfCell(value) === undefined ? statusMessage : null
  if (identity.has(targetField)) return `can't be the ${targetField} of every row: map a column to it`
  if (value === "") return "must not be empty: omit the mapping instead"
  const written = Object.keys(format).length === 0 ? Result.succeed(value) : unformat(format, value)
  if (Result.isFailure(written)) return written.failure
  const given = { [targetField]: written.success }
  const how: ItemContext = { values: "text", fields, defaultCountry: "", allowNotEditable: true }
  const read = readPatch(targetKind === "custom" ? { custom_fields: given } : given, how)
  return Result.isFailure(read) ? read.failure.issues.map(({ message }) => message).join("; ") : null
}
