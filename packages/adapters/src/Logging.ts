// Logs: JSON lines in production, readable ones at a terminal. What must never stand in a log (an address, a key) is cut
// out of every line, should it ever get into one.
import { Layer, Logger, References } from "effect"

export interface LoggingOptions {
  readonly level: "debug" | "info" | "warn" | "error"
  readonly format: "pretty" | "json"
}

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

const address = /[^\s"'<>@,;:()[\]{}]+@[^\s"'<>@,;:()[\]{}]+\.[^\s"'<>@,;:()[\]{}]+/g
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

const json = Logger.map(Logger.formatStructured, (entry) =>
  scrub(JSON.stringify(entry, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))),
)

const readable = Logger.map(Logger.formatLogFmt, scrub)

const write = (line: string) => process.stdout.write(`${line}\n`)

export const layer = ({ level, format }: LoggingOptions) =>
  Layer.merge(
    Logger.layer([Logger.make((options) => write((format === "json" ? json : readable).log(options)))]),
    Layer.succeed(References.MinimumLogLevel, levels[level]),
  )
