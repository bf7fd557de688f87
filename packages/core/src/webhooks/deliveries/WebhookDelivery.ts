// A webhook delivery: one event, or a batch of events, for one endpoint, and the attempts to bring it there.
import { DateTime, Duration } from "effect"
import type { WebhookDeliveryId, WebhookEndpointId } from "../../kernel/Ids.ts"
import type { AttemptOutcome } from "./Attempt.ts"

/** A `pending` delivery waits for its next attempt. */
export const deliveryStatuses = ["pending", "delivered", "failed", "skipped"] as const
export type WebhookDeliveryStatus = (typeof deliveryStatuses)[number]

/** The type of a delivery of several events. */
export const batch_type = "event.batch"

/**
 * Why a delivery was given up without an answer. `disabled`: its endpoint was enabled again without what it missed. `erased`:
 * the contact was erased. `event_gone`: its events were deleted by age before the last attempt.
 */
export type WebhookDeliveryReason = "disabled" | "erased" | "event_gone"

export interface WebhookDeliveryState {
  readonly status: WebhookDeliveryStatus
  readonly reason: WebhookDeliveryReason | null
  /** All attempts, replays included. */
  readonly attemptCount: number
  /** Failed attempts of the current schedule. A replay begins a new one. */
  readonly failedCount: number
  /** Whether the current schedule is a replay. */
  readonly isReplay: boolean
  /** Set while it is pending. */
  readonly nextAttemptAt: DateTime.Utc | null
  readonly deliveredAt: DateTime.Utc | null
}

export interface WebhookDelivery extends WebhookDeliveryState {
  readonly id: WebhookDeliveryId
  readonly endpointId: WebhookEndpointId
  /** The header `webhook-id`, the same in all attempts: the id of the event, or one of the batch. */
  readonly webhookId: string
  /** Positions of its events, ascending. A test has none. */
  readonly positions: ReadonlyArray<string>
  /** The type of the event, or `event.batch`. */
  readonly eventType: string
  /** A test is attempted once, also at a disabled endpoint. */
  readonly isTest: boolean
  readonly createdAt: DateTime.Utc
}

/** Seconds between an attempt and the next one, as Standard Webhooks recommends: ten attempts in 75.6 hours. */
const delays_s = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600] as const

export const attempts_max = delays_s.length + 1

/** Each delay is longer or shorter by at most this part, so that attempts do not come all at once. */
const jitter_max = 0.1

const retry_after_max_s = 24 * 3600

/** Statuses whose `Retry-After` counts. */
const retryAfterStatuses: ReadonlySet<number> = new Set([429, 503])

/**
 * When the next attempt is due after a number of failed ones; null: the schedule has ended. `random` is from 0 to 1. The header
 * `Retry-After` delays the attempt by at most a day, and never brings it forward.
 */
export const nextAttemptAt = (
  failed_count: number,
  { retryAfter_s, statusCode }: Pick<AttemptOutcome, "retryAfter_s" | "statusCode">,
  { now, random }: { readonly now: DateTime.Utc; readonly random: number },
): DateTime.Utc | null => {
  const delay_s = delays_s[failed_count - 1]
  if (delay_s === undefined) return null
  const scheduled_s = delay_s * (1 - jitter_max + 2 * jitter_max * random)
  const wanted_s = retryAfterStatuses.has(statusCode ?? 0) ? Math.min(retryAfter_s ?? 0, retry_after_max_s) : 0
  return DateTime.addDuration(now, Duration.millis(Math.round(Math.max(scheduled_s, wanted_s) * 1000)))
}
