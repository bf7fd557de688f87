// The pace of a blast that is sending: its rate, its estimated end, and what keeps it from sending.
import { DateTime } from "effect"
import type { DeliveryTally } from "../../sending/Delivery.ts"
import { type Blast, launchOf } from "../Blast.ts"

/** Sent messages are counted by this time. */
export const slot_ms = 10_000
/** A rate is that of the last minute. A blast without a message for this long has stalled. */
export const rate_window_ms = 60_000

/** The beginning of the slot of an instant. */
export const slotOf = (at: DateTime.Utc): DateTime.Utc =>
  DateTime.makeUnsafe(Math.floor(at.epochMilliseconds / slot_ms) * slot_ms)

/** The first slot that the rate counts: the window has 50 to 60 seconds. */
export const rateWindowStart = (now: DateTime.Utc): DateTime.Utc =>
  DateTime.subtract(slotOf(now), { milliseconds: rate_window_ms - slot_ms })

/** What a store reads with a blast that is sending. */
export interface PaceFacts {
  readonly now: DateTime.Utc
  /** Messages sent since `rateWindowStart(now)`. */
  readonly sent: number
  /** The earliest time, later than now, at which a waiting message may be sent. */
  readonly nextAttemptAt: DateTime.Utc | null
  /** The blast is part of a restored backup that waits for its release. */
  readonly held: boolean
}

export interface Pace {
  /** Null unless the blast is sending. */
  readonly perSecond: number | null
  /** Null without deferred recipients. */
  readonly nextAttemptAt: DateTime.Utc | null
  /** Null while it can't be known: nothing was sent in the last minute, or the audience is not complete. */
  readonly estimatedEndAt: DateTime.Utc | null
}

const seconds = (ms: number): number => Math.max(1, ms / 1000)

export const paceOf = (blast: Blast, tally: DeliveryTally, facts: PaceFacts | null): Pace => {
  const launch = launchOf(blast)
  if (blast.status !== "sending" || launch === null)
    return { perSecond: null, nextAttemptAt: null, estimatedEndAt: null }
  // It was launched a moment ago.
  if (facts === null) return { perSecond: 0, nextAttemptAt: null, estimatedEndAt: null }
  const { held, now, sent } = facts
  const since_ms = Math.max(launch.at.epochMilliseconds, rateWindowStart(now).epochMilliseconds)
  const perSecond = sent / seconds(now.epochMilliseconds - since_ms)
  const nextAttemptAt = tally.deferred > 0 ? facts.nextAttemptAt : null
  const isMoving = perSecond > 0 && !blast.paused && !held && launch.audience !== null && tally.queued > tally.deferred
  const sentAll_ms = now.epochMilliseconds + Math.round((tally.queued / perSecond) * 1000)
  return {
    perSecond: Math.round(perSecond * 100) / 100,
    nextAttemptAt,
    estimatedEndAt: isMoving
      ? DateTime.makeUnsafe(Math.max(sentAll_ms, nextAttemptAt?.epochMilliseconds ?? sentAll_ms))
      : null,
  }
}

/** Why a blast sends nothing. Null also while it is paused. */
export const stalls = ["no_worker", "limit", "refused", "held"] as const
export type Stall = (typeof stalls)[number]

export interface StallFacts {
  /** The blast or the installation is held. */
  readonly held: boolean
  /** How long the workspace's messages have been due and no worker has looked at them. */
  readonly overdue_ms: number
  /** The workspace has a send rate limit, of its own or for each domain. */
  readonly limited: boolean
}

export const stallOf = (
  blast: Blast,
  tally: DeliveryTally,
  facts: PaceFacts | null,
  { held, limited, overdue_ms }: StallFacts,
): Stall | null => {
  const launch = launchOf(blast)
  if (blast.status !== "sending" || blast.paused || launch === null || facts === null) return null
  if (held || facts.held) return "held"
  if (tally.queued === 0 && launch.audience !== null) return null
  if (overdue_ms > rate_window_ms) return "no_worker"
  if (launch.audience !== null && tally.deferred > 0 && tally.deferred === tally.queued) return "refused"
  const launched_ms = facts.now.epochMilliseconds - launch.at.epochMilliseconds
  return limited && facts.sent === 0 && launched_ms > rate_window_ms ? "limit" : null
}
