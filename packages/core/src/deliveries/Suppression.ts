// Who must not be mailed, and why. Asked twice: when the audience is fixed, and again when the intent is granted, since
// people unsubscribe in between.
import type { BlockReason, IntentAnswer } from "./Delivery.ts"

/** Why an address is never mailed. `unsubscribe` counts as unsubscribed: it spares operational mail. */
export type SuppressionReason = "bounce" | "complaint" | "unsubscribe" | "manual"

/** What is known of a recipient. */
export interface RecipientFacts {
  readonly emailNormalized: string | null
  readonly unsubscribed: boolean
  /** Only `false` is an opt-out; null: never asked. */
  readonly marketingEmailSubscribed: boolean | null
  readonly marketingEmailInvalid: boolean
  readonly suppression: SuppressionReason | null
}

/** The first reason against mailing someone; undefined when there is none. Operational mail skips what a person chose. */
export const blockReason = (facts: RecipientFacts, operational: boolean): BlockReason | undefined => {
  if (facts.emailNormalized === null) return "no_email"
  if (!operational && (facts.unsubscribed || facts.suppression === "unsubscribe")) return "unsubscribed"
  if (!operational && facts.marketingEmailSubscribed === false) return "opt_out"
  if (facts.marketingEmailInvalid) return "invalid_email"
  if (facts.suppression !== null && facts.suppression !== "unsubscribe") return "suppressed"
  return undefined
}

/** What an intent is answered. `recipient` is null when the contact has been deleted. */
export const intentAnswer = (facts: {
  readonly blast: { readonly status: string; readonly paused: boolean }
  readonly recipient: RecipientFacts | null
  readonly operational: boolean
}): IntentAnswer => {
  if (facts.blast.status === "cancelled") return "cancelled"
  if (facts.blast.status !== "sending" || facts.blast.paused) return "paused"
  if (facts.recipient === null) return "contact_deleted"
  return blockReason(facts.recipient, facts.operational) ?? "granted"
}
