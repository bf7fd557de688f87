// The reasons against sending to a recipient. Checked when the audience is fixed, and again when the intent is granted, because
// contacts may unsubscribe in between.
import type { BounceKind } from "./EnhancedCode.ts"
import type { DateTime } from "effect"
import type { RecipientTopic } from "../topics/Topic.ts"
import type { BlockReason, IntentAnswer } from "./Delivery.ts"

/** From the weakest (the recipient's own choice) to the strongest (set by an operator). */
export const suppressionReasons = ["unsubscribe", "bounce", "complaint", "manual"] as const

/** Why an address is suppressed. `unsubscribe` counts as unsubscribed: operational mail is still sent. */
export type SuppressionReason = (typeof suppressionReasons)[number]

export interface Suppression {
  /** Normalized. */
  readonly email: string
  readonly reason: SuppressionReason
  readonly createdAt: DateTime.Utc
}

/** Whether a suppression replaces the existing one. */
export const isStronger = (reason: SuppressionReason, existing: SuppressionReason | null): boolean =>
  existing === null || suppressionReasons.indexOf(reason) > suppressionReasons.indexOf(existing)

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
  /** Null: the message has no topic. */
  readonly topic: RecipientTopic | null
  /** The workspace's setting `marketing_consent` is `required`. */
  readonly consentRequired: boolean
}

/** A fact and a value of it. */
type FactValue = { [Fact in keyof RecipientFacts]: readonly [Fact, RecipientFacts[Fact]] }[keyof RecipientFacts]

interface BlockCondition {
  readonly reason: BlockReason
  /** A choice of the recipient, which operational mail ignores. */
  readonly marketingOnly: boolean
  /** One of these is enough. Of each, all facts have to hold; the last one explains it. */
  readonly when: ReadonlyArray<ReadonlyArray<FactValue>>
}

/** Why a recipient is not mailed: the reason of the first condition that holds. Adapters generate SQL from this table. */
export const blockConditions: ReadonlyArray<BlockCondition> = [
  { reason: "no_email", marketingOnly: false, when: [[["emailNormalized", null]]] },
  {
    reason: "unsubscribed",
    marketingOnly: true,
    when: [[["unsubscribed", true]], [["suppression", "unsubscribe"]]],
  },
  { reason: "opt_out", marketingOnly: true, when: [[["marketingEmailSubscribed", false]]] },
  { reason: "topic_unsubscribed", marketingOnly: true, when: [[["topic", "unsubscribed"]]] },
  {
    reason: "no_consent",
    marketingOnly: true,
    when: [
      [["topic", "pending"]],
      [["topic", "unsubscribed_by_default"]],
      // Where consent is required, only a `true` of the contact or a recorded `subscribed` of the topic is one.
      [
        ["marketingEmailSubscribed", null],
        ["topic", null],
        ["consentRequired", true],
      ],
      [
        ["marketingEmailSubscribed", null],
        ["topic", "subscribed_by_default"],
        ["consentRequired", true],
      ],
    ],
  },
  { reason: "invalid_email", marketingOnly: false, when: [[["marketingEmailInvalid", true]]] },
  {
    reason: "suppressed",
    marketingOnly: false,
    when: [[["suppression", "bounce"]], [["suppression", "complaint"]], [["suppression", "manual"]]],
  },
]

/** The first block reason; undefined when there is none. */
export const blockReason = (facts: RecipientFacts, operational: boolean): BlockReason | undefined =>
  blockConditions.find(
    ({ marketingOnly, when }) => !(marketingOnly && operational) && when.some((all) => holds(facts, all)),
  )?.reason

const holds = (facts: RecipientFacts, all: ReadonlyArray<FactValue>): boolean =>
  all.every(([fact, value]) => facts[fact] === value)

/** A fact that keeps mail from a recipient. */
export interface MailBlock {
  readonly reason: BlockReason
  readonly fact: keyof RecipientFacts
}

/** All facts that hold, the reason that `blockReason` returns first. */
export const mailBlocks = (facts: RecipientFacts, operational: boolean): ReadonlyArray<MailBlock> =>
  blockConditions
    .filter(({ marketingOnly }) => !(marketingOnly && operational))
    .flatMap(({ reason, when }) =>
      when.flatMap((all): ReadonlyArray<MailBlock> => {
        const fact = all.at(-1)?.[0]
        return fact !== undefined && holds(facts, all) ? [{ reason, fact }] : []
      }),
    )

/** A recipient without contact: only the address is known. */
export const addressOnly = (
  known: Pick<RecipientFacts, "emailNormalized" | "suppression" | "topic" | "consentRequired">,
): RecipientFacts => ({
  ...known,
  unsubscribed: false,
  marketingEmailSubscribed: null,
  marketingEmailInvalid: false,
})

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
