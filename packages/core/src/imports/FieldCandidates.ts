// Columns that no field takes, as fields that could be made for them: what they would be called and hold.
import { readBoolean, readDate, readNumber } from "../contacts/FieldValue.ts"
import { reservedNames, type ValueType } from "../contacts/ContactFields.ts"
import type { CustomField } from "../contacts/CustomField.ts"
import type { FieldDefinitionId } from "../Ids.ts"
import { isBlank, slugify, trim } from "../Text.ts"
import { Result } from "effect"

export interface FieldConflict {
  /** `archived_existing`: restore it; `active_existing`: map the column to it, or choose another name. */
  readonly kind: "archived_existing" | "active_existing" | "reserved_name" | "duplicate_in_file"
  readonly resolution: "restore_existing" | "map_to_existing" | "rename"
  readonly existingFieldDefinitionId: FieldDefinitionId | null
  readonly existingFieldDisplayName: string | null
  /** The `api_name` that is taken. */
  readonly conflictKey: string
}

export interface FieldCandidate {
  readonly header: string
  readonly suggestedDisplayName: string
  readonly suggestedApiName: string
  readonly suggestedValueType: ValueType
  readonly confidence: "low" | "medium" | "high"
  readonly sampleValues: ReadonlyArray<string>
  readonly reason: string
  readonly conflicts: ReadonlyArray<FieldConflict>
}

const sample_values_max = 5
const name_length_max = 255
/** From so many values on, one type for all of them is hardly chance. */
const values_for_medium = 3
const values_for_high = 20

/** A name as `^[a-z][a-z0-9_]*$` has it: from the header's Latin letters and digits, else from the column's place. */
export const suggestApiName = (header: string, column: number): string => {
  const name = slugify(header, name_length_max).replaceAll("-", "_")
  if (name === "") return `column_${column}`
  return /^[a-z]/.test(name) ? name : `field_${name}`.slice(0, name_length_max)
}

const tests: ReadonlyArray<readonly [ValueType, (text: string) => boolean]> = [
  ["number", (text) => isPlainNumber(text) && Result.isSuccess(readNumber(text, "text"))],
  ["boolean", (text) => Result.isSuccess(readBoolean(text, "text"))],
  ["date", (text) => Result.isSuccess(readDate(text, "text"))],
]

/** Leading zeros and many digits are codes and numbers of things, not amounts: `007`, `4915112345678901`. */
const isPlainNumber = (text: string): boolean => !/^[+-]?0\d/.test(text) && text.replace(/\D/g, "").length <= 15

/** The one type that all values have; text, unless every one of them reads as another. */
export const inferValueType = (values: ReadonlyArray<string>): ValueType =>
  values.length === 0 ? "string" : (tests.find(([, holds]) => values.every(holds))?.[0] ?? "string")

const confidenceOf = (count: number): FieldCandidate["confidence"] =>
  count >= values_for_high ? "high" : count >= values_for_medium ? "medium" : "low"

const reasonOf = (count: number, type: ValueType): string => {
  if (count === 0) return "The column is empty in the sample"
  const values = count === 1 ? "The one value of the sample reads" : `All ${count} values of the sample read`
  return type === "string" ? "The values of the sample read as text" : `${values} as ${type}`
}

/** One candidate for each column given, with what stands in the way of its name. */
export const fieldCandidates = (
  columns: ReadonlyArray<{ readonly header: string; readonly index: number; readonly values: ReadonlyArray<string> }>,
  fields: ReadonlyArray<CustomField>,
): ReadonlyArray<FieldCandidate> => {
  const byName = new Map(fields.map((field) => [field.apiName, field]))
  const suggested = new Set<string>()
  return columns.map(({ header, index, values }): FieldCandidate => {
    const filled = values.map(trim).filter((value) => !isBlank(value))
    const suggestedApiName = suggestApiName(header, index + 1)
    const suggestedValueType = inferValueType(filled)
    const repeated = suggested.has(suggestedApiName)
    suggested.add(suggestedApiName)
    return {
      header,
      suggestedDisplayName: Array.from(header).slice(0, name_length_max).join(""),
      suggestedApiName,
      suggestedValueType,
      confidence: confidenceOf(filled.length),
      sampleValues: [...new Set(filled)].slice(0, sample_values_max),
      reason: reasonOf(filled.length, suggestedValueType),
      conflicts: conflictsOf(suggestedApiName, byName.get(suggestedApiName), repeated),
    }
  })
}

const conflictsOf = (
  conflictKey: string,
  existing: CustomField | undefined,
  repeated: boolean,
): ReadonlyArray<FieldConflict> => {
  const conflict = (kind: FieldConflict["kind"], resolution: FieldConflict["resolution"]): FieldConflict => ({
    kind,
    resolution,
    existingFieldDefinitionId: existing?.id ?? null,
    existingFieldDisplayName: existing?.displayName ?? null,
    conflictKey,
  })
  if (reservedNames.has(conflictKey)) return [conflict("reserved_name", "rename")]
  if (existing?.status === "archived") return [conflict("archived_existing", "restore_existing")]
  if (existing !== undefined) return [conflict("active_existing", "map_to_existing")]
  return repeated ? [conflict("duplicate_in_file", "rename")] : []
}
