// Requests of this worker to all receivers: one attempt each, over a limited number of connections.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { AttemptOutcome } from "@tentpole/core/webhooks/deliveries/Attempt"
import type { LoggedAttempt } from "@tentpole/core/webhooks/deliveries/DeliveryLog"
import { bodyOf } from "@tentpole/core/webhooks/deliveries/FanOut"
import { WebhookCaller } from "@tentpole/core/webhooks/deliveries/WebhookCaller"
import type { ClaimedDelivery } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import { signedHeaders } from "@tentpole/core/webhooks/Signature"
import { DateTime, Effect, Metric, Semaphore } from "effect"
import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import type { Receiver } from "./Receiver.ts"

const attempts = Metric.counter("webhook_attempts", {
  description: "Attempts to bring webhooks to their receivers, by how they ended",
  incremental: true,
})

/** Of keys in use: to make one takes longer than to sign. */
const keyObjects = new WeakMap<Uint8Array, KeyObject>()

const hmac = (key: Uint8Array, message: Uint8Array): Uint8Array => {
  const known = keyObjects.get(key) ?? createSecretKey(key)
  keyObjects.set(key, known)
  return createHmac("sha256", known).update(message).digest()
}

/** An attempt that has ended. */
export interface EndedAttempt {
  readonly receiver: Receiver
  readonly claimed: ClaimedDelivery
  /** Null: its events are gone, and there was no request. */
  readonly ended: { readonly outcome: AttemptOutcome; readonly log: LoggedAttempt; readonly at: DateTime.Utc } | null
}

export interface Requests {
  /** The requests that a receiver may have open now. While others wait for a connection it gets no more than its share. */
  readonly shareOf: (open_max: number) => number
  readonly attempt: (
    workspace: WorkspaceId,
    receiver: Receiver,
    claimed: ClaimedDelivery,
  ) => Effect.Effect<EndedAttempt>
}

export const requestsOf = Effect.fnUntraced(function* (connections_max: number) {
  const { call } = yield* WebhookCaller
  const connections = yield* Semaphore.make(connections_max)
  const share_max = Math.max(1, Math.floor(connections_max / 4))
  let waiting_count = 0

  const request = Effect.fnUntraced(function* (
    receiver: Receiver,
    { delivery }: ClaimedDelivery,
    body: string,
  ): Effect.fn.Return<NonNullable<EndedAttempt["ended"]>> {
    const { credentials, endpoint } = receiver
    const at = yield* DateTime.now
    const time_s = Math.floor(at.epochMilliseconds / 1000)
    const answer = yield* call({
      endpoint: endpoint.id,
      connections_max: endpoint.settings.inFlight_max,
      url: endpoint.settings.url,
      headers: {
        ...credentials.headers,
        "content-type": "application/json",
        "user-agent": "Tentpole-Webhooks/1",
        ...signedHeaders(hmac, { id: delivery.webhookId, time_s, body, keys: credentials.keys(at) }),
      },
      body,
    })
    yield* Metric.update(Metric.withAttributes(attempts, { outcome: answer.error ?? "delivered" }), 1)
    const { duration_ms, error, snippet, statusCode } = answer
    const { attemptCount, isReplay } = delivery
    return {
      outcome: answer,
      log: { attempt: attemptCount + 1, at, duration_ms, statusCode, error, snippet, isReplay },
      at: yield* DateTime.now,
    }
  })

  const requests: Requests = {
    shareOf: (open_max) => (waiting_count > 0 ? Math.min(open_max, share_max) : open_max),
    attempt: Effect.fnUntraced(function* (workspace, receiver, claimed) {
      const body = bodyOf(workspace, claimed)
      if (body === null) return { receiver, claimed, ended: null }
      let isWaiting = true
      const stopWaiting = () => {
        if (isWaiting) waiting_count--
        isWaiting = false
      }
      waiting_count++
      const ended = yield* connections
        .withPermit(
          Effect.suspend(() => {
            stopWaiting()
            return request(receiver, claimed, body)
          }),
        )
        .pipe(Effect.ensuring(Effect.sync(stopWaiting)))
      return { receiver, claimed, ended }
    }),
  }
  return requests
})
