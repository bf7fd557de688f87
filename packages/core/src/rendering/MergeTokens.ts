// Merge tokens, `{{contact.first_name:capitalize|there}}`: their syntax and values. A token in a value is text.
import { DateTime, Predicate, Schema } from "effect"
import { type Contact, type CustomValue, isTags } from "../contacts/Contact.ts"
import { standardFieldByName } from "../contacts/ContactFields.ts"
import { isBlank } from "../kernel/Text.ts"
import type { SyncParser } from "../ports/Parsers.ts"
import { type MessageLinks, preferences_end } from "./message/Message.ts"

/** Format suffixes. They apply in their order to the value and to the fallback. */
export const formats = ["uppercase", "lowercase", "capitalize", "titlecase"] as const
export type Format = (typeof formats)[number]

export interface MergeToken {
  /** The path without formats and fallback: `contact.custom_fields.size`. */
  readonly name: string
  readonly path: ReadonlyArray<string>
  readonly formats: ReadonlyArray<Format>
  readonly fallback: string | null
  /** The token has an unknown format: it is replaced by its fallback, or by nothing. */
  readonly malformed: boolean
}

/** The data for one recipient's tokens. */
export interface TokenValues {
  readonly contact: Contact
  readonly dynamic: Readonly<Record<string, string | number | boolean>>
  /** The values of `{{data.…}}` tokens, of a single message. */
  readonly data?: Readonly<Record<string, unknown>>
  readonly workspaceName: string
  readonly links: Pick<MessageLinks, "unsubscribe" | "view">
}

export interface FoundToken {
  readonly start: number
  readonly end: number
  readonly token: MergeToken
}

/** The maximum between the braces. A longer text is no token. */
const inner_length_max = 1000

/** The tokens of a text in order, in linear time. Braces around anything else are text. */
export const findTokens = (text: string): ReadonlyArray<FoundToken> => {
  const found: Array<FoundToken> = []
  let open = text.indexOf("{{")
  let close = 0
  while (open >= 0) {
    // Of three braces the inner two count, and of `{{ … {{` the later ones.
    while (text[open + 2] === "{") open++
    if (close < open + 2) close = text.indexOf("}}", open + 2)
    if (close < 0) break
    const next = text.indexOf("{{", open + 2)
    if (next < 0 || next > close) {
      const token = close - open - 2 > inner_length_max ? null : parseToken(text.slice(open + 2, close))
      if (token !== null) found.push({ start: open, end: close + 2, token })
    }
    open = next
  }
  return found
}

/** Parses the text between the braces; null when it is no token. */
export const parseToken = (inner: string): MergeToken | null => {
  const behind = inner.search(/[:|]/)
  const name = (behind < 0 ? inner : inner.slice(0, behind)).trim()
  if (!/^[A-Za-z_][\w .-]*$/.test(name)) return null
  const chosen: Array<Format> = []
  let fallback: string | null = null
  let malformed = false
  let rest = behind < 0 ? "" : inner.slice(behind)
  while (rest !== "") {
    if (rest.startsWith("|")) {
      const end = endOfFallback(rest)
      fallback ??= rest.slice(1, end).trim()
      rest = rest.slice(end)
    } else {
      const word = /^:([^:|]*)/.exec(rest)
      const format = formats.find((each) => each === word?.[1]?.trim())
      if (format === undefined) malformed = true
      else chosen.push(format)
      rest = rest.slice(word?.[0].length ?? rest.length)
    }
  }
  return { name, path: name.split("."), formats: chosen, fallback, malformed }
}

/** A fallback ends before a known format that is a suffix: further suffixes or the end follow it. */
const endOfFallback = (rest: string): number => {
  const end = rest.search(/:\s*(?:uppercase|lowercase|capitalize|titlecase)\s*(?=[:|]|$)/)
  return end < 0 ? rest.length : end
}

/** The tokens that are addresses of the service. `confirm_url` has a value in confirmation mails alone. */
export const ownAddresses: ReadonlySet<string> = new Set([
  "unsubscribe_url",
  "preferences_url",
  "view_in_browser_url",
  "confirm_url",
])

/** Whether the token has a meaning. Without `customFields`, those of active fields, every well-formed one is known. */
export const isKnown = ({ path, malformed }: MergeToken, customFields?: ReadonlySet<string>): boolean => {
  const [first, second, third] = path
  if (malformed) return false
  if (path.length === 1) return ownAddresses.has(first ?? "")
  if (path.length === 2 && first === "contact") return second === "contact_id" || standardFieldByName.has(second ?? "")
  if (path.length === 2) return first === "workspace" && second === "name"
  // Neither a form field nor a declared token may be called `__proto__`.
  if (path.length !== 3 || third === undefined || third === "" || third === "__proto__") return false
  if (first === "contact" && second === "custom_fields") return customFields?.has(third) ?? true
  return first === "campaign" && second === "dynamic"
}

/** The least difference in letters between a name and a known one at which it counts as misspelt, by the name's length. */
const misspelt_max = (length: number): number => (length < 4 ? 0 : length < 8 ? 1 : 2)

/**
 * The known name that an unknown token most likely means, or null. Names are compared without upper case, separators and
 * `contact.`, so `first_name`, `contact.firstName` and `contact.frist_name` all mean `contact.first_name`.
 */
export const nearestName = ({ name }: MergeToken, customFields: ReadonlySet<string>): string | null => {
  const written = bare(name)
  let nearest: string | null = null
  let difference = misspelt_max(written.length) + 1
  for (const known of [...fixedNames, ...[...customFields].map((field) => `contact.custom_fields.${field}`)]) {
    if (known === name) return null
    const letters = bare(known)
    if (Math.abs(letters.length - written.length) >= difference) continue
    const between = differenceOf(written, letters)
    if (between < difference) {
      nearest = known
      difference = between
    }
  }
  return nearest
}

const fixedNames: ReadonlyArray<string> = [
  "contact.contact_id",
  ...[...standardFieldByName.keys()].map((field) => `contact.${field}`),
  "workspace.name",
  ...ownAddresses,
]

const bare = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^contact\.(?:custom_fields\.)?/, "")
    .replaceAll(/[^a-z0-9.]/g, "")

/** How many letters to insert, delete, replace or swap with the next one. More than two may count as any larger number. */
const differenceOf = (from: string, to: string): number => {
  let above: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = [0, 1, 2]
  for (let row = 1; row <= from.length; row++) {
    const line: Array<number> = []
    line[0] = row
    for (let column = Math.max(1, row - 2); column <= Math.min(to.length, row + 2); column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      line[column] = Math.min(
        (last[column] ?? Infinity) + 1,
        (line[column - 1] ?? Infinity) + 1,
        (last[column - 1] ?? Infinity) + (isSame ? 0 : 1),
        isSwapped ? (above[column - 2] ?? Infinity) + 1 : Infinity,
      )
    }
    above = last
    last = line
  }
  return last[to.length] ?? Infinity
}

/** The different tokens of texts in order of first use. */
export const tokenParser: SyncParser<ReadonlyArray<string | null>, ReadonlyArray<MergeToken>> = {
  name: "tokens",
  run: (texts) => {
    const found = new Map<string, MergeToken>()
    for (const text of texts) {
      for (const { start, end, token } of findTokens(text ?? "")) {
        const source = (text ?? "").slice(start, end)
        if (!found.has(source)) found.set(source, token)
      }
    }
    return [...found.values()]
  },
  sizeOf: (texts) => texts.reduce((length, text) => length + (text?.length ?? 0), 0),
}

/** The names of the tokens that `holds` is true for, each once, in order of first use. */
export const tokenNames = (texts: ReadonlyArray<string | null>, holds: (token: MergeToken) => boolean) => [
  ...new Set(
    texts.flatMap((text) => findTokens(text ?? "")).flatMap(({ token }) => (holds(token) ? [token.name] : [])),
  ),
]

/** The names of unknown tokens. */
export const unresolvedTokens = (texts: ReadonlyArray<string | null>, customFields?: ReadonlySet<string>) =>
  tokenNames(texts, (token) => !isKnown(token, customFields))

/** The names of flow tokens in these texts, each once. Only API callers provide their values. */
export const apiTokens = (texts: ReadonlyArray<string | null>): ReadonlyArray<string> =>
  unresolvedTokens(texts).filter((name) => name.startsWith("api."))

/** The token's text for a recipient: the value, else the fallback, else nothing; formatted, not escaped. */
export const resolveToken = (token: MergeToken, values: TokenValues): string => {
  const value = token.malformed ? null : valueOf(token.path, values)
  return withFormats(value === null || isBlank(value) ? (token.fallback ?? "") : value, token)
}

/** The text in the formats of the token. */
export const withFormats = (text: string, { formats: chosen }: Pick<MergeToken, "formats">): string =>
  chosen.reduce((formatted, format) => apply[format](formatted), text)

const valueOf = (path: ReadonlyArray<string>, values: TokenValues): string | null => {
  const [first = "", second = "", third] = path
  switch (first) {
    case "unsubscribe_url":
      return path.length === 1 ? values.links.unsubscribe : null
    case "preferences_url":
      return path.length === 1 ? values.links.unsubscribe + preferences_end : null
    case "view_in_browser_url":
      return path.length === 1 ? values.links.view : null
    case "confirm_url":
      return path.length === 1 ? dataValue(["data", first], values.data) : null
    case "workspace":
      return path.length === 2 && second === "name" ? values.workspaceName : null
    case "data":
      return dataValue(path, values.data)
    case "campaign":
      return path.length === 3 && second === "dynamic" ? own(values.dynamic, third ?? "") : null
    case "contact":
      if (path.length === 3) return second === "custom_fields" ? own(values.contact.customFields, third ?? "") : null
      return path.length === 2 ? standardValue(values.contact, second) : null
    default:
      return null
  }
}

/** Text, a number or a boolean of `data`, whose own properties and items the path names. Null: there is none. */
const dataValue = (path: ReadonlyArray<string>, data: unknown): string | null => {
  let value = data
  for (const name of path.slice(1)) {
    const isItem = Array.isArray(value) && /^(?:0|[1-9]\d{0,5})$/.test(name)
    if (!isItem && !Predicate.isObject(value)) return null
    if (!Object.hasOwn(value as object, name)) return null
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : null
}

/** Whether it is a token of `data`, which only single messages have. */
export const isDataToken = ({ path }: MergeToken): boolean => path.length > 1 && path[0] === "data"

/** The names of tokens of `data` that have neither a value nor a fallback, each once. */
export const missingData = (tokens: ReadonlyArray<MergeToken>, data: Readonly<Record<string, unknown>>) => [
  ...new Set(
    tokens.flatMap((token) =>
      isDataToken(token) && token.fallback === null && (token.malformed || dataValue(token.path, data) === null)
        ? [token.name]
        : [],
    ),
  ),
]

/** Tags are joined with commas. */
const own = (record: Readonly<Record<string, CustomValue>>, key: string): string | null => {
  const value = Object.hasOwn(record, key) ? (record[key] ?? null) : null
  if (value === null) return null
  return isTags(value) ? value.join(", ") : String(value)
}

/** A contact's field by its name on the wire. */
const standardValue = (contact: Contact, name: string): string | null => {
  if (name === "contact_id") return contact.id
  const field = standardFieldByName.get(name)
  if (field === undefined) return null
  const value = contact[field.key]
  if (value === null) return null
  return typeof value === "object" ? DateTime.formatIso(value) : String(value)
}

/** Cases of the root locale. `capitalize` and `titlecase` change first letters only: McDonald stays. */
const apply: { readonly [F in Format]: (text: string) => string } = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  capitalize: (text) => {
    const at = text.search(/\p{L}/u)
    const letter = at < 0 ? "" : String.fromCodePoint(text.codePointAt(at) ?? 0)
    return letter === "" ? text : text.slice(0, at) + letter.toUpperCase() + text.slice(at + letter.length)
  },
  titlecase: (text) =>
    text.replace(/(\p{L})([\p{L}\p{M}\p{N}'’]*)/gu, (_, first: string, rest: string) => first.toUpperCase() + rest),
}

/** Values of `{{campaign.dynamic.<key>}}`. */
export const FlowTokens = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))
export type FlowTokens = typeof FlowTokens.Type
