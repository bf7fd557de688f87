// The moves of a blast besides its launch (`Launch.ts`): each a pure function from what it is to what it becomes, or to why
// not. Nothing else changes a blast's status.
import { type DateTime, Result } from "effect"
import { type Invalid, InvalidState } from "../kernel/Refusal.ts"
import {
  type ArchivedBlast,
  type AttachedEmail,
  type Audience,
  type AudiencePass,
  type Blast,
  type BlastFields,
  type CancelledBlast,
  checkFields,
  type DraftBlast,
  type FailedBlast,
  type FixedAudience,
  launchOf,
  lockedOf,
  type ScheduledBlast,
  type SendingBlast,
  type SentBlast,
  timeOf,
} from "./Blast.ts"
import { toDraft } from "./Launch.ts"

const refuse = (blast: Blast, move: string): Result.Result<never, InvalidState> =>
  Result.fail(new InvalidState({ resource: "email blast", status: blast.status, move }))

/** Name and description are notes of the user's: they change in every status. */
export const rename = (blast: Blast, fields: BlastFields, now: DateTime.Utc): Result.Result<Blast, Invalid> =>
  Result.map(checkFields(fields), () => ({
    ...blast,
    name: fields.name ?? blast.name,
    description: fields.description === undefined ? blast.description : fields.description,
    updatedAt: now,
  }))

/** Audience and email change in a draft, and nowhere else. */
export const editable = (blast: Blast, part: "audience" | "email"): Result.Result<DraftBlast, InvalidState> =>
  blast.status === "draft" ? Result.succeed(blast) : refuse(blast, `given another ${part}`)

export const setAudience = (
  blast: Blast,
  audience: Audience,
  now: DateTime.Utc,
): Result.Result<DraftBlast, InvalidState> =>
  Result.map(editable(blast, "audience"), (draft) => ({ ...draft, audience, updatedAt: now }))

export const setEmail = (
  blast: Blast,
  email: AttachedEmail,
  now: DateTime.Utc,
): Result.Result<DraftBlast, InvalidState> =>
  Result.map(editable(blast, "email"), (draft) => ({ ...draft, email, updatedAt: now }))

export const unschedule = (blast: Blast, now: DateTime.Utc): Result.Result<DraftBlast, InvalidState> =>
  blast.status === "scheduled" ? Result.succeed(toDraft(blast, false, now)) : refuse(blast, "unscheduled")

/** Pausing what is paused changes nothing. */
export const pause = (blast: Blast, now: DateTime.Utc): Result.Result<SendingBlast, InvalidState> => {
  if (blast.status !== "sending") return refuse(blast, "paused")
  return Result.succeed(blast.paused ? blast : { ...blast, paused: true, updatedAt: now })
}

/** Resuming what is not paused changes nothing. */
export const resume = (blast: Blast, now: DateTime.Utc): Result.Result<SendingBlast, InvalidState> => {
  if (blast.status !== "sending") return refuse(blast, "resumed")
  return Result.succeed(blast.paused ? { ...blast, paused: false, updatedAt: now } : blast)
}

/** By the user, before it began or in the middle of it. */
export const cancel = (blast: Blast, now: DateTime.Utc): Result.Result<CancelledBlast, InvalidState> => {
  if (blast.status !== "scheduled" && blast.status !== "sending") return refuse(blast, "cancelled")
  const { id, name, description, operational, audience, email, locked, time, createdAt } = blast
  return Result.succeed({
    id,
    name,
    description,
    status: "cancelled",
    operational,
    audience,
    email,
    locked,
    time,
    launch: launchOf(blast),
    cancelledAt: now,
    cancelledReason: null,
    createdAt,
    updatedAt: now,
  })
}

const launched = ({
  id,
  name,
  description,
  operational,
  audience,
  email,
  locked,
  time,
  launch,
  createdAt,
}: SendingBlast | SentBlast | FailedBlast) => ({
  id,
  name,
  description,
  operational,
  audience,
  email,
  locked,
  time,
  launch,
  createdAt,
})

/**
 * Whether recipients of it are still to be written. A pass that has begun goes on to its end also when the blast is cancelled
 * or fails meanwhile: whom it did not reach has to be told of, and can be sent to by a retry.
 */
const takesRecipients = (blast: Blast): blast is Exclude<Blast, DraftBlast | ScheduledBlast> => {
  const launch = launchOf(blast)
  return launch !== null && launch.audience === null && (blast.status === "sending" || launch.pass !== null)
}

/** A slice of its audience is written, and more is to come. */
export const writeAudience = (blast: Blast, pass: AudiencePass): Result.Result<Blast, InvalidState> =>
  takesRecipients(blast) && blast.launch !== null
    ? Result.succeed({ ...blast, launch: { ...blast.launch, pass } })
    : refuse(blast, "given its recipients")

/** The whole of its audience is written: once. */
export const fixAudience = (blast: Blast, audience: FixedAudience): Result.Result<Blast, InvalidState> =>
  takesRecipients(blast) && blast.launch !== null
    ? Result.succeed({ ...blast, launch: { ...blast.launch, pass: null, audience }, updatedAt: audience.at })
    : refuse(blast, "given its recipients")

/** Its audience is fixed and no recipient is open any more. A paused one too: there is nothing left to resume. */
export const complete = (blast: Blast, now: DateTime.Utc): Result.Result<SentBlast, InvalidState> =>
  blast.status === "sending" && blast.launch.audience !== null && blast.retryingSince === null
    ? Result.succeed({ ...launched(blast), status: "sent", sentAt: now, updatedAt: now })
    : refuse(blast, "completed")

export const fail = (blast: Blast, failure: string, now: DateTime.Utc): Result.Result<FailedBlast, InvalidState> =>
  blast.status === "sending"
    ? Result.succeed({ ...launched(blast), status: "failed", failure, updatedAt: now })
    : refuse(blast, "failed")

/** Sends again to recipients that failed for a reason that may pass. Its audience stays the one that was fixed. */
export const retry = (blast: Blast, now: DateTime.Utc): Result.Result<SendingBlast, InvalidState> =>
  (blast.status === "sent" || blast.status === "failed") && blast.launch.audience !== null
    ? Result.succeed({ ...launched(blast), status: "sending", paused: false, retryingSince: now, updatedAt: now })
    : refuse(blast, "retried")

/** Whether this retry is still under way: nobody has ended the blast since, or retried it anew. */
export const isRetrying = (blast: Blast, since: DateTime.Utc): blast is SendingBlast =>
  blast.status === "sending" && blast.retryingSince?.epochMilliseconds === since.epochMilliseconds

/** Everybody whom a retry sends to again is in the queue. */
export const requeued = (blast: Blast, since: DateTime.Utc): Result.Result<SendingBlast, InvalidState> =>
  isRetrying(blast, since)
    ? Result.succeed({ ...blast, retryingSince: null })
    : refuse(blast, "put back into the queue")

/** Puts away whatever is not mid-send; a scheduled one is not sent then. Archiving what is archived changes nothing. */
export const archive = (blast: Blast, now: DateTime.Utc): Result.Result<ArchivedBlast, InvalidState> => {
  if (blast.status === "archived") return Result.succeed(blast)
  if (blast.status === "sending") return refuse(blast, "archived")
  const { id, name, description, operational, audience, email, createdAt } = blast
  return Result.succeed({
    id,
    name,
    description,
    status: "archived",
    operational,
    audience,
    email,
    locked: lockedOf(blast),
    time: timeOf(blast),
    launch: launchOf(blast),
    failure: blast.status === "failed" ? blast.failure : null,
    sentAt: blast.status === "sent" ? blast.sentAt : null,
    cancelledAt: blast.status === "cancelled" ? blast.cancelledAt : null,
    cancelledReason: blast.status === "cancelled" ? blast.cancelledReason : null,
    createdAt,
    updatedAt: now,
  })
}

/** A scheduled blast is unscheduled first, a sending one cancelled; an archived one stays. */
export const checkRemovable = (blast: Blast): Result.Result<void, InvalidState> =>
  blast.status === "scheduled" || blast.status === "sending" || blast.status === "archived"
    ? refuse(blast, "deleted")
    : Result.void
