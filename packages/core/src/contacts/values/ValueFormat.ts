// Notations of values in files of other tools (`17.05.1990`, `€ 1.234,50`), and their conversion to the service's own.
import { Result } from "effect"
import { trim } from "../../kernel/Text.ts"
import type { ValueType } from "../ContactFields.ts"
import { readDate } from "./FieldValue.ts"

/** The order of day, month and year, and what separates them. Days and months may have one digit. */
export const dateFormats = [
  "DD.MM.YYYY",
  "DD/MM/YYYY",
  "DD-MM-YYYY",
  "MM/DD/YYYY",
  "MM-DD-YYYY",
  "MM.DD.YYYY",
  "YYYY/MM/DD",
  "YYYY.MM.DD",
  "YYYY-MM-DD",
] as const
export type DateFormat = (typeof dateFormats)[number]

export const decimalSeparators = [".", ","] as const
export type DecimalSeparator = (typeof decimalSeparators)[number]

/** A currency sign or code that numbers may have: `€`, `US$`, `CHF`. */
export const currencySign = /^[\p{L}\p{Sc}]{1,4}$/u

export interface ValueFormat {
  readonly dateFormat?: DateFormat
  /** Thousands may be separated by the other one, by a space or by an apostrophe. */
  readonly decimalSeparator?: DecimalSeparator
  readonly currencySign?: string
}

/** The type of the fields that a part of a format is for. */
export const formatTypes = {
  dateFormat: "date",
  decimalSeparator: "number",
  currencySign: "number",
} as const satisfies { readonly [Part in keyof Required<ValueFormat>]: ValueType }

/** Longer cells are neither dates nor numbers. */
const cell_length_max = 60

/** The cell in the service's notation, or what it must be. */
export const unformat = (format: ValueFormat, cell: string): Result.Result<string, string> => {
  const text = trim(cell)
  if (text === "") return Result.succeed(text)
  const { dateFormat } = format
  if (dateFormat !== undefined) {
    const written = text.length > cell_length_max ? null : (isoOf(dateFormat, text) ?? text)
    const isDate = written !== null && Result.isSuccess(readDate(written, "text"))
    return isDate ? Result.succeed(written) : Result.fail(`must be a date in the form ${dateFormat}`)
  }
  const number = text.length > cell_length_max ? null : plainNumber(format, text)
  return number === null ? Result.fail(`must be a number, as ${numberExample(format)}`) : Result.succeed(number)
}

const numberExample = ({ decimalSeparator = ".", currencySign: sign }: ValueFormat): string =>
  `${decimalSeparator === "," ? "1.234,50" : "1,234.50"}${sign === undefined ? "" : ` ${sign}`}`

/** `17.05.1990` or `17.05.1990 14:30` as ISO 8601, whose day may not exist; null for text of another form. */
const isoOf = (format: DateFormat, text: string): string | null => {
  const separator = format.startsWith("YYYY") ? format.charAt(4) : format.charAt(2)
  const end = text.indexOf(" ")
  const [day, time] = end < 0 ? [text, ""] : [text.slice(0, end), trim(text.slice(end))]
  const parts = day.split(separator)
  const places = format.split(separator)
  if (parts.length !== places.length || (time !== "" && !timeOfDay.test(time))) return null
  const part = (name: string, digits: RegExp): string | null => {
    const found = parts[places.indexOf(name)] ?? ""
    return digits.test(found) ? found.padStart(2, "0") : null
  }
  const [year, month, date] = [part("YYYY", yearDigits), part("MM", dayDigits), part("DD", dayDigits)]
  if (year === null || month === null || date === null) return null
  return `${year}-${month}-${date}${time === "" ? "" : ` ${time.indexOf(":") === 1 ? "0" : ""}${time}`}`
}

const yearDigits = /^\d{4}$/
const dayDigits = /^\d{1,2}$/
const timeOfDay = /^\d{1,2}:\d{2}(:\d{2})?$/

/** `-€ 1.234,50` as `-1234.50`; null for text of another form. */
const plainNumber = ({ decimalSeparator, currencySign: currency }: ValueFormat, text: string): string | null => {
  const outer = withoutSign(text)
  const inner = withoutSign(currency === undefined ? outer.text : withoutCurrency(outer.text, currency))
  if (outer.sign !== "" && inner.sign !== "") return null
  const sign = outer.sign + inner.sign
  if (decimalSeparator === undefined) return decimal.test(inner.text) ? sign + inner.text : null
  const [whole = "", fraction = "", ...more] = inner.text.split(decimalSeparator)
  const digits = whole === "" && fraction !== "" ? "0" : ungrouped(whole, decimalSeparator)
  if (more.length > 0 || digits === null || !anyDigits.test(fraction)) return null
  return `${sign}${digits}${fraction === "" ? "" : `.${fraction}`}`
}

const decimal = /^(\d+(\.\d*)?|\.\d+)$/
const anyDigits = /^\d*$/

const withoutSign = (text: string) => {
  const first = text.charAt(0)
  if (first !== "-" && first !== "+" && first !== "\u2212") return { sign: "", text }
  return { sign: first === "+" ? "" : "-", text: trim(text.slice(1)) }
}

const withoutCurrency = (text: string, currency: string): string => {
  if (text.startsWith(currency)) return trim(text.slice(currency.length))
  return text.endsWith(currency) ? trim(text.slice(0, -currency.length)) : text
}

/** The digits of `1.234.567`. Every group but the first has three digits, and one number has one kind of separator. */
const ungrouped = (whole: string, decimalSeparator: DecimalSeparator): string | null => {
  const [separator] = /\D/.exec(whole) ?? []
  if (separator === undefined) return whole === "" ? null : whole
  if (separator === decimalSeparator || !groupSeparators.has(separator)) return null
  const [first = "", ...groups] = whole.split(separator)
  return /^\d{1,3}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group)) ? first + groups.join("") : null
}

const groupSeparators: ReadonlySet<string> = new Set([".", ",", "'", "’", " ", "\u00a0", "\u202f"])
