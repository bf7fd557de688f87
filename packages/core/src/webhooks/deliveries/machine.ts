// The state machine of webhook deliveries: its table of transitions, and `decide`, which makes each of them.
import type { DateTime } from "effect"
import type { Transitions } from "../../kernel/changes/Transitions.ts"
import type { AttemptOutcome } from "./Attempt.ts"
import { nextAttemptAt, type WebhookDeliveryState, type WebhookDeliveryStatus } from "./WebhookDelivery.ts"

export type WebhookDeliveryEvent =
  /** An attempt ended. */
  | {
      readonly _tag: "settle"
      readonly outcome: AttemptOutcome
      readonly random: number
      /** `once`: it is a test. `holds`: it is the head of an ordered endpoint, which no later one may overtake. */
      readonly attempts: "schedule" | "once" | "holds"
    }
  /** The lease ended before the outcome was written. The attempt counts, but not as a failed one. */
  | { readonly _tag: "expire" }
  | { readonly _tag: "skip"; readonly reason: "disabled" | "erased" }
  /** Its events were deleted by age. */
  | { readonly _tag: "lose" }
  | { readonly _tag: "replay" }

export const transitions = {
  pending: { settle: ["delivered", "pending", "failed"], expire: "pending", skip: "skipped", lose: "failed" },
  delivered: { replay: "pending" },
  failed: { replay: "pending" },
  skipped: { replay: "pending" },
} as const satisfies Transitions<WebhookDeliveryStatus, WebhookDeliveryEvent["_tag"]>

/** Why an outcome disables the endpoint. `gone`: it answered 410. `stream_blocked`: the head of its order was not accepted. */
export type DisablingOutcome = "gone" | "stream_blocked"

export interface WebhookDecision {
  readonly after: WebhookDeliveryState
  /** Null: the endpoint stays enabled. */
  readonly disables: DisablingOutcome | null
}

export const isSuccess = ({ error }: AttemptOutcome): boolean => error === null

/** The state after an event; null: the event changes nothing. */
export const decide = (
  before: WebhookDeliveryState,
  event: WebhookDeliveryEvent,
  now: DateTime.Utc,
): WebhookDecision | null => {
  if (!(event._tag in transitions[before.status])) return null
  const to = (after: Partial<WebhookDeliveryState>, disables: DisablingOutcome | null = null): WebhookDecision => ({
    after: { ...before, ...after },
    disables,
  })
  switch (event._tag) {
    case "settle":
      return settled(before, event, now)
    case "expire":
      return to({ attemptCount: before.attemptCount + 1, nextAttemptAt: now })
    case "skip":
      return to({ status: "skipped", reason: event.reason, nextAttemptAt: null })
    case "lose":
      return to({ status: "failed", reason: "event_gone", nextAttemptAt: null })
    case "replay":
      return to({ status: "pending", reason: null, failedCount: 0, isReplay: true, nextAttemptAt: now })
  }
}

const settled = (
  before: WebhookDeliveryState,
  { attempts, outcome, random }: Extract<WebhookDeliveryEvent, { readonly _tag: "settle" }>,
  now: DateTime.Utc,
): WebhookDecision => {
  const attempted = { ...before, attemptCount: before.attemptCount + 1 }
  if (isSuccess(outcome)) {
    return { after: { ...attempted, status: "delivered", nextAttemptAt: null, deliveredAt: now }, disables: null }
  }
  const failedCount = before.failedCount + 1
  const next = attempts === "once" ? null : nextAttemptAt(failedCount, outcome, { now, random })
  const gone = outcome.statusCode === 410 ? "gone" : null
  if (next !== null) return { after: { ...attempted, failedCount, nextAttemptAt: next }, disables: gone }
  // The head stays: the endpoint goes on with it once it is enabled again.
  if (attempts === "holds") {
    return { after: { ...attempted, failedCount: 0, nextAttemptAt: now }, disables: gone ?? "stream_blocked" }
  }
  return { after: { ...attempted, status: "failed", failedCount, nextAttemptAt: null }, disables: gone }
}
