// The conditions of a launch, a schedule and a retry: readiness and the limits of the plan.
import { Result, Schema } from "effect"
import type { ErrorCode } from "../kernel/ErrorCode.ts"
import type { Plan } from "../workspaces/Workspace.ts"
import { type CancelReason, cancelReasons, type DraftBlast } from "./Blast.ts"
import { CampaignNotReady, readiness, type ReadinessFacts, senderVerified } from "./Readiness.ts"

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

interface OverLimit {
  readonly reason: CancelReason
  readonly limit: number
  readonly current: number
  readonly needed: number
}

/** Only plans with limits fail with this. */
export class FreePlanEmailLimit extends Schema.TaggedError<FreePlanEmailLimit>()("FreePlanEmailLimit", {
  reason: Schema.Literals(cancelReasons),
  limit: Schema.Int,
  current: Schema.Int,
  needed: Schema.Int,
}) {
  readonly code = "free_plan_email_limit" satisfies ErrorCode
  override get message(): string {
    return this.reason === "daily_email_limit"
      ? `The plan allows ${this.limit} emails a day (UTC), ${this.current} are used today and this blast needs ${this.needed}. Send it to fewer contacts, send it another day, or upgrade`
      : `The plan allows ${this.limit} contacts and the workspace has ${this.current}. Delete some or upgrade`
  }
  get extras() {
    return { limit: this.limit, current: this.current }
  }
}

/** How many of the day's emails the blast takes. */
export const allotted = ({ plan, allotment }: LaunchFacts): number => {
  if (allotment === null) return 0
  return plan.recipientsPerBlast_max === null
    ? allotment.qualified
    : Math.min(allotment.qualified, plan.recipientsPerBlast_max)
}

const overAllowance = ({ plan, allotment }: LaunchFacts): OverLimit | null =>
  allotment !== null && plan.contacts_max !== null && allotment.contacts > plan.contacts_max
    ? { reason: "contact_allowance", limit: plan.contacts_max, current: allotment.contacts, needed: 0 }
    : null

/** The plan's limit that a launch would exceed. */
export const overLimit = (facts: LaunchFacts): OverLimit | null => {
  const { plan, allotment } = facts
  if (allotment === null) return null
  const wants = allotted(facts)
  if (plan.emailsPerDay_max !== null && allotment.usedToday + wants > plan.emailsPerDay_max) {
    return { reason: "daily_email_limit", limit: plan.emailsPerDay_max, current: allotment.usedToday, needed: wants }
  }
  return overAllowance(facts)
}

/**
 * Checks a retry of failed recipients. The daily email limit does not apply: the launch has counted these messages already,
 * and failures did not return them.
 */
export const checkRetry = (facts: LaunchFacts): Result.Result<void, CampaignNotReady | FreePlanEmailLimit> => {
  if (!senderVerified(facts)) {
    return Result.fail(new CampaignNotReady({ readiness: { ready: false, missing: ["sender_domain"], warnings: [] } }))
  }
  const over = overAllowance(facts)
  return over === null ? Result.void : Result.fail(new FreePlanEmailLimit(over))
}

/** What a draft is sent with. Fails with what is missing. */
export const checkReady = (draft: DraftBlast, facts: ReadinessFacts, operational: boolean) => {
  const answer = readiness(draft, facts, operational)
  const { audience, email } = draft
  const approval = facts.email?.approval ?? null
  return !answer.ready || audience === null || email === null || approval === null
    ? Result.fail(new CampaignNotReady({ readiness: answer }))
    : Result.succeed({ audience, email, approval })
}

export const checkLimits = (facts: LaunchFacts): Result.Result<void, FreePlanEmailLimit> => {
  const over = overLimit(facts)
  return over === null ? Result.void : Result.fail(new FreePlanEmailLimit(over))
}

/** Why a scheduled blast can't be sent at its time. */
export const failureOf = (facts: LaunchFacts): string | null => {
  if (facts.list === null) return "audience_gone"
  return senderVerified(facts) ? null : "sender_domain_unverified"
}
