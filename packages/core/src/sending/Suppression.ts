// The reasons against sending to a recipient. Checked when the audience is fixed, and again when the intent is granted, because
// contacts may unsubscribe in between.
import type { BounceKind } from "./EnhancedCode.ts"
import type { BlockReason, IntentAnswer } from "./Delivery.ts"

/** Why an address is suppressed. `unsubscribe` counts as unsubscribed: operational mail is still sent. */
export type SuppressionReason = "bounce" | "complaint" | "unsubscribe" | "manual"

/** From the weakest (the recipient's own choice) to the strongest (set by an operator). */
const strength: ReadonlyArray<SuppressionReason> = ["unsubscribe", "bounce", "complaint", "manual"]

/** Whether a suppression replaces the existing one. */
export const isStronger = (reason: SuppressionReason, existing: SuppressionReason | null): boolean =>
  existing === null || strength.indexOf(reason) > strength.indexOf(existing)

/** This number of soft bounces in a row suppresses an address. */
export const soft_bounces_max = 5

/**
 * Whether the newest messages to an address all bounced softly, so that it is suppressed. `newest`: the bounces of the
 * messages that its server accepted or refused, newest first.
 */
export const bouncesRepeatedly = (newest: ReadonlyArray<BounceKind | null>): boolean =>
  newest.length >= soft_bounces_max && newest.slice(0, soft_bounces_max).every((kind) => kind === "soft")

/** What the block reason of a recipient depends on. */
export interface RecipientFacts {
  readonly emailNormalized: string | null
  readonly unsubscribed: boolean
  /** Only `false` is an opt-out; null: unknown. */
  readonly marketingEmailSubscribed: boolean | null
  readonly marketingEmailInvalid: boolean
  readonly suppression: SuppressionReason | null
}

/** The first block reason; undefined when there is none. Operational mail ignores the recipient's own choices. */
export const blockReason = (facts: RecipientFacts, operational: boolean): BlockReason | undefined => {
  if (facts.emailNormalized === null) return "no_email"
  if (!operational && (facts.unsubscribed || facts.suppression === "unsubscribe")) return "unsubscribed"
  if (!operational && facts.marketingEmailSubscribed === false) return "opt_out"
  if (facts.marketingEmailInvalid) return "invalid_email"
  if (facts.suppression !== null && facts.suppression !== "unsubscribe") return "suppressed"
  return undefined
}

/** The answer to a request for an intent. `recipient` is null when the contact has been deleted. */
export const intentAnswer = (facts: {
  readonly blast: { readonly status: string; readonly paused: boolean }
  readonly recipient: RecipientFacts | null
  readonly operational: boolean
  /** The message belongs to a flow, and the membership does not wait for it any more. */
  readonly withdrawn: boolean
}): IntentAnswer => {
  if (facts.withdrawn) return "cancelled"
  if (facts.blast.status === "cancelled") return "cancelled"
  if (facts.blast.status !== "sending" || facts.blast.paused) return "paused"
  if (facts.recipient === null) return "contact_deleted"
  return blockReason(facts.recipient, facts.operational) ?? "granted"
}
