// Decoding of contact field values: strict from JSON, parsed from text. Imports and forms have text only.
import { DateTime, Option, Result } from "effect"
import { charactersIn, fold, trim } from "../../kernel/Text.ts"
import type { CustomValue, Tags } from "../Contact.ts"
import type { ValueType } from "../ContactFields.ts"
import { splitTags } from "./Tags.ts"

/** `json`: a value must have its type. `text`: every value is text, as in a CSV cell or a form. */
export type ValueSource = "json" | "text"

/** The value (null: no value), or the text of an issue: what it must be. */
export type Read<Value> = Result.Result<Value | null, string>

export const custom_text_length_max = 10_000

export const readValue = (type: ValueType, value: unknown, from: ValueSource): Read<CustomValue> => {
  switch (type) {
    case "string":
      return readText(value, custom_text_length_max)
    case "number":
      return readNumber(value, from)
    case "boolean":
      return readBoolean(value, from)
    case "date":
      return readDate(value, from)
    case "tags":
      return readTags(value, from)
  }
}

/** Empty text is no value. Lengths count code points, not UTF-16 units. */
export const readText = (value: unknown, length_max: number): Read<string> => {
  if (value === null || value === "") return Result.succeed(null)
  if (typeof value !== "string") return Result.fail("must be text")
  // First, because the other checks read the whole text.
  if (value.length > length_max && charactersIn(value) > length_max) {
    return Result.fail(`must have at most ${length_max} characters, got ${charactersIn(value)}`)
  }
  if (unstorable.test(value)) return Result.fail("must have neither NUL characters nor halves of surrogate pairs")
  return Result.succeed(value)
}

/** PostgreSQL text can't contain NUL or lone surrogates. */
const unstorable = /\0|\p{Cs}/u

export const tags_max = 100
export const tag_length_max = 100

/** Words in an array, or text with commas or semicolons. Of words that fold to the same text, the first one stays. */
export const readTags = (value: unknown, from: ValueSource): Read<Tags> => {
  if (value === null) return Result.succeed(null)
  const words: unknown = from === "text" && typeof value === "string" ? splitTags(value) : value
  if (!Array.isArray(words)) return Result.fail('must be an array of words, as ["vip", "gold"]')
  const byFolded = new Map<string, string>()
  for (const each of words) {
    const word = readText(each, tag_length_max)
    if (Result.isFailure(word)) return Result.fail(`must be words: each ${word.failure}`)
    const trimmed = trim(word.success ?? "")
    if (trimmed === "") return Result.fail("must have no empty words")
    const folded = fold(trimmed)
    if (!byFolded.has(folded)) byFolded.set(folded, trimmed)
    if (byFolded.size > tags_max) return Result.fail(`must have at most ${tags_max} words`)
  }
  return Result.succeed(byFolded.size === 0 ? null : [...byFolded.values()])
}

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

export const readNumber = (value: unknown, from: ValueSource): Read<number> => {
  if (value === null) return Result.succeed(null)
  const number = from === "text" && typeof value === "string" && decimal.test(trim(value)) ? Number(trim(value)) : value
  if (typeof number !== "number" || !Number.isFinite(number)) {
    return Result.fail(from === "json" ? "must be a number" : "must be a number, such as 12.5")
  }
  // `+ 0` turns -0 into 0: JSON and stores disagree about -0.
  return Result.succeed(number + 0)
}

const trueWords: ReadonlySet<string> = new Set(["true", "yes", "y", "t", "1", "on"])
const falseWords: ReadonlySet<string> = new Set(["false", "no", "n", "f", "0", "off"])

export const readBoolean = (value: unknown, from: ValueSource): Read<boolean> => {
  if (value === null || typeof value === "boolean") return Result.succeed(value)
  const word = from === "text" && typeof value === "string" ? trim(value).toLowerCase() : ""
  if (trueWords.has(word)) return Result.succeed(true)
  if (falseWords.has(word)) return Result.succeed(false)
  return Result.fail(from === "json" ? "must be true or false" : "must be true or false, yes or no")
}

/**
 * A day (`2026-05-01`) or a timestamp. Timestamps become UTC with milliseconds (`2026-05-01T12:30:00.000Z`), so that their
 * text order is their order in time. Text may omit the zone (UTC) and have a space in place of the `T`.
 */
export const readDate = (value: unknown, from: ValueSource): Read<string> => {
  if (value === null) return Result.succeed(null)
  const text = typeof value === "string" ? (from === "text" ? trim(value) : value) : ""
  const canonical = dayPattern.test(text) ? calendarDay(text) : timestamp(text, from)
  return canonical === null
    ? Result.fail("must be a day (2026-05-01) or a timestamp with a zone (2026-05-01T12:30:00Z)")
    : Result.succeed(canonical)
}

const dayPattern = /^\d{4}-\d{2}-\d{2}$/
const timestampPattern =
  /^(\d{4}-\d{2}-\d{2})([T ])((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/i

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The day if it exists in the calendar; years 0001 to 9999. */
const calendarDay = (text: string): string | null => {
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number)
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const last = (days[month - 1] ?? 0) + (leap ? 1 : 0)
  return year >= 1 && day >= 1 && day <= last ? text : null
}

const timestamp = (text: string, from: ValueSource): string | null => {
  const match = timestampPattern.exec(text)
  if (match === null) return null
  const [, day = "", separator, minutes = "", seconds = "00", fraction = "0", zone] = match
  if (calendarDay(day) === null) return null
  if (from === "json" && (separator === " " || zone === undefined)) return null
  const offset = zone === undefined ? "Z" : zone.toUpperCase().replace(/^([+-]\d\d):?(\d\d)$/, "$1:$2")
  const iso = `${day}T${minutes}:${seconds}.${fraction.padEnd(3, "0").slice(0, 3)}${offset}`
  const utc = Option.getOrNull(Option.map(DateTime.make(iso), DateTime.formatIso))
  // An offset can move the instant out of the years with four digits.
  return utc !== null && dayPattern.test(utc.slice(0, 10)) && calendarDay(utc.slice(0, 10)) !== null ? utc : null
}
