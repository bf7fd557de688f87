// Logging: JSON lines in production, readable lines at a terminal. Addresses and keys are cut out of every line. Untrusted
// text is limited in length, stays on one line, and can't move the cursor.
import { Layer, Logger, References } from "effect"

export interface LoggingOptions {
  readonly level: "debug" | "info" | "warn" | "error"
  readonly format: "pretty" | "json"
}

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** Matches from the start of a word only: otherwise a long word is scanned once for each of its letters. */
const address = /(?<![^\s"'<>@,;:()[\]{}])[^\s"'<>@,;:()[\]{}]+@[^\s"'<>@,;:()[\]{}]+\.[^\s"'<>@,;:()[\]{}]+/g
const key = /tp_live_[0-9A-Za-z]+/g
const bearer = /bearer\s+[^\s"',]+/gi
const password = /(:\/\/[^\s:/@"]*):[^\s@/"]+@/g

/** A line without addresses, keys and passwords. */
export const scrub = (line: string): string =>
  line
    .replace(password, "$1:<password>@")
    .replace(key, "<key>")
    .replace(bearer, "Bearer <key>")
    .replace(address, "<address>")

const text_length_max = 8_000
const line_length_max = 32_000

const betweenWords = /[\s"'<>,;:()[\]{}]/

/** Cuts at the end of a word: a cut address would not be recognized as one. */
const cut = (text: string, length_max: number): string => {
  if (text.length <= length_max) return text
  let end = length_max
  while (end > 0 && !betweenWords.test(text.charAt(end - 1))) end--
  return `${text.slice(0, end)}… (${text.length - end} characters more)`
}

/** Escapes terminal control characters, line ends and bidirectional controls, as JSON does. */
const printable = (line: string): string =>
  line.replace(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

const asJson = (_: string, value: unknown): unknown => {
  if (typeof value === "bigint") return String(value)
  return typeof value === "string" ? cut(value, text_length_max) : value
}

const json = Logger.map(Logger.formatStructured, (entry) => printable(scrub(JSON.stringify(entry, asJson))))

const readable = Logger.map(Logger.formatLogFmt, (line) => printable(scrub(cut(line, line_length_max))))

export const formats = { json, readable } as const

const write = (line: string) => process.stdout.write(`${line}\n`)

export const layer = ({ level, format }: LoggingOptions) =>
  Layer.merge(
    Logger.layer([Logger.make((options) => write((format === "json" ? formats.json : formats.readable).log(options)))]),
    Layer.succeed(References.MinimumLogLevel, levels[level]),
  )
