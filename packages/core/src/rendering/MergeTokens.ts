// Merge tokens: `{{contact.first_name:capitalize|there}}`. How they are written, what they stand for, and what a person's
// values make of them. A value is put in as it is: what looks like a token inside it stays text.
import { DateTime, Schema } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import { standardFieldByName } from "../contacts/ContactFields.ts"
import { isBlank } from "../kernel/Text.ts"
import type { MessageLinks } from "./message/Message.ts"

/** Format suffixes, applied in the order in which they are written, to the value and to the fallback alike. */
export const formats = ["uppercase", "lowercase", "capitalize", "titlecase"] as const
export type Format = (typeof formats)[number]

export interface MergeToken {
  /** As written, without formats and fallback: `contact.custom_fields.size`. */
  readonly name: string
  readonly path: ReadonlyArray<string>
  readonly formats: ReadonlyArray<Format>
  readonly fallback: string | null
  /** A suffix that is no format: the token is not resolved, and its fallback or nothing stands for it. */
  readonly malformed: boolean
}

/** Everything that tokens stand for, for one recipient. */
export interface TokenValues {
  readonly contact: Contact
  readonly dynamic: Readonly<Record<string, string | number | boolean>>
  readonly workspaceName: string
  readonly links: Pick<MessageLinks, "unsubscribe" | "view">
}

export interface FoundToken {
  readonly start: number
  readonly end: number
  readonly token: MergeToken
}

/** What stands between the braces is at most this long; more is text. */
const inner_length_max = 1000

/** The tokens of a text, in order, in time linear in its length. Braces around what is not spelled like a token are text. */
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

/** Reads what stands between the braces. Null: not spelled like a token. */
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

/** A fallback ends where a known format begins that is a suffix: further suffixes or the end come behind it. */
const endOfFallback = (rest: string): number => {
  const end = rest.search(/:\s*(?:uppercase|lowercase|capitalize|titlecase)\s*(?=[:|]|$)/)
  return end < 0 ? rest.length : end
}

/**
 * Whether the service knows what the token stands for. `customFields` are the `api_name`s of the workspace's active
 * fields; without them every well-formed one counts as known.
 */
export const isKnown = ({ path, malformed }: MergeToken, customFields?: ReadonlySet<string>): boolean => {
  const [first, second, third] = path
  if (malformed) return false
  if (path.length === 1) return first === "unsubscribe_url" || first === "view_in_browser_url"
  if (path.length === 2 && first === "contact") return second === "contact_id" || standardFieldByName.has(second ?? "")
  if (path.length === 2) return first === "workspace" && second === "name"
  if (path.length !== 3 || third === undefined || third === "") return false
  if (first === "contact" && second === "custom_fields") return customFields?.has(third) ?? true
  return first === "campaign" && second === "dynamic"
}

/** The names of unknown tokens in these texts, each once, in the order of their appearance. */
export const unresolvedTokens = (
  texts: ReadonlyArray<string | null>,
  customFields?: ReadonlySet<string>,
): ReadonlyArray<string> => [
  ...new Set(
    texts
      .flatMap((text) => (text === null ? [] : findTokens(text)))
      .filter(({ token }) => !isKnown(token, customFields))
      .map(({ token }) => token.name),
  ),
]

/** The names of tokens in these texts that only callers of an API fill, each once. */
export const apiTokens = (texts: ReadonlyArray<string | null>): ReadonlyArray<string> =>
  unresolvedTokens(texts).filter((name) => name.startsWith("api."))

/** What the token reads for a person: the value, else the fallback, else nothing; formatted, and escaped for no place. */
export const resolveToken = (token: MergeToken, values: TokenValues): string => {
  const value = token.malformed ? null : valueOf(token.path, values)
  const text = value === null || isBlank(value) ? (token.fallback ?? "") : value
  return token.formats.reduce((formatted, format) => apply[format](formatted), text)
}

const valueOf = (path: ReadonlyArray<string>, values: TokenValues): string | null => {
  const [first = "", second = "", third] = path
  switch (first) {
    case "unsubscribe_url":
      return path.length === 1 ? values.links.unsubscribe : null
    case "view_in_browser_url":
      return path.length === 1 ? values.links.view : null
    case "workspace":
      return path.length === 2 && second === "name" ? values.workspaceName : null
    case "campaign":
      return path.length === 3 && second === "dynamic" ? own(values.dynamic, third ?? "") : null
    case "contact":
      if (path.length === 3) return second === "custom_fields" ? own(values.contact.customFields, third ?? "") : null
      return path.length === 2 ? standardValue(values.contact, second) : null
    default:
      return null
  }
}

const own = (record: Readonly<Record<string, string | number | boolean>>, key: string): string | null =>
  Object.hasOwn(record, key) ? String(record[key]) : null

/** A field of the contact, named as on the wire. */
const standardValue = (contact: Contact, name: string): string | null => {
  if (name === "contact_id") return contact.id
  const field = standardFieldByName.get(name)
  if (field === undefined) return null
  const value = contact[field.key]
  if (value === null) return null
  return typeof value === "object" ? DateTime.formatIso(value) : String(value)
}

/** The root locale's cases. `capitalize` and `titlecase` leave every letter but the first as it is: McDonald stays. */
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
