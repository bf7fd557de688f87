// What ended attempts change: deliveries, the health of their receivers, and receivers that are given up.
import type { DeliveryPiece } from "@tentpole/core/webhooks/deliveries/DeliveryLog"
import { afterAttempt, isFailing } from "@tentpole/core/webhooks/deliveries/EndpointHealth"
import { decide, type WebhookDeliveryEvent } from "@tentpole/core/webhooks/deliveries/machine"
import type { WebhookDelivery } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import type { SettledDelivery, ServedHealth } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import type { DisabledReason } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import type { DateTime } from "effect"
import type { Receiver } from "./Receiver.ts"
import type { EndedAttempt } from "./Requests.ts"

export interface Ends {
  readonly settled: ReadonlyArray<SettledDelivery>
  readonly disabled: ReadonlyMap<Receiver, DisabledReason>
}

/** Applies the ends to their receivers. `random` gives numbers from 0 to 1. */
export const applyEnds = (ends: ReadonlyArray<EndedAttempt>, now: DateTime.Utc, random: () => number): Ends => {
  const disabled = new Map<Receiver, DisabledReason>()
  const settled = ends.flatMap((end) => {
    const { claimed, ended, receiver } = end
    const decision = decide(claimed.delivery, eventOf(end, random()), ended?.at ?? now)
    if (decision === null) return []
    if (ended !== null && !claimed.delivery.isTest) noteHealth(receiver, ended)
    const reason = decision.disables ?? (isFailing(receiver.health, now) ? "failing" : null)
    if (reason !== null && receiver.isEnabled) disabled.set(receiver, reason)
    return [settledOf(claimed.delivery, decision.after, ended?.log ?? null)]
  })
  return { settled, disabled }
}

const eventOf = ({ claimed, ended, receiver }: EndedAttempt, random: number): WebhookDeliveryEvent => {
  if (ended === null) return { _tag: "lose" }
  const attempts = claimed.delivery.isTest ? "once" : receiver.isOrdered ? "holds" : "schedule"
  return { _tag: "settle", outcome: ended.outcome, random, attempts }
}

const noteHealth = (receiver: Receiver, { at, outcome }: NonNullable<EndedAttempt["ended"]>): void => {
  const setting_max = receiver.endpoint.settings.inFlight_max
  receiver.health = afterAttempt(receiver.health, outcome, { now: at, setting_max })
  if (outcome.error === null) receiver.lastSuccessAt = at
  else receiver.lastError = outcome.error
  receiver.hasNewHealth = true
}

const settledOf = (
  { endpointId, id }: WebhookDelivery,
  state: SettledDelivery["state"],
  attempt: SettledDelivery["attempt"],
): SettledDelivery => ({ id, endpointId, state, attempt })

/** A claim that is given back: the delivery stays as it is. */
export const givenBack = ({
  delivery,
}: {
  readonly delivery: WebhookDelivery
  readonly pieces: ReadonlyArray<DeliveryPiece>
}) => settledOf(delivery, delivery, null)

/** A delivery whose lease has ended before its attempt did. */
export const expiredAt =
  (now: DateTime.Utc) =>
  (delivery: WebhookDelivery): SettledDelivery => {
    const after = decide(delivery, { _tag: "expire" }, now)?.after ?? delivery
    const { attemptCount: attempt, isReplay } = after
    return settledOf(delivery, after, {
      attempt,
      at: now,
      duration_ms: null,
      statusCode: null,
      error: "unknown_outcome",
      snippet: null,
      isReplay,
    })
  }

/** The health to write. */
export const newHealths = (receivers: Iterable<Receiver>): ReadonlyArray<ServedHealth> =>
  Array.from(receivers).flatMap((receiver) => {
    if (!receiver.hasNewHealth) return []
    receiver.hasNewHealth = false
    const { endpoint, health, lastError, lastSuccessAt } = receiver
    return [{ endpointId: endpoint.id, health, lastError, lastSuccessAt }]
  })
