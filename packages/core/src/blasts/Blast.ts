// A blast: one email to one audience, sent once. A union by status: each has the parts that its status requires.
import { type DateTime, Result } from "effect"
import type { AudienceCounts, AudiencePass, FixedAudience } from "../sending/Delivery.ts"
import type { ApprovalId, BlastId, EmailId, ListId, TopicId } from "../kernel/Ids.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import { isBlank } from "../kernel/Text.ts"

export const blastStatuses = ["draft", "scheduled", "sending", "sent", "failed", "cancelled", "archived"] as const
export type BlastStatus = (typeof blastStatuses)[number]

/** Whether the list or email existed before, or was created for this blast. */
export type Source = "existing" | "inline"

export interface Audience {
  readonly listId: ListId
  readonly source: Source
}

export interface AttachedEmail {
  readonly emailId: EmailId
  readonly source: Source
}

/** What a schedule or launch fixed: the blast sends this approval and no later one. */
export interface LockedEmail {
  readonly approvalId: ApprovalId
  readonly version: number
  readonly at: DateTime.Utc
}

export type SendTime =
  | { readonly mode: "send_now" }
  | { readonly mode: "scheduled"; readonly scheduledAt: DateTime.Utc }

export interface Launch {
  readonly at: DateTime.Utc
  /** Taken from the plan's allotment of that UTC day. Counts until the audience is fixed, then `qualifiedCount` counts. */
  readonly allotted: number
  /** Null before the first slice of the audience is written, and after the last. */
  readonly pass: AudiencePass | null
  /** Null until all of it is written. */
  readonly audience: FixedAudience | null
}

/** Why a blast was cancelled: by the user (null), or by a limit of the free plan at its scheduled time. */
export const cancelReasons = ["daily_email_limit", "contact_allowance"] as const
export type CancelReason = (typeof cancelReasons)[number]

interface Described {
  readonly id: BlastId
  readonly name: string
  readonly description: string | null
  /** Operational mail has no unsubscribe footer and is sent to unsubscribed contacts too. */
  readonly operational: boolean
  /** Null: all marketing. It is frozen from the first schedule or launch on, and counts for nothing in operational mail. */
  readonly topicId: TopicId | null
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
  /** The start of the retry whose recipients are being requeued. The blast can't complete before they are queued. */
  readonly retryingSince: DateTime.Utc | null
}

export interface SentBlast extends Launched {
  readonly status: "sent"
  readonly sentAt: DateTime.Utc
}

/** `failure`: `audience_gone`, `sender_domain_unverified`, or the reply of the mail server that refuses all messages. */
export interface FailedBlast extends Launched {
  readonly status: "failed"
  readonly failure: string
}

export interface CancelledBlast extends Settled {
  readonly status: "cancelled"
  readonly time: SendTime
  /** Null when it was cancelled before its launch. */
  readonly launch: Launch | null
  readonly cancelledAt: DateTime.Utc
  readonly cancelledReason: CancelReason | null
}

/** Hidden from listings. All data of its former status stays readable. */
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

/** A scheduled blast that is later than this is not sent. */
export const schedule_grace_ms = 24 * 60 * 60_000

export interface BlastFields {
  readonly name?: string
  readonly description?: string | null
  readonly topicId?: TopicId | null
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

/** The launch of a blast, whatever its status is now; null when it was never launched. */
export const launchOf = (blast: Blast): Launch | null => ("launch" in blast ? blast.launch : null)

/** The counts of its audience, as far as it is written. */
export const countsOf = (launch: Launch | null): AudienceCounts | null => launch?.audience ?? launch?.pass ?? null

/** When it is sent or was to be sent; null while no time is set. */
export const timeOf = (blast: Blast): SendTime | null => ("time" in blast ? blast.time : null)

export const lockedOf = (blast: Blast): LockedEmail | null => ("locked" in blast ? blast.locked : null)

/** Which recipients a retry includes, besides those that failed for a temporary reason. */
export interface RetryOptions {
  /** Also those whose outcome is unknown. Some of them get a second message. */
  readonly includeUnconfirmed: boolean
}

/** The reason of recipients that are still open when their blast ends. */
export type EarlyEndReason = "cancelled" | "blast_failed"

/** Null while a blast may still reach its recipients, or has reached them all. */
export const earlyEndReasonOf = (blast: Blast): EarlyEndReason | null => {
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
  topicId: fields.topicId ?? null,
  audience: null,
  email: null,
  scheduleMissed: false,
  createdAt: now,
  updatedAt: now,
})
