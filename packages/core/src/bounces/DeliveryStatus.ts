// Delivery status notifications (RFC 3464): what servers report of each recipient of a message.
import { type BounceKind, codeIn, codeText, type EnhancedCode, isBadAddress } from "../sending/EnhancedCode.ts"
import { fieldGroups, type Fields, token } from "./ReportFields.ts"

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
  const said = token(fields.get("action"))
  const known = actions.find((action) => said.startsWith(action)) ?? (said.startsWith("fail") ? "failed" : undefined)
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
