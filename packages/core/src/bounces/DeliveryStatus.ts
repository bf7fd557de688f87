// Delivery status notifications (RFC 3464): what servers report of each recipient of a message. Their groups of fields (RFC
// 3464 §2.1, RFC 5965 §3) are `Name: value` lines, folded like a message's header, with an empty line between groups.
// Malformed reports are read as far as possible.
import { type BounceKind, codeIn, codeText, type EnhancedCode, isBadAddress } from "../sending/EnhancedCode.ts"

/** Fields by name, in lower case. Of several with one name, the first. */
type Fields = ReadonlyMap<string, string>

const lines_max = 2000
const value_length_max = 2000

const field = /^([!-9;-~]{1,76})[ \t]*:(.*)$/s

/** `begins`: a second field of this name starts another group, even without an empty line. */
export const fieldGroups = (text: string, begins: string): ReadonlyArray<Fields> => {
  const groups: Array<Map<string, string>> = []
  let group = new Map<string, string>()
  let last: string | undefined
  const close = () => {
    if (group.size > 0) groups.push(group)
    group = new Map()
    last = undefined
  }
  for (const line of text.split(/\r\n|\r|\n/, lines_max)) {
    if (line.trim() === "") {
      close()
      continue
    }
    if (/^[ \t]/.test(line) && last !== undefined) {
      group.set(last, `${group.get(last) ?? ""} ${line.trim()}`.slice(0, value_length_max))
      continue
    }
    const [, name, value = ""] = field.exec(line) ?? []
    if (name === undefined) continue
    const key = name.toLowerCase()
    if (key === begins && group.has(key)) close()
    last = key
    if (!group.has(key)) group.set(key, value.trim().slice(0, value_length_max))
  }
  close()
  return groups
}

/** A value without its comments (RFC 5322 §3.2.2), in lower case. */
export const token = (value: string | undefined): string =>
  (value ?? "")
    .replace(/\([^()]*\)/g, " ")
    .trim()
    .toLowerCase()

/** What a returned message reports. */
export type ParsedReport =
  | {
      readonly kind: "bounce"
      readonly bounce: BounceKind
      /** As RFC 3463 writes it; null when none was given. */
      readonly code: string | null
      readonly words: string | null
    }
  | { readonly kind: "complaint" | "delivery" | "autoReply" | "unknown" }
  /** Delayed, or relayed to a server that sends no reports: the outcome is open, and more reports may follow. */
  | { readonly kind: "underway" }

/** Bad addresses bounce hard, everything else that is final bounces soft. */
export const kindOf = (code: EnhancedCode | undefined): BounceKind =>
  code !== undefined && isBadAddress(code) ? "hard" : "soft"

export const bounceOf = (code: EnhancedCode | undefined, words: string | null): ParsedReport => ({
  kind: "bounce",
  bounce: kindOf(code),
  code: code === undefined ? null : codeText(code),
  words,
})

const isPlain = (code: EnhancedCode | undefined): boolean =>
  code === undefined || (code.subject === 0 && code.detail === 0)

/** Many servers put a bare 5.0.0 into the status, and the meaningful code into the diagnostic. */
const codeOf = (fields: Fields): EnhancedCode | undefined => {
  const status = codeIn(token(fields.get("status")))
  if (!isPlain(status)) return status
  const diagnosed = codeIn(fields.get("diagnostic-code") ?? "")
  return isPlain(diagnosed) || diagnosed?.class === 2 ? status : diagnosed
}

const actions = ["failed", "delayed", "delivered", "relayed", "expanded"] as const
type Action = (typeof actions)[number]

/** The action; without one, what the code's class implies. */
const actionOf = (fields: Fields, code: EnhancedCode | undefined): Action | undefined => {
  const written = token(fields.get("action"))
  const known =
    actions.find((action) => written.startsWith(action)) ?? (written.startsWith("fail") ? "failed" : undefined)
  if (known !== undefined || code === undefined) return known
  return code.class === 5 ? "failed" : code.class === 4 ? "delayed" : "delivered"
}

const wordsOf = (fields: Fields, code: EnhancedCode | undefined): string | null => {
  const diagnostic = fields.get("diagnostic-code")?.replace(/^[\w-]+\s*;\s*/, "")
  if (diagnostic !== undefined && diagnostic !== "") return diagnostic
  return code === undefined ? null : codeText(code)
}

const statusOf = (fields: Fields): ParsedReport | undefined => {
  const code = codeOf(fields)
  switch (actionOf(fields, code)) {
    case undefined:
      return undefined
    case "failed":
      return bounceOf(code, wordsOf(fields, code))
    case "delivered":
    case "expanded":
      return { kind: "delivery" }
    case "delayed":
    case "relayed":
      return { kind: "underway" }
  }
}

/** The status that counts, of several: delivered anywhere counts most, then a hard bounce, then a soft one. */
const rank = (status: ParsedReport): number => {
  if (status.kind === "bounce") return status.bounce === "hard" ? 2 : 1
  return status.kind === "delivery" ? 3 : 0
}

/**
 * The status in a `message/delivery-status`; undefined when it has none. Our messages have one recipient each, so that several
 * recipients in a report are its forwardings. Their addresses are not read, because a report may claim any.
 */
export const deliveryStatus = (text: string): ParsedReport | undefined =>
  fieldGroups(text, "final-recipient")
    .flatMap((fields) => statusOf(fields) ?? [])
    .reduce<ParsedReport | undefined>(
      (best, status) => (best === undefined || rank(status) > rank(best) ? status : best),
      undefined,
    )
