// The notation of a column's dates or numbers, found by reading all of its sampled values in each notation.
import { Result } from "effect"
import type { ValueType } from "../../contacts/ContactFields.ts"
import { type Read, readDate, readNumber } from "../../contacts/values/FieldValue.ts"
import { dateFormats, decimalSeparators, unformat, type ValueFormat } from "../../contacts/values/ValueFormat.ts"
import { trim } from "../../kernel/Text.ts"
import { type Reason, reasonOf } from "./Reasons.ts"

export interface FormatProposal {
  /** Empty: the service's own notation, or none is certain. */
  readonly format: ValueFormat
  /** What the user has to decide; null when the notation is certain. */
  readonly question: Reason | null
}

/** How many values of each column are read in every notation: all of the sample, fewer in files with many columns. */
export const notationValuesMax = (columns_count: number): number => Math.max(20, Math.floor(20_000 / columns_count))

const own: FormatProposal = { format: {}, question: null }

/**
 * The one notation in which every value can be read that can be read in any. Values that are no dates or numbers at all do
 * not count. Two such notations (`01/02/2020`), or none, are a question for the user.
 */
export const proposeFormat = (type: ValueType, values: ReadonlyArray<string>): FormatProposal => {
  if (type === "date") return proposeDates(values)
  return type === "number" ? proposeNumbers(values) : own
}

/** Whether the value has the type in this notation. */
export const isWritten = (type: "date" | "number", format: ValueFormat, value: string): boolean =>
  readIn(type, format, value) !== null

const readIn = (type: "date" | "number", format: ValueFormat, value: string): string | number | null => {
  const text = Object.keys(format).length === 0 ? value : Result.getOrElse(unformat(format, value), () => null)
  if (text === null) return null
  const read: Read<string | number> = type === "date" ? readDate(text, "text") : readNumber(text, "text")
  return Result.getOrElse(read, () => null)
}

/** The formats that read every value which any of them reads, with the values; empty if the values contradict each other. */
const winners = (
  type: "date" | "number",
  formats: ReadonlyArray<ValueFormat>,
  values: ReadonlyArray<string>,
): { readonly some: boolean; readonly all: ReadonlyArray<{ format: ValueFormat; read: ReadonlyArray<unknown> }> } => {
  const readings = formats.map((format) => ({ format, read: values.map((value) => readIn(type, format, value)) }))
  const readable = values.flatMap((_, index) => (readings.some(({ read }) => read[index] !== null) ? [index] : []))
  return {
    some: readable.length > 0,
    all: readings.filter(({ read }) => readable.every((index) => read[index] !== null)),
  }
}

/** A cell that may be a date in one of the notations. Without a year (`01/02`) it is not. */
const datelike = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?!\d)/

const proposeDates = (values: ReadonlyArray<string>): FormatProposal => {
  const dates = values.filter((value) => datelike.test(trim(value)))
  const separators = new Set(dates.map((value) => /[./-]/.exec(value)?.[0] ?? ""))
  const formats = dateFormats.filter((format) => [...separators].some((separator) => format.includes(separator)))
  const { all, some } = winners("date", [{}, ...formats.map((dateFormat) => ({ dateFormat }))], dates)
  const [best, ...others] = all
  if (!some || (best !== undefined && best.format.dateFormat === undefined)) return own
  if (best !== undefined && others.length === 0) return { format: best.format, question: null }
  const choices = all.flatMap(({ format }) => format.dateFormat ?? [])
  return {
    format: {},
    question: best === undefined ? reasonOf("dates_mixed") : reasonOf("date_format_open", ...choices),
  }
}

/** The signs or codes before or behind the digits of a number. */
const signsOf = (value: string): string | null => {
  const text = trim(value)
  if (text.length > 60) return null
  const word =
    /^[+-]?\s?([\p{L}\p{Sc}]{1,4})\s?[+-]?\d/u.exec(text)?.[1] ?? /\d\s?([\p{L}\p{Sc}]{1,4})$/u.exec(text)?.[1]
  return word !== undefined && (/\p{Sc}/u.test(word) || currencyWords.has(word)) ? word : null
}

/** Other words beside digits may be units or parts of codes: `5 km`, `SKU 77`. */
const currencyWords: ReadonlySet<string> = new Set(
  (
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EUR GBP HKD HUF IDR ILS INR JPY KRW MXN MYR NOK NZD PHP PLN RON RSD " +
    "SAR SEK SGD THB TRY TWD UAH USD VND ZAR Fr kr Kč zł Ft"
  ).split(" "),
)

const proposeNumbers = (values: ReadonlyArray<string>): FormatProposal => {
  const signs = [...new Set(values.flatMap((value) => signsOf(value) ?? []))]
  if (signs.length > 1) return { format: {}, question: reasonOf("currencies_mixed", ...signs.slice(0, 5)) }
  const sign = signs[0] === undefined ? {} : { currencySign: signs[0] }
  const separated = decimalSeparators.map((decimalSeparator) => ({ ...sign, decimalSeparator }))
  const { all, some } = winners("number", [sign, ...separated], values)
  const [best, ...others] = all
  if (!some) return own
  if (best === undefined) return { format: {}, question: reasonOf("separators_mixed") }
  const isSame = others.every(({ read }) => read.every((value, index) => value === best.read[index]))
  if (best.format.decimalSeparator === undefined)
    return { format: sign, question: isSame ? null : reasonOf("point_read") }
  if (others.length === 0) return { format: best.format, question: null }
  return { format: sign, question: reasonOf("separator_open") }
}
