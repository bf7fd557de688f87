// A receiver: an endpoint as this worker serves it, with what it has claimed for it and the requests that are open.
import {
  type EndpointHealth,
  nextProbeAt,
  openMax,
  probe_failures_min,
} from "@tentpole/core/webhooks/deliveries/EndpointHealth"
import type { ClaimedDelivery, ServedEndpoint } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import { purposeOf, type WebhookEndpoint } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { DateTime, Effect, Schema } from "effect"

/** Deliveries that one claim takes for each request that may be open, so that one starts when another ends, and their most. */
const claimed_ahead = 10
const claimed_max = 200
/** The same while the process is busy with mail, which a smaller claim delays less. */
const claimed_ahead_busy = 5
/** Deliveries that one claim of an ordered endpoint takes. They are sent one at a time. */
const ordered_ahead = 50
/** Batches that one claim takes: each has up to a megabyte. */
const batches_ahead = 8
/** Events that one read takes. */
export const read_max = 1_000

export class Receiver {
  endpoint: WebhookEndpoint
  credentials: Credentials
  position: string
  health: EndpointHealth
  /** Whether the health is not written yet. */
  hasNewHealth = false
  /** Claimed and not attempted. */
  waiting: Array<ClaimedDelivery> = []
  /** Whether more deliveries may be due than it has claimed. */
  hasMoreDue = false
  /** Deliveries that are claimed at a time. */
  ahead_count = 1
  /** Requests that are open. */
  open_count = 0
  /** When events that wait for a full batch are sent without it. */
  waitsUntil: DateTime.Utc | null = null
  /** Of this turn; null: none. */
  lastSuccessAt: DateTime.Utc | null = null
  lastError: string | null = null

  constructor({ endpoint, health, position }: ServedEndpoint, credentials: Credentials) {
    this.endpoint = endpoint
    this.credentials = credentials
    this.position = position
    this.health = health
  }

  /** Takes over what a caller has changed. */
  update({ endpoint, health, position }: ServedEndpoint, credentials: Credentials): void {
    this.endpoint = endpoint
    this.credentials = credentials
    this.position = position
    this.health = health
  }

  get isEnabled(): boolean {
    return this.endpoint.status === "enabled"
  }

  /** Whether its events are sent. Otherwise only tests are. */
  get isSent(): boolean {
    return this.isEnabled && this.endpoint.skipsThrough === null
  }

  get isOrdered(): boolean {
    return this.endpoint.settings.mode === "ordered"
  }

  /** Events of one delivery, at most. */
  get #batch_max(): number {
    return this.endpoint.settings.batch?.events_max ?? 1
  }

  /** Whether it has claimed all that is due. */
  get #keepsUp(): boolean {
    return this.isSent && !this.isHeld && !this.hasMoreDue
  }

  /** New events to read for it now: as many as one claim takes. Deliveries in order are written before they are claimed. */
  get wanted_count(): number {
    if (this.isOrdered) return this.isSent && !this.isHeld ? read_max : 0
    return this.#keepsUp && this.isLow ? Math.min(read_max, this.ahead_count * this.#batch_max) : 0
  }

  /** New deliveries that are claimed as they are written: none in order, or while others are due. */
  get new_max(): number {
    return this.#keepsUp && !this.isOrdered ? Math.max(0, 2 * this.ahead_count - this.waiting.length) : 0
  }

  /** Requests that may be open now. */
  openMax(now: DateTime.Utc): number {
    if (!this.isSent) return 1
    const probe = nextProbeAt(this.health)
    return probe !== null && DateTime.isGreaterThan(probe, now) ? 0 : openMax(this.health, this.endpoint.settings.mode)
  }

  /** Whether what is claimed in advance has to wait, because a request has failed. */
  get isHeld(): boolean {
    return this.health.failuresInRow >= (this.isOrdered ? 1 : probe_failures_min)
  }

  /** Decides how many deliveries are claimed at a time. `isBusy`: the process is busy with mail. */
  plan(now: DateTime.Utc, isBusy: boolean): void {
    const ahead_count = this.isOrdered
      ? ordered_ahead
      : Math.min(claimed_max, (isBusy ? claimed_ahead_busy : claimed_ahead) * this.openMax(now))
    this.ahead_count = this.#batch_max > 1 ? Math.min(ahead_count, batches_ahead) : ahead_count
  }

  /** Deliveries to claim now. */
  claim_count(now: DateTime.Utc): number {
    if (this.isHeld || !this.isSent) return Math.max(0, this.openMax(now) - this.open_count - this.waiting.length)
    return this.isLow ? this.ahead_count : 0
  }

  /** Whether it has so few claimed that it would have none before the next claim ends. */
  get isLow(): boolean {
    return this.waiting.length < Math.ceil(this.ahead_count / 2)
  }
}

/** What a request to the endpoint needs, in plain text. */
export interface Credentials {
  /** Keys of the secret and, while both sign, of the one before. */
  readonly keys: (now: DateTime.Utc) => ReadonlyArray<Uint8Array>
  readonly headers: Readonly<Record<string, string>>
}

const Headers = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

export const credentialsOf = Effect.fnUntraced(function* (endpoint: WebhookEndpoint) {
  const { open } = yield* Secrets
  const purpose = purposeOf(endpoint.id)
  const { previousSecret, sealedHeaders, sealedSecret } = endpoint
  const current = yield* open(purpose, sealedSecret)
  const previous = previousSecret === null ? null : yield* open(purpose, previousSecret.sealed)
  const headers = sealedHeaders === null ? "{}" : new TextDecoder().decode(yield* open(purpose, sealedHeaders))
  return {
    keys: (now) =>
      previous === null || previousSecret === null || DateTime.isLessThanOrEqualTo(previousSecret.expiresAt, now)
        ? [current]
        : [current, previous],
    headers: yield* Effect.orDie(Schema.decodeEffect(Headers)(headers)),
  } satisfies Credentials
})
