// From a draft to mail on its way: by hand, by a schedule, and what the plan has to say to it. The same facts and the same
// limits for all three.
import { DateTime, Result, Schema } from "effect"
import type { ErrorCode } from "../kernel/ErrorCode.ts"
import { Invalid, InvalidState } from "../kernel/Refusal.ts"
import type { Plan } from "../workspaces/Workspace.ts"
import {
  type Audience,
  type AttachedEmail,
  type Blast,
  type CancelledBlast,
  type CancelReason,
  cancelReasons,
  type DraftBlast,
  type FailedBlast,
  type LockedEmail,
  schedule_grace_ms,
  type ScheduledBlast,
  type SendingBlast,
} from "./Blast.ts"
import { CampaignNotReady, readiness, type ReadinessFacts, senderVerified } from "./Readiness.ts"

/** What a plan with limits asks about. Counts stop at `counted_max`. */
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
  /** Null when the plan limits neither mails nor contacts: nobody counts then. */
  readonly allotment: Allotment | null
}

interface OverLimit {
  readonly reason: CancelReason
  readonly limit: number
  readonly current: number
  readonly needed: number
}

/** A plan without these limits never gets here. */
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

/** How many of the day's mails the blast takes. */
const needed = ({ plan, allotment }: LaunchFacts): number => {
  if (allotment === null) return 0
  return plan.recipientsPerBlast_max === null
    ? allotment.qualified
    : Math.min(allotment.qualified, plan.recipientsPerBlast_max)
}

const overAllowance = ({ plan, allotment }: LaunchFacts): OverLimit | null =>
  allotment !== null && plan.contacts_max !== null && allotment.contacts > plan.contacts_max
    ? { reason: "contact_allowance", limit: plan.contacts_max, current: allotment.contacts, needed: 0 }
    : null

const overLimit = (facts: LaunchFacts): OverLimit | null => {
  const { plan, allotment } = facts
  if (allotment === null) return null
  const wants = needed(facts)
  if (plan.emailsPerDay_max !== null && allotment.usedToday + wants > plan.emailsPerDay_max) {
    return { reason: "daily_email_limit", limit: plan.emailsPerDay_max, current: allotment.usedToday, needed: wants }
  }
  return overAllowance(facts)
}

/**
 * Whether failed recipients may be sent to again. The day's mails are not asked about: these were taken from their day
 * when the blast was launched, and were not given back.
 */
export const checkRetry = (facts: LaunchFacts): Result.Result<void, CampaignNotReady | FreePlanEmailLimit> => {
  if (!senderVerified(facts)) {
    return Result.fail(new CampaignNotReady({ readiness: { ready: false, missing: ["sender_domain"], warnings: [] } }))
  }
  const over = overAllowance(facts)
  return over === null ? Result.void : Result.fail(new FreePlanEmailLimit(over))
}

interface ReadyDraft {
  readonly draft: DraftBlast
  readonly audience: Audience
  readonly email: AttachedEmail
  readonly locked: LockedEmail
}

/** The draft with everything that a send needs, or why it can't be. */
const ready = (
  blast: Blast,
  facts: ReadinessFacts,
  options: { readonly operational: boolean; readonly move: string },
  now: DateTime.Utc,
): Result.Result<ReadyDraft, InvalidState | CampaignNotReady> => {
  if (blast.status !== "draft") {
    return Result.fail(new InvalidState({ resource: "email blast", status: blast.status, move: options.move }))
  }
  const answer = readiness(blast, facts, options.operational)
  const { audience, email } = blast
  const approval = facts.email?.approval ?? null
  if (!answer.ready || audience === null || email === null || approval === null) {
    return Result.fail(new CampaignNotReady({ readiness: answer }))
  }
  return Result.succeed({ draft: blast, audience, email, locked: { ...approval, at: now } })
}

const described = ({ id, name, description, createdAt }: Blast) => ({ id, name, description, createdAt })

/** Sends a draft at once. A plan's limit refuses, and leaves the draft as it is. */
export const launch = (
  blast: Blast,
  facts: LaunchFacts,
  { operational }: { readonly operational: boolean },
  now: DateTime.Utc,
): Result.Result<SendingBlast, InvalidState | CampaignNotReady | FreePlanEmailLimit> =>
  Result.flatMap(ready(blast, facts, { operational, move: "sent" }, now), ({ draft, audience, email, locked }) => {
    const over = overLimit(facts)
    if (over !== null) return Result.fail(new FreePlanEmailLimit(over))
    return Result.succeed({
      ...described(draft),
      status: "sending",
      operational,
      audience,
      email,
      locked,
      time: { mode: "send_now" },
      launch: { at: now, allotted: needed(facts), pass: null, audience: null },
      paused: false,
      retryingSince: null,
      updatedAt: now,
    })
  })

/** Sets a time. What is approved now is what will be sent. */
export const schedule = (
  blast: Blast,
  facts: ReadinessFacts,
  { scheduledAt, operational }: { readonly scheduledAt: DateTime.Utc; readonly operational: boolean },
  now: DateTime.Utc,
): Result.Result<ScheduledBlast, InvalidState | Invalid | CampaignNotReady> => {
  if (blast.status === "draft" && scheduledAt.epochMilliseconds <= now.epochMilliseconds) {
    return Result.fail(Invalid.at("scheduled_at", "must be in the future"))
  }
  return Result.map(
    ready(blast, facts, { operational, move: "scheduled" }, now),
    ({ draft, audience, email, locked }): ScheduledBlast => ({
      ...described(draft),
      status: "scheduled",
      operational,
      audience,
      email,
      locked,
      time: { mode: "scheduled", scheduledAt },
      updatedAt: now,
    }),
  )
}

/** Back to an editable draft: time, mode and lock are gone. */
export const toDraft = (blast: ScheduledBlast, scheduleMissed: boolean, now: DateTime.Utc): DraftBlast => ({
  ...described(blast),
  status: "draft",
  operational: blast.operational,
  audience: blast.audience,
  email: blast.email,
  scheduleMissed,
  updatedAt: now,
})

const failureOf = (facts: LaunchFacts): string | null => {
  if (facts.list === null) return "audience_gone"
  return senderVerified(facts) ? null : "sender_domain_unverified"
}

/**
 * The scheduled time has come. Too late (the service was down for more than a day), it is a draft again; over a limit of
 * the plan, it is cancelled and nothing is sent; without its list or its verified sender, it has failed.
 */
export const fire = (
  blast: Blast,
  facts: LaunchFacts,
  now: DateTime.Utc,
): Result.Result<SendingBlast | CancelledBlast | FailedBlast | DraftBlast, InvalidState> => {
  if (blast.status !== "scheduled") {
    return Result.fail(new InvalidState({ resource: "email blast", status: blast.status, move: "sent on schedule" }))
  }
  const late_ms = now.epochMilliseconds - blast.time.scheduledAt.epochMilliseconds
  if (late_ms < 0) {
    return Result.fail(new InvalidState({ resource: "email blast", status: "scheduled", move: "sent before its time" }))
  }
  if (late_ms > schedule_grace_ms) return Result.succeed(toDraft(blast, true, now))

  const settled = {
    ...described(blast),
    operational: blast.operational,
    audience: blast.audience,
    email: blast.email,
    locked: blast.locked,
    time: blast.time,
    updatedAt: now,
  }
  const failure = failureOf(facts)
  if (failure !== null) {
    return Result.succeed({
      ...settled,
      status: "failed",
      failure,
      launch: { at: now, allotted: 0, pass: null, audience: null },
    })
  }
  const over = overLimit(facts)
  if (over !== null) {
    return Result.succeed({
      ...settled,
      status: "cancelled",
      launch: null,
      cancelledAt: now,
      cancelledReason: over.reason,
    })
  }
  return Result.succeed({
    ...settled,
    status: "sending",
    paused: false,
    retryingSince: null,
    launch: { at: now, allotted: needed(facts), pass: null, audience: null },
  })
}
