// What the AI is asked about columns that no header match has placed, and what is made of its answer. Of the values
// nothing leaves but their shapes, and the answer counts only where it names a column that was asked about and a field that
// is there: whatever a file says to the model, it can at worst propose a wrong column, which whoever imports sees.
import type { ColumnMatch, ColumnsRequest } from "../../ports/Ai.ts"
import { trim } from "../../kernel/Text.ts"
import { claimed, noFieldHasThisName, type ProposedMapping, type Targets, unmapped } from "./Mapping.ts"
import { sanitizeCell } from "../Rows.ts"

/** How many columns are asked about in one question: the first ones. */
export const columns_asked_max = 200
const header_length_max = 100
const shapes_max = 3
const shape_length_max = 40

/** A column of the file with the values of its sample. */
export interface SampledColumn {
  readonly header: string
  readonly values: ReadonlyArray<string>
}

export interface Question {
  /** Null when there is nothing to ask. */
  readonly request: ColumnsRequest | null
  /** What a column is called in the request, by its header. */
  readonly asked: ReadonlyMap<string, string>
  /** Why an open column is not asked about, by its header. */
  readonly unasked: ReadonlyMap<string, string>
}

/** What came of the question. `silent`: a clause says why. */
export type Answer =
  | { readonly _tag: "given"; readonly matches: ReadonlyArray<ColumnMatch> }
  | { readonly _tag: "silent"; readonly reason: string }

export const noSuggestions: Answer = { _tag: "given", matches: [] }

/** Small letters as `a`, capitals as `A`, digits as `9`, what else ASCII has as it is, all else as `*`. */
export const shapeOf = (value: string): string =>
  beginning(value.slice(0, 10 * shape_length_max).replace(/\p{M}+/gu, ""), shape_length_max)
    .replace(/[\p{Ll}\p{Lm}\p{Lo}]/gu, "a")
    .replace(/[\p{Lu}\p{Lt}]/gu, "A")
    .replace(/\p{N}/gu, "9")
    .replace(/\s/g, " ")
    .replace(/[^ -~]/gu, "*")

/** The commonest shapes of a column's values, the commonest first. */
const shapesOf = (values: ReadonlyArray<string>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const value of values) {
    const shape = shapeOf(value)
    counts.set(shape, (counts.get(shape) ?? 0) + 1)
  }
  return [...counts]
    .sort(([, left], [, right]) => right - left)
    .slice(0, shapes_max)
    .map(([shape]) => shape)
}

const beginning = (text: string, length_max: number): string =>
  Array.from(text.slice(0, 2 * length_max))
    .slice(0, length_max)
    .join("")

/**
 * An address, or digits as no name of a column has them: the first line is somebody's row, and the header is missing. Every
 * row that can be imported has the one or the other.
 */
const looksLikeValue = (header: string): boolean => /\S@\S/.test(header) || header.replace(/\D/g, "").length >= 7

/** Asks about the columns that are open, and offers the fields that no column has claimed. */
export const questionOf = (
  columns: ReadonlyArray<SampledColumn>,
  proposed: ReadonlyArray<ProposedMapping>,
  targets: Targets,
): Question => {
  const open = new Set(proposed.flatMap(({ header, standing }) => (standing === "open" ? [header] : [])))
  const taken = new Set(proposed.map(({ targetField }) => targetField))
  const headless = proposed.some(({ header }) => looksLikeValue(header))
  const fields = [...targets.standard, ...targets.custom]
    .filter(({ apiName }) => !taken.has(apiName))
    .map(({ apiName, displayName, valueType }) => ({ apiName, displayName, valueType }))
  const [asked, unasked] = [new Map<string, string>(), new Map<string, string>()]
  const request = new Map<string, ReadonlyArray<string>>()
  for (const { header, values } of columns.filter((column) => open.has(column.header))) {
    const name = beginning(sanitizeCell(header), header_length_max)
    const filled = values.map(trim).filter((value) => value !== "")
    if (headless) unasked.set(header, "the first line looks like a row of values rather than a header")
    else if (filled.length === 0) unasked.set(header, "the column is empty in the sample")
    else if (request.size >= columns_asked_max) unasked.set(header, `only ${columns_asked_max} columns are asked about`)
    else if (request.has(name)) unasked.set(header, "an earlier column begins with the same words")
    else {
      asked.set(header, name)
      request.set(name, shapesOf(filled))
    }
  }
  const nothing = request.size === 0 || fields.length === 0
  if (nothing) asked.clear()
  return {
    request: nothing ? null : { columns: Array.from(request, ([header, shapes]) => ({ header, shapes })), fields },
    asked,
    unasked,
  }
}

/** What of an answer can be kept: for each column that was asked about the first known field that it names. */
export const acceptedMatches = (
  { columns }: ColumnsRequest,
  answer: ReadonlyArray<ColumnMatch>,
  targets: Targets,
): ReadonlyArray<ColumnMatch> => {
  const known = new Set([...targets.standard, ...targets.custom].map(({ apiName }) => apiName))
  const named = new Map<string, string>()
  for (const { header, targetField } of answer) {
    if (known.has(targetField) && !named.has(header)) named.set(header, targetField)
  }
  return columns.flatMap(({ header }) => {
    const targetField = named.get(header)
    return targetField === undefined ? [] : [{ header, targetField }]
  })
}

/**
 * The proposals with the answer in them. A field that a header match has claimed stays there; of two columns that the AI
 * sends to one field the earlier has it.
 */
export const withSuggestions = (
  proposed: ReadonlyArray<ProposedMapping>,
  { asked, unasked }: Question,
  answer: Answer,
  targets: Targets,
): ReadonlyArray<ProposedMapping> => {
  const standard = new Set(targets.standard.map(({ apiName }) => apiName))
  const claimedBy = new Map(proposed.map(({ targetField, header }) => [targetField, header]))
  const suggested = new Map(
    answer._tag === "silent" ? [] : answer.matches.map(({ header, targetField }) => [header, targetField]),
  )
  return proposed.map((proposal): ProposedMapping => {
    const { header, standing } = proposal
    if (standing !== "open") return proposal
    const why = unasked.get(header)
    if (why !== undefined) return unmapped(header, standing, `${noFieldHasThisName}, and the AI was not asked: ${why}`)
    if (answer._tag === "silent") return unmapped(header, standing, `${noFieldHasThisName}, and ${answer.reason}`)
    const name = asked.get(header)
    if (name === undefined) return proposal
    const targetField = suggested.get(name)
    if (targetField === undefined) return unmapped(header, standing, `${noFieldHasThisName}, and the AI suggests none`)
    const claimant = claimedBy.get(targetField)
    if (claimant !== undefined) return claimed(header, targetField, claimant)
    claimedBy.set(targetField, header)
    return {
      header,
      targetField,
      targetKind: standard.has(targetField) ? "standard" : "custom",
      reason: "The AI suggests it from the header and the shape of the values",
      source: "ai",
      overwriteBehavior: "overwrite",
      standing: "mapped",
    }
  })
}
