// The free values of a message: `data`, headers, tags and metadata. Pure checks with the path of what is wrong.
import { encodeText } from "../kernel/Bytes.ts"
import { below, isObject } from "../kernel/Decoding.ts"
import type { Issue } from "../kernel/Refusal.ts"
import { custom_headers_max, data_bytes_max, data_depth_max, header_value_length_max } from "./EmailMessage.ts"

/** Names that every object inherits: a value of such a name could be mistaken for the inherited one. */
const inherited: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

const notAllowed = "is not allowed as a name"
const issues_max = 100

const dataKey = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

/** Walks at most `data_depth_max` levels, so that its own depth is bounded. */
const walk = (value: unknown, path: string, depth: number, issues: Array<Issue>): void => {
  if (issues.length >= issues_max) return
  if (typeof value === "number" && !Number.isFinite(value)) {
    // JSON has no such number, but `1e309` is read as one.
    issues.push({ path, message: "must be a finite number" })
  }
  if (typeof value !== "object" || value === null) return
  if (depth > data_depth_max) {
    issues.push({ path, message: `must be at most ${data_depth_max} levels deep` })
    return
  }
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) walk(each, below(path, at), depth + 1, issues)
    return
  }
  for (const [key, each] of Object.entries(value)) {
    if (inherited.has(key)) issues.push({ path: below(path, key), message: notAllowed })
    else if (!dataKey.test(key)) {
      issues.push({
        path: below(path, key.slice(0, 100)),
        message: "must have a name of letters, digits and _, which does not begin with a digit, at most 100 characters",
      })
    } else walk(each, below(path, key), depth + 1, issues)
  }
}

export const dataIssues = (data: unknown): ReadonlyArray<Issue> => {
  if (!isObject(data) || Array.isArray(data)) return [{ path: "data", message: "must be an object" }]
  const issues: Array<Issue> = []
  walk(data, "data", 1, issues)
  if (issues.length > 0) return issues
  return encodeText(JSON.stringify(data)).length > data_bytes_max
    ? [{ path: "data", message: `must have at most ${data_bytes_max} bytes` }]
    : []
}

const pairName = /^[a-z0-9_-]{1,50}$/

/** Tags and metadata: texts by name. */
export const pairIssues = (
  path: string,
  pairs: Readonly<Record<string, unknown>>,
  { length_max, pairs_max }: { readonly pairs_max: number; readonly length_max: number },
): ReadonlyArray<Issue> => {
  const entries = Object.entries(pairs)
  if (entries.length > pairs_max)
    return [{ path, message: `must have at most ${pairs_max} names, got ${entries.length}` }]
  return entries.flatMap(([name, value]): ReadonlyArray<Issue> => {
    const at = below(path, name.slice(0, 50))
    if (inherited.has(name)) return [{ path: at, message: notAllowed }]
    if (!pairName.test(name)) {
      return [{ path: at, message: "must have a name of 1 to 50 lower-case letters, digits, _ and -" }]
    }
    return typeof value === "string" && value.length <= length_max && !/\p{Cs}|\0/u.test(value)
      ? []
      : [{ path: at, message: `must be text of at most ${length_max} characters` }]
  })
}

/** Headers that a message may add. Ours are never replaced: none of them is among these. */
const headerName = /^(?:X-[A-Za-z0-9-]{1,74}|In-Reply-To|References|Auto-Submitted)$/i

/** No fold can make its line short enough. */
const longWord = /[^ ]{901}/

/** Names under which providers and this service read instructions of their own. */
const reservedNames = /^X-(?:PM|SES|SG|SMTPAPI|Mailgun|MC|Mandrill|MJ|Tentpole)(?:-|$)/i

export const customHeaderIssues = (headers: Readonly<Record<string, unknown>>): ReadonlyArray<Issue> => {
  const entries = Object.entries(headers)
  if (entries.length > custom_headers_max) {
    return [{ path: "headers", message: `must have at most ${custom_headers_max} names, got ${entries.length}` }]
  }
  const seen = new Set<string>()
  return entries.flatMap(([name, value]): ReadonlyArray<Issue> => {
    const at = below("headers", name.slice(0, 100))
    if (inherited.has(name)) return [{ path: at, message: notAllowed }]
    if (!headerName.test(name)) return [{ path: at, message: "must be X-…, In-Reply-To, References or Auto-Submitted" }]
    if (reservedNames.test(name)) return [{ path: at, message: "is read by mail providers: choose another name" }]
    if (seen.has(name.toLowerCase())) return [{ path: at, message: "must occur once" }]
    seen.add(name.toLowerCase())
    return typeof value === "string" &&
      /^[\x20-\x7e]*$/.test(value) &&
      value.length <= header_value_length_max &&
      value.trim() !== "" &&
      !longWord.test(value)
      ? []
      : [
          {
            path: at,
            message: `must be 1 to ${header_value_length_max} printable ASCII characters, with no word longer than 900`,
          },
        ]
  })
}
