// A blast: one email to one audience, once. A union by status, so that a scheduled blast has its time and its approval, and
// a draft has neither.
import { type DateTime, Result } from "effect"
import type { AudienceCounts, AudiencePass, FixedAudience } from "../sending/Audience.ts"
import type { ApprovalId, BlastId, EmailId, ListId } from "../kernel/Ids.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import { isBlank } from "../kernel/Text.ts"

export const blastStatuses = ["draft", "scheduled", "sending", "sent", "failed", "cancelled", "archived"] as const
export type BlastStatus = (typeof blastStatuses)[number]

/** Whether the list or email was there before, or was made for this blast. */
export type Source = "existing" | "inline"

export interface Audience {
  readonly listId: ListId
  readonly source: Source
}

export interface AttachedEmail {
  readonly emailId: EmailId
  readonly source: Source
}

/** What was settled when the blast was scheduled or launched: it sends by this approval and no later one. */
export interface LockedEmail {
  readonly approvalId: ApprovalId
  readonly version: number
  readonly at: DateTime.Utc
}

/** When the user wanted it to go. */
export type SendTime =
  | { readonly mode: "send_now" }
  | { readonly mode: "scheduled"; readonly scheduledAt: DateTime.Utc }

export interface Launch {
  readonly at: DateTime.Utc
  /** Taken from the plan's allotment of that UTC day; counts until the audience is fixed, then `qualifiedCount` does. */
  readonly allotted: number
  /** Null before the first slice of the audience is written, and after the last. */
  readonly pass: AudiencePass | null
  /** Null until all of it is written. */
  readonly audience: FixedAudience | null
}

/** Who cancelled it: the user (null), or the free plan's limits when its time came. */
export const cancelReasons = ["daily_email_limit", "contact_allowance"] as const
export type CancelReason = (typeof cancelReasons)[number]

interface Described {
  readonly id: BlastId
  readonly name: string
  readonly description: string | null
  /** Transactional: no unsubscribe footer, and the unsubscribed are not left out. */
  readonly operational: boolean
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** Audience, email and approval are frozen from here on. */
interface Settled extends Described {
  readonly audience: Audience
  readonly email: AttachedEmail
  readonly locked: LockedEmail
}

interface Launched extends Settled {
  readonly time: SendTime
  readonly launch: Launch
}

export interface DraftBlast extends Described {
  readonly status: "draft"
  readonly audience: Audience | null
  readonly email: AttachedEmail | null
  /** It was scheduled, and the service was down for more than a day after its time. */
  readonly scheduleMissed: boolean
}

export interface ScheduledBlast extends Settled {
  readonly status: "scheduled"
  readonly time: Extract<SendTime, { readonly mode: "scheduled" }>
}

export interface SendingBlast extends Launched {
  readonly status: "sending"
  readonly paused: boolean
  /** Since when failed recipients are being put back into the queue; it is not over before they are. */
  readonly retryingSince: DateTime.Utc | null
}

export interface SentBlast extends Launched {
  readonly status: "sent"
  readonly sentAt: DateTime.Utc
}

/** `failure` says why: `audience_gone`, `sender_domain_unverified`, or in the words of the mail server that refuses all. */
export interface FailedBlast extends Launched {
  readonly status: "failed"
  readonly failure: string
}

export interface CancelledBlast extends Settled {
  readonly status: "cancelled"
  readonly time: SendTime
  /** Null when it was cancelled before it began. */
  readonly launch: Launch | null
  readonly cancelledAt: DateTime.Utc
  readonly cancelledReason: CancelReason | null
}

/** Put away, as it was: whatever it had come to stays readable. */
export interface ArchivedBlast extends Described {
  readonly status: "archived"
  readonly audience: Audience | null
  readonly email: AttachedEmail | null
  readonly locked: LockedEmail | null
  readonly time: SendTime | null
  readonly launch: Launch | null
  readonly failure: string | null
  readonly sentAt: DateTime.Utc | null
  readonly cancelledAt: DateTime.Utc | null
  readonly cancelledReason: CancelReason | null
}

export type Blast =
  | DraftBlast
  | ScheduledBlast
  | SendingBlast
  | SentBlast
  | FailedBlast
  | CancelledBlast
  | ArchivedBlast

export const blast_name_length_max = 200
export const blast_description_length_max = 1000

/** A scheduled time missed by more than this does not fire any more. */
export const schedule_grace_ms = 24 * 60 * 60_000

export interface BlastFields {
  readonly name?: string
  readonly description?: string | null
}

export const checkFields = ({ name, description }: BlastFields): Result.Result<void, Invalid> => {
  const issues: Array<Issue> = []
  if (name !== undefined && (isBlank(name) || name.length > blast_name_length_max)) {
    issues.push({ path: "name", message: `must have 1 to ${blast_name_length_max} characters` })
  }
  if (description !== undefined && description !== null && description.length > blast_description_length_max) {
    issues.push({ path: "description", message: `must have at most ${blast_description_length_max} characters` })
  }
  return issues.length === 0 ? Result.void : Result.fail(new Invalid({ issues }))
}

/** The run of a blast that has begun, whatever became of it. */
export const launchOf = (blast: Blast): Launch | null => ("launch" in blast ? blast.launch : null)

/** Whom its audience held, as far as it is written. */
export const countsOf = (launch: Launch | null): AudienceCounts | null => launch?.audience ?? launch?.pass ?? null

/** When it goes, or was to go; null while nobody has said. */
export const timeOf = (blast: Blast): SendTime | null => ("time" in blast ? blast.time : null)

export const lockedOf = (blast: Blast): LockedEmail | null => ("locked" in blast ? blast.locked : null)

/** The recipients of a retry, besides those that failed for a reason that may pass. */
export interface RetryOptions {
  /** Also those whose outcome is unknown: some of them get a second message. */
  readonly includeUnconfirmed: boolean
}

/** How recipients end that are still open when their blast ends before they do. */
export type EarlyEnding = "cancelled" | "blast_failed"

/** Null while a blast may still reach its recipients, or has reached them all. */
export const earlyEndingOf = (blast: Blast): EarlyEnding | null => {
  switch (blast.status) {
    case "cancelled":
      return "cancelled"
    case "failed":
      return "blast_failed"
    case "archived":
      if (blast.cancelledAt !== null) return "cancelled"
      return blast.failure === null ? null : "blast_failed"
    default:
      return null
  }
}

export type NewBlast = BlastFields & { readonly name: string }

export const blankBlast = (id: BlastId, fields: NewBlast, now: DateTime.Utc): DraftBlast => ({
  id,
  name: fields.name,
  description: fields.description ?? null,
  status: "draft",
  operational: false,
  audience: null,
  email: null,
  scheduleMissed: false,
  createdAt: now,
  updatedAt: now,
})
