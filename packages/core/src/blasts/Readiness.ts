// The readiness of a draft: what is missing before it can be sent, and warnings. Reads, schedules and launches use the same
// function, so that they agree.
import { Schema } from "effect"
import { domainOf } from "../emails/Email.ts"
import { findTokens, isKnown } from "../rendering/MergeTokens.ts"
import type { ErrorCode } from "../kernel/ErrorCode.ts"
import type { ApprovalId, EmailId, ListId } from "../kernel/Ids.ts"
import { isBlank } from "../kernel/Text.ts"
import type { DraftBlast } from "./Blast.ts"

export const missingParts = ["audience", "email", "email_approval", "schedule", "sender_domain"] as const
export type MissingPart = (typeof missingParts)[number]

export const readinessWarnings = [
  "empty_static_audience",
  "empty_dynamic_audience",
  "unresolved_tokens",
  "no_postal_address",
  "schedule_missed",
] as const
export type ReadinessWarning = (typeof readinessWarnings)[number]

/** `ready`: only the time is missing. */
export interface Readiness {
  readonly ready: boolean
  readonly missing: ReadonlyArray<MissingPart>
  readonly warnings: ReadonlyArray<ReadinessWarning>
}

/** The blast's list as it is now. */
export interface ListFacts {
  readonly listId: ListId
  readonly name: string
  readonly kind: "static" | "dynamic" | "system"
  /** The stored counter of a static list. */
  readonly memberCount: number | null
  /** The list has no member at the moment. Always false unless the blast is a draft: other blasts are not checked. */
  readonly empty: boolean
}

/** The blast's email as it is now. */
export interface EmailFacts {
  readonly emailId: EmailId
  readonly name: string
  readonly status: "draft" | "approved"
  readonly subject: string | null
  readonly currentVersion: number
  readonly approval: { readonly approvalId: ApprovalId; readonly version: number } | null
  /**
   * The texts that would be sent (of the approval, or of the email while there is none), or those parts of them that contain
   * merge tokens. Empty unless the blast is a draft.
   */
  readonly texts: ReadonlyArray<string>
}

export interface ReadinessFacts {
  /** Null when none is set, and when the list has been deleted since. */
  readonly list: ListFacts | null
  readonly email: EmailFacts | null
  /** Of the approval that would be sent, or of the email while there is no approval. */
  readonly senderAddress: string | null
  /** The workspace's verified sending domains, as A-labels. */
  readonly verifiedDomains: ReadonlySet<string>
  readonly postalAddress: string | null
  /** `api_name`s of the workspace's active custom fields. Empty unless the blast is a draft. */
  readonly customFields: ReadonlySet<string>
}

/** Merge tokens that resolve for no contact: unknown tokens, and tokens that only flows have values for. */
export const unresolvedTokens = (texts: ReadonlyArray<string>, customFields: ReadonlySet<string>) => [
  ...new Set(
    texts
      .flatMap(findTokens)
      .filter(({ token }) => token.path[0] === "campaign" || !isKnown(token, customFields))
      .map(({ token }) => token.name),
  ),
]

export const senderVerified = ({ senderAddress, verifiedDomains }: ReadinessFacts): boolean =>
  senderAddress !== null && verifiedDomains.has(domainOf(senderAddress))

const missing = (facts: ReadinessFacts): ReadonlyArray<MissingPart> => {
  const { list, email } = facts
  const parts: Array<MissingPart> = []
  if (list === null) parts.push("audience")
  if (email === null) parts.push("email")
  else if (email.status !== "approved" || email.approval === null) parts.push("email_approval")
  parts.push("schedule")
  // An email without a sender can't be approved, so `email_approval` covers that case.
  if (email !== null && facts.senderAddress !== null && !senderVerified(facts)) parts.push("sender_domain")
  return parts
}

const warnings = (blast: DraftBlast, facts: ReadinessFacts, operational: boolean): ReadonlyArray<ReadinessWarning> => {
  const found: Array<ReadinessWarning> = []
  if (facts.list?.empty === true) {
    found.push(facts.list.kind === "static" ? "empty_static_audience" : "empty_dynamic_audience")
  }
  if (unresolvedTokens(facts.email?.texts ?? [], facts.customFields).length > 0) found.push("unresolved_tokens")
  // Operational mail has no footer, so it needs no postal address.
  if (!operational && (facts.postalAddress === null || isBlank(facts.postalAddress))) found.push("no_postal_address")
  if (blast.scheduleMissed) found.push("schedule_missed")
  return found
}

/** `operational`: as it would be sent. Defaults to the draft's own setting. */
export const readiness = (
  blast: DraftBlast,
  facts: ReadinessFacts,
  operational: boolean = blast.operational,
): Readiness => {
  const parts = missing(facts)
  return {
    ready: parts.every((part) => part === "schedule"),
    missing: parts,
    warnings: warnings(blast, facts, operational),
  }
}

const wanted: { readonly [Part in Exclude<MissingPart, "schedule">]: string } = {
  audience: "set an audience",
  email: "set an email",
  email_approval: "approve the email",
  sender_domain: "verify the sender's domain",
}

const ReadinessSchema = Schema.Struct({
  ready: Schema.Boolean,
  missing: Schema.Array(Schema.Literals(missingParts)),
  warnings: Schema.Array(Schema.Literals(readinessWarnings)),
})

/** The draft can't be scheduled or sent yet. */
export class CampaignNotReady extends Schema.TaggedError<CampaignNotReady>()("CampaignNotReady", {
  readiness: ReadinessSchema,
}) {
  readonly code = "campaign_not_ready" satisfies ErrorCode
  override get message(): string {
    const steps = this.readiness.missing.flatMap((part) => (part === "schedule" ? [] : [wanted[part]]))
    return `The blast is not ready. First ${steps.join(", then ")}`
  }
  get extras() {
    return { approval_readiness: this.readiness }
  }
}
