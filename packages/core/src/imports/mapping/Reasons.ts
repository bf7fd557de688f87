// Why a column has its target, or none, and why a new field has its type: codes with values, and the clauses that users read.

const one = ([first = ""]: ReadonlyArray<string>): string => first

/** Each clause begins a sentence. */
const clauses = {
  field_name: () => "The header is the field's name",
  field_label: () => "The header is the field's label",
  custom_field_name: () => "The header is the custom field's name",
  custom_field_label: () => "The header is the custom field's label",
  usual_name: () => "The header is a usual name of the field",
  /** The other column, and its field. */
  field_claimed: ([column, field]: ReadonlyArray<string>) => `The column "${column}" is already mapped to ${field}`,
  technical_column: () => "No field has this name: Mailchimp notes in it what it needs itself",
  exported_column: () =>
    "The column comes from the export of an earlier import: it says what became of the row, not who the contact is",
  no_field: () => "No field has this name",
  ai_suggestion: () => "The AI suggests it from the header and the shape of the values",
  ai_without_suggestion: () => "No field has this name, and the AI suggests none",
  ai_skipped_values: () =>
    "No field has this name, and the AI was not asked: the first line looks like a row of values rather than a header",
  ai_skipped_empty: () => "No field has this name, and the AI was not asked: the column is empty in the sample",
  /** How many columns. */
  ai_skipped_limit: (values: ReadonlyArray<string>) =>
    `No field has this name, and the AI was not asked: only ${one(values)} columns are asked about`,
  ai_skipped_same: () =>
    "No field has this name, and the AI was not asked: an earlier column begins with the same words",
  /** How many seconds. */
  ai_slow: (values: ReadonlyArray<string>) =>
    `No field has this name, and the AI did not answer within ${one(values)} seconds`,
  ai_unusable: () => "No field has this name, and the AI gave no usable answer",
  ai_unreachable: () => "No field has this name, and the AI could not be reached",
  ai_broken: () => "No field has this name, and the AI broke",
  values_empty: () => "The column is empty in the sample",
  /** How many values, and the type. */
  values_read: ([count, type]: ReadonlyArray<string>) =>
    count === "1"
      ? `The one value of the sample reads as ${type}`
      : `All ${count} values of the sample read as ${type}`,
  values_tags: () => "Most values of the sample are lists of words, which tags store as words",
  /** How many values read as a type, how many there are, and the type. */
  values_nearly: ([count, all, type]: ReadonlyArray<string>) =>
    `${count} of the ${all} values of the sample read as ${type}, the others as text only`,
  values_yearless: () => "The values of the sample are days without a year, which only text can store",
  values_text: () => "The values of the sample read as text",
  dates_mixed: () => "The dates are written in several forms: no date_format reads them all",
  /** The formats. */
  date_format_open: (values: ReadonlyArray<string>) =>
    `The dates are in the form ${values.join(" or ")}: set date_format`,
  /** The signs. */
  currencies_mixed: (values: ReadonlyArray<string>) => `The amounts are in several currencies: ${values.join(", ")}`,
  separators_mixed: () => "The numbers have different decimal separators: no decimal_separator reads them all",
  point_read: () => "The point is read as the decimal separator: if it separates thousands, set decimal_separator",
  separator_open: () => "The decimal separator is a point or a comma: set decimal_separator",
} as const

export type ReasonCode = keyof typeof clauses

export const reasonCodes = Object.keys(clauses) as ReadonlyArray<ReasonCode>

export interface Reason {
  readonly code: ReasonCode
  /** What the clause names, in the order that its entry says. */
  readonly values: ReadonlyArray<string>
}

export const reasonOf = (code: ReasonCode, ...values: ReadonlyArray<string | number>): Reason => ({
  code,
  values: values.map(String),
})

/** The reasons as one text for users. */
export const reasonText = (reasons: ReadonlyArray<Reason>): string =>
  reasons.map(({ code, values }) => clauses[code](values)).join(". ")
