// A webhook endpoint: where events of a workspace are sent, which ones, and how.
import type { DateTime } from "effect"
import type { WebhookDeliveryId, WebhookEndpointId, WebhookReplayId } from "../../kernel/Ids.ts"
import type { disabledReasons, EventType } from "../EventCatalogue.ts"

export const endpoints_max = 50

/** `full`: what changed, and the four fields of the contact. `thin`: ids alone. */
export type WebhookPayload = "full" | "thin"
/** `ordered`: one request at a time, strictly by sequence. */
export type WebhookMode = "parallel" | "ordered"

/** Several events in one request. */
export interface WebhookBatch {
  /** 2 to 500. */
  readonly events_max: number
  /** How long an incomplete batch waits for more events: 0 to 30,000. */
  readonly wait_max_ms: number
}

export const filterKeys = ["list_ids", "blast_ids", "flow_ids", "tent_ids", "topic_ids", "import_run_ids"] as const

/** An event passes if it has one of the values of each key that is set. */
export interface WebhookFilter extends Readonly<Partial<Record<(typeof filterKeys)[number], ReadonlyArray<string>>>> {
  readonly tags?: Readonly<Record<string, string>>
}

export interface WebhookSettings {
  /** As `checkEndpointUrl` returned it. */
  readonly url: string
  readonly description: string | null
  /** Types, groups such as `contact.*`, or `*`: one to a hundred. */
  readonly eventTypes: ReadonlyArray<EventType | `${string}.*` | "*">
  readonly filter: WebhookFilter | null
  readonly payload: WebhookPayload
  readonly mode: WebhookMode
  readonly batch: WebhookBatch | null
  /** Requests that may be open at the same time: 1 to 100. */
  readonly inFlight_max: number
}

export type DisabledReason = (typeof disabledReasons)[number]

/** Secrets are sealed for this purpose, each with its endpoint's id behind it. */
export const secret_purpose = "webhook-endpoint"

/** The purpose for which the secrets and headers of an endpoint are sealed. */
export const purposeOf = (id: WebhookEndpointId): string => `${secret_purpose} ${id}`

/** A replay of many deliveries that is not done yet. */
export interface WebhookReplay {
  readonly id: WebhookReplayId
  /** The last delivery that it has looked at; null: it has not begun. */
  readonly after: WebhookDeliveryId | null
  /** Then the last event whose delivery is missing that it has looked at; null: it looks at deliveries. */
  readonly position: string | null
}

export interface WebhookEndpoint {
  readonly id: WebhookEndpointId
  readonly settings: WebhookSettings
  readonly status: "enabled" | "disabled"
  /** Set while it is disabled. */
  readonly disabledReason: DisabledReason | null
  readonly disabledAt: DateTime.Utc | null
  /** The caller's headers: sealed JSON, an object of names in lower case and values. Null: none. */
  readonly sealedHeaders: Uint8Array | null
  readonly headerNames: ReadonlyArray<string>
  /** The sealed key of the secret. */
  readonly sealedSecret: Uint8Array
  /** The beginning of the secret, to recognise it. */
  readonly secretPrefix: string
  /** The key before, while both sign. */
  readonly previousSecret: { readonly sealed: Uint8Array; readonly expiresAt: DateTime.Utc } | null
  /** Null: none is in progress. */
  readonly replay: WebhookReplay | null
  /**
   * The last event that it does without, while its pending deliveries up to there are being skipped: only tests are sent until
   * that is done. Null: none are.
   */
  readonly skipsThrough: string | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** How an endpoint works, for its listing. */
export interface WebhookStats {
  readonly pending_count: number
  readonly oldestPendingAt: DateTime.Utc | null
  /** Deliveries that ended in the last 24 hours. */
  readonly delivered24h_count: number
  readonly failed24h_count: number
  readonly failuresInRow: number
  readonly lastSuccessAt: DateTime.Utc | null
  readonly lastFailureAt: DateTime.Utc | null
  readonly lastError: string | null
}

export interface EndpointWithStats {
  readonly endpoint: WebhookEndpoint
  readonly stats: WebhookStats
}
