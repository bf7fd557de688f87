// Who must not be mailed, and why. Asked twice: when the audience is fixed, and again when the intent is granted, since
// people unsubscribe in between.
import type { BounceKind } from "./EnhancedCode.ts"
import type { BlockReason, IntentAnswer } from "./Delivery.ts"

/** Why an address is never mailed. `unsubscribe` counts as unsubscribed: it spares operational mail. */
export type SuppressionReason = "bounce" | "complaint" | "unsubscribe" | "manual"

/** From the weakest: what one chose and may take back, to what an operator said. */
const strength: ReadonlyArray<SuppressionReason> = ["unsubscribe", "bounce", "complaint", "manual"]

/** Whether a suppression takes the place of the one that is there. */
export const isStronger = (reason: SuppressionReason, there: SuppressionReason | null): boolean =>
  there === null || strength.indexOf(reason) > strength.indexOf(there)

/** So many soft bounces in a row suppress an address. */
export const soft_bounces_max = 5

/**
 * Whether the newest messages to an address say that it is to be left alone. `newest`: how those that its server was given
 * went, the newest first.
 */
export const isWornOut = (newest: ReadonlyArray<BounceKind | null>): boolean =>
  newest.length >= soft_bounces_max && newest.slice(0, soft_bounces_max).every((kind) => kind === "soft")

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
  /** The message is of a flow, and the member does not wait for it any more. */
  readonly withdrawn: boolean
}): IntentAnswer => {
  if (facts.withdrawn) return "cancelled"
  if (facts.blast.status === "cancelled") return "cancelled"
  if (facts.blast.status !== "sending" || facts.blast.paused) return "paused"
  if (facts.recipient === null) return "contact_deleted"
  return blockReason(facts.recipient, facts.operational) ?? "granted"
}
