// The conditions of a launch, a schedule and a retry: the facts that they depend on, the readiness of a draft, the limits of the
// plan, and the errors that refuse. A new condition changes this file, and `BlastFacts.ts` of both stores if it needs a new fact.
import { Result, Schema } from "effect"
import type { ActorName } from "../kernel/changes/Actor.ts"
import { refusalClass } from "../kernel/Refusal.ts"
import { changedSinceApproval, type HeaderName, type MailHeader } from "../documents/EmailFields.ts"
import { domainOf } from "../emails/Email.ts"
import { isKnown, tokenNames } from "../rendering/MergeTokens.ts"
import type { ApprovalId, EmailId, ListId } from "../kernel/Ids.ts"
import { isBlank } from "../kernel/Text.ts"
import { AnotherPersonNeeded, isSamePerson } from "../workspaces/FourEyes.ts"
import type { Topic } from "../topics/Topic.ts"
import type { Plan } from "../workspaces/Workspace.ts"
import { type AttachedEmail, type Audience, cancelReasons, type DraftBlast } from "./Blast.ts"

export const missingParts = ["audience", "email", "email_approval", "schedule", "sender_domain", "topic"] as const
export type MissingPart = (typeof missingParts)[number]

export const readinessWarnings = [
  "empty_static_audience",
  "empty_dynamic_audience",
  "unresolved_tokens",
  "no_postal_address",
  "schedule_missed",
  "email_changed_since_approval",
  "topic_ignored",
] as const
export type ReadinessWarning = (typeof readinessWarnings)[number]

const Readiness = Schema.Struct({
  /** Only the time is missing. */
  ready: Schema.Boolean,
  missing: Schema.Array(Schema.Literals(missingParts)),
  warnings: Schema.Array(Schema.Literals(readinessWarnings)),
})
export type Readiness = typeof Readiness.Type

/** The blast's list as it is now. */
export interface ListSummary {
  readonly listId: ListId
  readonly name: string
  readonly kind: "static" | "dynamic" | "system"
  /** The stored counter of a static list. */
  readonly memberCount: number | null
}

export interface ListFacts extends ListSummary {
  /** The list has no member at the moment. Always false unless the blast is a draft: other blasts are not checked. */
  readonly empty: boolean
}

/** The blast's email as it is now. */
export interface EmailSummary {
  readonly emailId: EmailId
  readonly name: string
  readonly status: "draft" | "approved"
  readonly subject: string | null
  readonly header: MailHeader
  readonly currentVersion: number
  readonly approval: { readonly approvalId: ApprovalId; readonly version: number; readonly by: ActorName } | null
}

export interface EmailFacts extends EmailSummary {
  /** The texts that would be sent, or their parts with merge tokens. Empty unless the blast is a draft. */
  readonly texts: ReadonlyArray<string>
}

/** The facts that every view of a blast shows. They cost no more than the rows that they are in. */
export interface SummaryFacts {
  /** Null when none is set, and when the list has been deleted since. */
  readonly list: ListSummary | null
  readonly email: EmailSummary | null
  /** Subject, preview text and sender of the approval that is sent or would be; null while there is no approval. */
  readonly approvedHeader: MailHeader | null
}

/** Readiness also depends on the members of the list and the tokens of the email. */
export interface ReadinessFacts extends SummaryFacts {
  readonly list: ListFacts | null
  readonly email: EmailFacts | null
  /** Of the approval that would be sent, or of the email while there is no approval. */
  readonly senderAddress: string | null
  /** The workspace's verified sending domains, as A-labels. */
  readonly verifiedDomains: ReadonlySet<string>
  readonly postalAddress: string | null
  /** Whether another person than the approver has to launch or schedule. */
  readonly fourEyes: boolean
  /** `api_name`s of the workspace's active custom fields. Empty unless the blast is a draft. */
  readonly customFields: ReadonlySet<string>
  /** Null when none is set. */
  readonly topic: Pick<Topic, "status"> | null
}

/** The counts that a plan's limits are checked against. Counts stop at `counted_max`. */
export interface Allotment {
  readonly contacts: number
  /** Qualified recipients of the blasts launched on this UTC day. */
  readonly usedToday: number
  /** Recipients that this blast would qualify now. */
  readonly qualified: number
}

export const counted_max = 100_000

export interface LaunchFacts extends ReadinessFacts {
  readonly plan: Plan
  /** Null when the plan limits neither emails nor contacts: then nothing is counted. */
  readonly allotment: Allotment | null
}

/** Merge tokens that resolve for no contact: unknown tokens, and tokens that only flows have values for. */
export const unresolvedTokens = (texts: ReadonlyArray<string>, customFields: ReadonlySet<string>) =>
  tokenNames(texts, (token) => token.path[0] === "campaign" || !isKnown(token, customFields))

/** The fields of the email that differ from those of the approval. */
export const emailChanges = ({ email, approvedHeader }: SummaryFacts): ReadonlyArray<HeaderName> =>
  email === null ? [] : changedSinceApproval(email.header, approvedHeader)

export const senderVerified = ({ senderAddress, verifiedDomains }: ReadinessFacts): boolean =>
  senderAddress !== null && verifiedDomains.has(domainOf(senderAddress))

const missingIn = (facts: ReadinessFacts, operational: boolean): ReadonlyArray<MissingPart> => {
  const { list, email } = facts
  const parts: Array<MissingPart> = []
  if (list === null) parts.push("audience")
  if (email === null) parts.push("email")
  else if (email.status !== "approved" || email.approval === null) parts.push("email_approval")
  parts.push("schedule")
  // An email without a sender can't be approved, so `email_approval` covers that case.
  if (email !== null && facts.senderAddress !== null && !senderVerified(facts)) parts.push("sender_domain")
  if (!operational && facts.topic?.status === "archived") parts.push("topic")
  return parts
}

const warningsOf = (
  blast: DraftBlast,
  facts: ReadinessFacts,
  operational: boolean,
): ReadonlyArray<ReadinessWarning> => {
  const found: Array<ReadinessWarning> = []
  if (facts.list?.empty === true) {
    found.push(facts.list.kind === "static" ? "empty_static_audience" : "empty_dynamic_audience")
  }
  if (unresolvedTokens(facts.email?.texts ?? [], facts.customFields).length > 0) found.push("unresolved_tokens")
  // Operational mail has no footer, so it needs no postal address.
  if (!operational && (facts.postalAddress === null || isBlank(facts.postalAddress))) found.push("no_postal_address")
  if (blast.scheduleMissed) found.push("schedule_missed")
  if (emailChanges(facts).length > 0) found.push("email_changed_since_approval")
  if (operational && blast.topicId !== null) found.push("topic_ignored")
  return found
}

/** `operational`: as it would be sent. Defaults to the draft's own setting. */
export const readiness = (
  blast: DraftBlast,
  facts: ReadinessFacts,
  operational: boolean = blast.operational,
): Readiness => {
  const parts = missingIn(facts, operational)
  return {
    ready: parts.every((part) => part === "schedule"),
    missing: parts,
    warnings: warningsOf(blast, facts, operational),
  }
}

const wanted: { readonly [Part in Exclude<MissingPart, "schedule">]: string } = {
  audience: "set an audience",
  email: "set an email",
  email_approval: "approve the email",
  sender_domain: "verify the sender's domain",
  topic: "set a topic that is active, or none",
}

/** The draft can't be scheduled or sent yet. */
export class CampaignNotReady extends refusalClass<CampaignNotReady>()("CampaignNotReady", {
  code: "campaign_not_ready",
  fields: { readiness: Readiness },
  message: (it) => {
    const steps = it.readiness.missing.flatMap((part) => (part === "schedule" ? [] : [wanted[part]]))
    return `The blast is not ready. First ${steps.join(", then ")}`
  },
  extras: ({ readiness }) => ({ approval_readiness: readiness }),
}) {}

/** Only plans with limits fail with this. */
export class FreePlanEmailLimit extends refusalClass<FreePlanEmailLimit>()("FreePlanEmailLimit", {
  code: "free_plan_email_limit",
  fields: { reason: Schema.Literals(cancelReasons), limit: Schema.Int, current: Schema.Int, needed: Schema.Int },
  message: ({ current, limit, needed, reason }) =>
    reason === "daily_email_limit"
      ? `The plan allows ${limit} emails a day (UTC), ${current} are used today and ${needed} more ${needed === 1 ? "is" : "are"} needed. Send fewer, send another day, or upgrade`
      : `The plan allows ${limit} contacts and the workspace has ${current}. Delete some or upgrade`,
  extras: ({ current, limit }) => ({ limit, current }),
}) {}

/** How many of the day's emails the blast takes. */
export const allotted = ({ plan, allotment }: LaunchFacts): number =>
  allotment === null ? 0 : Math.min(allotment.qualified, plan.recipientsPerBlast_max ?? Infinity)

const overAllowance = ({ plan, allotment }: LaunchFacts): FreePlanEmailLimit | null =>
  allotment !== null && plan.contacts_max !== null && allotment.contacts > plan.contacts_max
    ? new FreePlanEmailLimit({
        reason: "contact_allowance",
        limit: plan.contacts_max,
        current: allotment.contacts,
        needed: 0,
      })
    : null

export const overLimit = (facts: LaunchFacts): FreePlanEmailLimit | null => {
  const limit = facts.plan.emailsPerDay_max
  const current = facts.allotment?.usedToday ?? 0
  const needed = allotted(facts)
  return facts.allotment !== null && limit !== null && current + needed > limit
    ? new FreePlanEmailLimit({ reason: "daily_email_limit", limit, current, needed })
    : overAllowance(facts)
}

const within = (over: FreePlanEmailLimit | null): Result.Result<void, FreePlanEmailLimit> =>
  over === null ? Result.void : Result.fail(over)

export const checkLimits = (facts: LaunchFacts) => within(overLimit(facts))

/** The launch has counted these messages, and failures did not return them: the daily email limit does not apply. */
export const checkRetry = (facts: LaunchFacts): Result.Result<void, CampaignNotReady | FreePlanEmailLimit> =>
  senderVerified(facts)
    ? within(overAllowance(facts))
    : Result.fail(new CampaignNotReady({ readiness: { ready: false, missing: ["sender_domain"], warnings: [] } }))

interface ReadyParts {
  readonly audience: Audience
  readonly email: AttachedEmail
  readonly approval: { readonly approvalId: ApprovalId; readonly version: number }
}

/** What a draft is sent with. Fails with what is missing, and if the caller is not the person who has to send it. */
export const checkReady = (
  draft: DraftBlast,
  facts: ReadinessFacts,
  { by, operational }: { readonly by: ActorName; readonly operational: boolean },
): Result.Result<ReadyParts, CampaignNotReady | AnotherPersonNeeded> => {
  const answer = readiness(draft, facts, operational)
  const { audience, email } = draft
  const approval = facts.email?.approval ?? null
  if (!answer.ready || audience === null || email === null || approval === null) {
    return Result.fail(new CampaignNotReady({ readiness: answer }))
  }
  const { by: approvedBy, ...locked } = approval
  return facts.fourEyes && isSamePerson(approvedBy, by)
    ? Result.fail(new AnotherPersonNeeded({ step: "launch" }))
    : Result.succeed({ audience, email, approval: locked })
}

/** Why a scheduled blast can't be sent at its time. */
export const failureOf = (facts: LaunchFacts): string | null => {
  if (facts.list === null) return "audience_gone"
  return senderVerified(facts) ? null : "sender_domain_unverified"
}
