// Field candidates: unmapped columns as custom fields that could be created, with name and value type.
import { readBoolean, readTags } from "../../contacts/values/FieldValue.ts"
import { foldTags, splitTags } from "../../contacts/values/Tags.ts"
import type { ValueFormat } from "../../contacts/values/ValueFormat.ts"
import { reservedNames, type ValueType } from "../../contacts/ContactFields.ts"
import { active_fields_max, type CustomField } from "../../contacts/CustomField.ts"
import type { FieldDefinitionId } from "../../kernel/Ids.ts"
import { isBlank, slugify, trim } from "../../kernel/Text.ts"
import { Result } from "effect"
import { mapInSteps, type Steps } from "../../kernel/runtime/Steps.ts"
import { beginning } from "../Rows.ts"
import { isWritten, notationValuesMax, proposeFormat } from "./FormatProposals.ts"
import { headerKey } from "./HeaderSynonyms.ts"
import { type Reason, reasonOf } from "./Reasons.ts"

export interface FieldConflict {
  /**
   * `archived_existing`: an archived field has this name or label. `active_existing`: an active field has this name.
   * `reserved_name`: a standard field has it. `duplicate_in_file`: an earlier column gets the same name.
   * `field_limit_reached`: the workspace has no room for another field.
   */
  readonly kind: "archived_existing" | "active_existing" | "reserved_name" | "duplicate_in_file" | "field_limit_reached"
  readonly resolution: "restore_existing" | "map_to_existing" | "rename" | "archive_others"
  readonly existingFieldDefinitionId: FieldDefinitionId | null
  readonly existingFieldDisplayName: string | null
  /** The `api_name` that is taken or has no room. */
  readonly conflictKey: string
}

export interface FieldCandidate {
  readonly header: string
  readonly suggestedDisplayName: string
  readonly suggestedApiName: string
  readonly suggestedValueType: ValueType
  /** The notation of the values, for the mapping to the created field. */
  readonly format: ValueFormat
  readonly confidence: "low" | "medium" | "high"
  readonly sampleValues: ReadonlyArray<string>
  /** How the type was determined, and what the values leave open. */
  readonly reasons: ReadonlyArray<Reason>
  readonly conflicts: ReadonlyArray<FieldConflict>
}

const sample_values_max = 5
const name_length_max = 255
/** With this many values, one common type is hardly chance. */
const values_for_medium = 3
const values_for_high = 20

/** A name that matches `^[a-z][a-z0-9_]*$`, from the header's Latin letters and digits, else from the column's number. */
export const suggestApiName = (header: string, column: number): string => {
  const name = slugify(header, name_length_max).replaceAll("-", "_")
  if (name === "") return `column_${column}`
  return /^[a-z]/.test(name) ? name : `field_${name}`.slice(0, name_length_max)
}

/** The types besides text. `format` is the notation of the column's values, `holds` whether a value has the type in it. */
const tests: ReadonlyArray<readonly [ValueType, (text: string, format: ValueFormat) => boolean]> = [
  ["number", (text, format) => isPlainNumber(text) && isWritten("number", format, text)],
  ["boolean", (text) => Result.isSuccess(readBoolean(text, "text"))],
  ["date", (text, format) => isWritten("date", format, text)],
]

/** Leading zeros and many digits are codes, not amounts: `007`, `4915112345678901`. */
const isPlainNumber = (text: string): boolean => !/^[+-]?0\d/.test(text) && text.replace(/\D/g, "").length <= 15

/** Longer words are sentences or addresses. */
const suggested_tag_length_max = 40

/**
 * Whether most values are lists of words. Lists in quotes are, as Mailchimp writes them. Others need words that several values
 * have, and more words in some values than in others: names (`Doe, John`) and places have the same parts in each value.
 */
const areTags = (values: ReadonlyArray<string>): boolean => {
  const read = values.map((value) => foldTags(splitTags(value)))
  if (read.some((words) => words.length === 0 || words.some((word) => word.length > suggested_tag_length_max)))
    return false
  if (values.some((value) => Result.isFailure(readTags(value, "text")))) return false
  const quoted = values.filter((value) => quotedList.test(value)).length
  if (quoted * 2 > values.length) return true
  const lists = read.filter((words) => words.length > 1)
  const all = read.flat()
  return (
    lists.length * 2 > values.length &&
    new Set(all).size < all.length &&
    new Set(read.map((words) => words.length)).size > 1
  )
}

/** `"vip"` or `"vip","gold"`: only tools write words so. */
const quotedList = /^"[^"]+"(,"[^"]+")*$/

/** A day without a year has no type of its own: `01/02`, as birthdays are often written. */
const yearless = /^\d{1,2}[./-]\d{1,2}\.?$/

/** The type that all values have, else text, its notation, and the confidence in it. */
export const inferenceOf = (
  values: ReadonlyArray<string>,
  notation_values_max: number = values.length,
): Pick<FieldCandidate, "suggestedValueType" | "format" | "confidence" | "reasons"> => {
  const confidence = values.length >= values_for_high ? "high" : values.length >= values_for_medium ? "medium" : "low"
  const text = { suggestedValueType: "string", format: {}, confidence } as const
  if (values.length === 0) return { ...text, reasons: [reasonOf("values_empty")] }
  const counts = tests.map(([type, holds]) => {
    const { format, question } = proposeFormat(type, values.slice(0, notation_values_max))
    return { type, format, question, count: values.filter((value) => holds(value, format)).length }
  })
  const whole = counts.find(({ count }) => count === values.length)
  if (whole !== undefined) {
    const { format, question, type } = whole
    const reasons = [reasonOf("values_read", values.length, type), ...(question === null ? [] : [question])]
    return { suggestedValueType: type, format, confidence, reasons }
  }
  if (areTags(values)) {
    return { suggestedValueType: "tags", format: {}, confidence, reasons: [reasonOf("values_tags")] }
  }
  // Text stores all values of a column that is nearly of another type. The rest may be mistakes.
  const nearly = counts.find(({ count }) => count * 2 > values.length)
  if (nearly !== undefined) {
    const reasons = [reasonOf("values_nearly", nearly.count, values.length, nearly.type)]
    return { ...text, confidence: "low", reasons }
  }
  const open = counts.find(({ question }) => question !== null)?.question
  if (open) return { ...text, confidence: "low", reasons: [open] }
  const isYearless = values.every((value) => yearless.test(value))
  return { ...text, reasons: [reasonOf(isYearless ? "values_yearless" : "values_text")] }
}

/** One candidate for each given column, with all conflicts of its name. */
export function* fieldCandidates(
  columns: ReadonlyArray<{ readonly header: string; readonly index: number; readonly values: ReadonlyArray<string> }>,
  fields: ReadonlyArray<CustomField>,
): Steps<ReadonlyArray<FieldCandidate>> {
  const byName = new Map(fields.map((field) => [field.apiName, field]))
  const archived = fields.filter((field) => field.status === "archived")
  const archivedByLabel = new Map(archived.map((field) => [headerKey(field.displayName), field]))
  archivedByLabel.delete("")
  const suggested = new Set<string>()
  let room = active_fields_max - (fields.length - archived.length)
  return yield* mapInSteps(columns, ({ header, index, values }): FieldCandidate => {
    const filled = values.map(trim).filter((value) => !isBlank(value))
    const suggestedApiName = suggestApiName(header, index + 1)
    const existing = byName.get(suggestedApiName) ?? archivedByLabel.get(headerKey(header))
    const conflicts = [
      ...existingConflicts(suggestedApiName, existing),
      ...(suggested.has(suggestedApiName) ? [conflict("duplicate_in_file", "rename", suggestedApiName)] : []),
    ]
    // A restored field takes a place, too. A field that the column is mapped to has its place already.
    if (existing?.status !== "active" && room-- <= 0) {
      conflicts.push(conflict("field_limit_reached", "archive_others", suggestedApiName))
    }
    suggested.add(suggestedApiName)
    return {
      header,
      suggestedDisplayName: beginning(header, name_length_max),
      suggestedApiName,
      ...inferenceOf(filled, notationValuesMax(columns.length)),
      sampleValues: [...new Set(filled)].slice(0, sample_values_max),
      conflicts,
    }
  })
}

const conflict = (
  kind: FieldConflict["kind"],
  resolution: FieldConflict["resolution"],
  conflictKey: string,
  existing?: CustomField,
): FieldConflict => ({
  kind,
  resolution,
  existingFieldDefinitionId: existing?.id ?? null,
  existingFieldDisplayName: existing?.displayName ?? null,
  conflictKey,
})

const existingConflicts = (name: string, existing: CustomField | undefined): ReadonlyArray<FieldConflict> => {
  if (reservedNames.has(name)) return [conflict("reserved_name", "rename", name)]
  if (existing === undefined) return []
  return existing.status === "archived"
    ? [conflict("archived_existing", "restore_existing", existing.apiName, existing)]
    : [conflict("active_existing", "map_to_existing", existing.apiName, existing)]
}
