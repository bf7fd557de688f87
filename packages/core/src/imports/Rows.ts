// Conversion of a file's row to an item of a contact batch, with issues reported by column.
import { type DateTime, Result } from "effect"
import { withoutFormulaGuard } from "../kernel/Csv.ts"
import { unformat } from "../contacts/values/ValueFormat.ts"
import { type ItemIssue, type ItemContext, readItem, type ReadItem } from "../contacts/batch/ContactItem.ts"
import { trim } from "../kernel/Text.ts"
import type { InvalidCellPolicy, Mapping, RowIssue, RowIssueCode } from "./Import.ts"
import { readCollectedAt, type RowConsent, statusMessage, statusOfCell, topicOf } from "./ImportConsent.ts"
import { ownColumns, type Row } from "./Table.ts"

export interface RowReading {
  /** The file's columns in order. */
  readonly headers: ReadonlyArray<string>
  readonly mappings: ReadonlyArray<Mapping>
  readonly fields: ItemContext["fields"]
  readonly defaultCountry: string
  /** Whether cells may have the `'` that exports put before formulas. */
  readonly formulaGuarded: boolean
  readonly onInvalidCell: InvalidCellPolicy
  /** The column that says when a person agreed, if any, and the time that it can't be later than. */
  readonly collectedAt?: { readonly header: string; readonly now: DateTime.Utc }
}

/** An item to decide, without the cells of its warnings, or the outcome of a row that has none. */
export type ReadRow =
  | {
      readonly _tag: "item"
      readonly item: ReadItem
      readonly consent: RowConsent
      readonly warnings: ReadonlyArray<RowIssue>
    }
  | { readonly _tag: "skipped" | "failed"; readonly issues: ReadonlyArray<RowIssue> }

export const rowReader = (reading: RowReading): ((row: Row) => ReadRow) => {
  const places = new Map(reading.headers.map((header, index) => [header, index]))
  const placed = reading.mappings.flatMap((mapping): ReadonlyArray<Column> => {
    const place = mapping.header === null ? null : places.get(mapping.header)
    return place === undefined ? [] : [{ ...mapping, place }]
  })
  const columns = placed.filter(({ targetKind }) => targetKind !== "topic")
  const readConsent = consentReader(reading, placed)
  const how: ItemContext = {
    values: "text",
    fields: reading.fields,
    defaultCountry: reading.defaultCountry,
    allowNotEditable: true,
  }
  const clean = cleaner(reading)

  const expected = reading.headers.length
  const own_count = ownColumns(reading.headers).length
  /** A re-imported export adds a number and a reason to an empty row. */
  const isEmpty = (cells: Row["cells"]): boolean =>
    cells.every((cell, place) => (place >= own_count && place < expected) || clean(cell) === "")

  const cellOf = ({ place, value = "" }: Column, cells: Row["cells"]): string =>
    place === null ? value : clean(cells[place] ?? "")
  const identity_count = columns.filter(isIdentity).length

  /** The item of these cells, and the issues of all cells that are not part of it. */
  const readCells = (values: ReadonlyArray<{ readonly column: Column; readonly text: string }>, row: Row) => {
    const [standard, custom] = [new Map<string, string>(), new Map<string, string>()]
    const issues: Array<RowIssue> = []
    for (const { column, text } of values) {
      const written = column.format === undefined ? Result.succeed(text) : unformat(column.format, text)
      const into = column.targetKind === "standard" ? standard : custom
      if (Result.isSuccess(written)) into.set(column.targetField, written.success)
      else issues.push(issueOf(valueCode(column), written.failure, column, text))
    }
    const item = readItem({ ...Object.fromEntries(standard), custom_fields: Object.fromEntries(custom) }, how)
    if (Result.isFailure(item.patch)) issues.push(...rowIssues(item.patch.failure.issues, row, reading))
    return { item, issues }
  }

  return (row) => {
    const { cells } = row
    if (isEmpty(cells)) return { _tag: "skipped", issues: [issueOf("empty_row", "The row is empty")] }
    if (cells.length !== expected) return { _tag: "failed", issues: [wrongColumnCount(cells.length, expected)] }
    const values = columns.map((column) => ({ column, text: cellOf(column, cells) }))
    if (!values.some(({ column, text }) => isIdentity(column) && text !== "")) {
      const issue = issueOf("missing_identity", "The row has neither an email nor a phone", columns.find(isIdentity))
      return { _tag: "failed", issues: [issue] }
    }
    const { consent, issues: unread } = readConsent(cells)
    const first = readCells(values, row)
    const found = [...first.issues, ...unread]
    if (first.issues.length === 0 && (found.length === 0 || reading.onInvalidCell === "skip_cell"))
      return { _tag: "item", item: first.item, consent, warnings: found }
    const wrong = new Set(first.issues.map(({ targetField }) => targetField))
    const rest = values.filter(({ column }) => !wrong.has(column.targetField))
    const isOptional =
      reading.onInvalidCell === "skip_cell" && rest.filter(({ column }) => isIdentity(column)).length === identity_count
    const { item, issues } = isOptional ? readCells(rest, row) : first
    return issues.length === 0 && isOptional
      ? { _tag: "item", item, consent, warnings: found }
      : { _tag: "failed", issues: found }
  }
}

const cleaner =
  ({ formulaGuarded }: Pick<RowReading, "formulaGuarded">) =>
  (cell: string): string =>
    trim(formulaGuarded ? withoutFormulaGuard(cell) : cell)

/** What the cells of topics say, and the issues of the others. */
const consentReader = (reading: RowReading, columns: ReadonlyArray<Column>) => {
  const clean = cleaner(reading)
  const { collectedAt, headers } = reading
  const topics = columns.flatMap((column) => {
    const topicId = topicOf(column)
    return topicId === null ? [] : [{ column, topicId }]
  })
  const place = collectedAt === undefined ? -1 : headers.indexOf(collectedAt.header)
  return (cells: Row["cells"]): { readonly consent: RowConsent; readonly issues: ReadonlyArray<RowIssue> } => {
    const issues: Array<RowIssue> = []
    const choices = topics.flatMap(({ column, topicId }): RowConsent["choices"] => {
      const text = column.place === null ? (column.value ?? "") : clean(cells[column.place] ?? "")
      const status = statusOfCell(text)
      if (status !== undefined) return [{ topicId, status, column }]
      if (text !== "") issues.push(issueOf("invalid_topic_status", statusMessage, column, text))
      return []
    })
    if (collectedAt === undefined || place < 0) return { consent: { choices, collectedAt: null }, issues }
    const text = clean(cells[place] ?? "")
    const read = readCollectedAt(text, collectedAt.now)
    if (Result.isSuccess(read)) return { consent: { choices, collectedAt: read.success }, issues }
    issues.push(issueOf("invalid_value", read.failure, { header: collectedAt.header, targetField: null }, text))
    return { consent: { choices, collectedAt: null }, issues }
  }
}

/** A mapping and its place in a row; null: a constant value. */
type Column = Mapping & { readonly place: number | null }

const isIdentity = ({ targetField }: Pick<Mapping, "targetField">): boolean =>
  targetField === "email" || targetField === "phone"

/** A field's path in an item: custom fields are under `custom_fields`. */
export const pathOf = ({ targetField, targetKind }: Pick<Mapping, "targetField" | "targetKind">): string =>
  targetKind === "custom" ? `custom_fields.${targetField}` : targetField

const value_length_max = 255

/** An issue of a row, or of its column. Long values are cut, because they are only shown. */
export const issueOf = (
  code: RowIssueCode,
  message: string,
  column?: { readonly header: string | null; readonly targetField: string | null },
  value?: string,
): RowIssue => ({
  header: column?.header ?? null,
  targetField: column?.targetField ?? null,
  code,
  message,
  value: value === undefined ? null : beginning(sanitizeCell(value), value_length_max),
})

/** The issues of an item's refusal, each at its column. */
export const rowIssues = (
  issues: ReadonlyArray<Pick<ItemIssue, "code" | "message" | "path">>,
  { cells }: Row,
  { headers, mappings }: Pick<RowReading, "headers" | "mappings">,
): ReadonlyArray<RowIssue> =>
  issues.map(({ code, message, path }) => {
    const column = mappings.find((mapping) => pathOf(mapping) === path)
    const cell = column?.header == null ? column?.value : cells[headers.indexOf(column.header)]
    return issueOf(codes[code], message, column, cell)
  })

/** The first characters of a text, none of them cut. */
export const beginning = (text: string, length_max: number): string =>
  Array.from(text.slice(0, length_max * 2))
    .slice(0, length_max)
    .join("")

const codes: Readonly<Record<ItemIssue["code"], RowIssueCode>> = {
  INVALID_ITEM: "invalid_value",
  NOT_FOUND: "invalid_value",
  conflict: "conflict",
  invalid_email: "invalid_email",
  invalid_phone: "invalid_phone",
  unknown_custom_field: "unknown_custom_field",
  invalid_custom_field_value: "invalid_custom_field_value",
  field_not_editable: "invalid_value",
}

const valueCode = ({ targetKind }: Mapping): RowIssueCode =>
  targetKind === "custom" ? "invalid_custom_field_value" : "invalid_value"

/** Text that every store accepts: NUL and lone surrogates are replaced. */
export const sanitizeCell = (text: string): string => text.replace(/\0|\p{Cs}/gu, "\ufffd")

export const wrongColumnCount = (count: number, expected: number): RowIssue =>
  issueOf(
    "wrong_column_count",
    `The row has ${count} cell${count === 1 ? "" : "s"} and the header ${expected}. A delimiter or a quote may be missing`,
  )
