// Delivery status notifications (RFC 3464): what the servers on the way say of each recipient of a message.
import { type BounceKind, codeIn, codeText, type EnhancedCode, saysAddressIsBad } from "../sending/EnhancedCode.ts"
import { fieldGroups, type Fields, token } from "./ReportFields.ts"

/** What was said of one recipient, or of all together. */
export type Status =
  | {
      readonly _tag: "bounced"
      readonly kind: BounceKind
      readonly code: EnhancedCode | null
      readonly words: string | null
    }
  | { readonly _tag: "delivered" }
  /** Delayed, or passed on to a server that says no more: nothing is decided. */
  | { readonly _tag: "underway" }

/** Bad addresses come back hard; whatever else is final, soft. */
export const kindOf = (code: EnhancedCode | null): BounceKind =>
  code !== null && saysAddressIsBad(code) ? "hard" : "soft"

const isPlain = (code: EnhancedCode | undefined): boolean =>
  code === undefined || (code.subject === 0 && code.detail === 0)

/** Many servers put a bare 5.0.0 where it belongs, and what they mean into the diagnostic. */
const codeOf = (fields: Fields): EnhancedCode | undefined => {
  const status = codeIn(token(fields.get("status")))
  if (!isPlain(status)) return status
  const diagnosed = codeIn(fields.get("diagnostic-code") ?? "")
  return isPlain(diagnosed) || diagnosed?.class === 2 ? status : diagnosed
}

const actions = ["failed", "delayed", "delivered", "relayed", "expanded"] as const
type Action = (typeof actions)[number]

/** The action; where there is none, what the code's class says. */
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

const statusOf = (fields: Fields): Status | undefined => {
  const code = codeOf(fields)
  switch (actionOf(fields, code)) {
    case undefined:
      return undefined
    case "failed": {
      const given = code ?? null
      return { _tag: "bounced", kind: kindOf(given), code: given, words: wordsOf(fields, code) }
    }
    case "delivered":
    case "expanded":
      return { _tag: "delivered" }
    case "delayed":
    case "relayed":
      return { _tag: "underway" }
  }
}

/** Of several statuses the one that counts: who has it anywhere has it; else a bounce, the hard one first. */
const rank = (status: Status): number => {
  switch (status._tag) {
    case "delivered":
      return 3
    case "bounced":
      return status.kind === "hard" ? 2 : 1
    case "underway":
      return 0
  }
}

/**
 * What a `message/delivery-status` says of its message; undefined when it says nothing. Ours have one recipient each: several
 * in a report are that one's forwardings. Who they are is not asked: a report may claim what it likes.
 */
export const deliveryStatus = (text: string): Status | undefined => {
  const statuses = fieldGroups(text, "final-recipient").flatMap((fields) => statusOf(fields) ?? [])
  return statuses.reduce<Status | undefined>(
    (best, status) => (best === undefined || rank(status) > rank(best) ? status : best),
    undefined,
  )
}
