// What the screens decide about webhook endpoints and their deliveries, without a browser.
import type { WebhookDelivery, WebhookEndpoint } from "@tentpole/client"
import type { Tone } from "../parts/StatusBadge.tsx"

type DisabledReason = NonNullable<WebhookEndpoint["disabled_reason"]>

/** `troubled`: it is enabled, and its last attempts failed. */
export type EndpointState = "enabled" | "troubled" | DisabledReason

/** After as many failures in a row, the service sends one request at a time until one succeeds. */
export const probing_failures_min = 5

type Stateful = Pick<WebhookEndpoint, "disabled_reason" | "status"> & {
  readonly stats: Pick<WebhookEndpoint["stats"], "consecutive_failures">
}

export const stateOf = ({ disabled_reason, stats, status }: Stateful): EndpointState => {
  if (status === "disabled") return disabled_reason ?? "requested"
  return stats.consecutive_failures >= probing_failures_min ? "troubled" : "enabled"
}

export const stateTones: Readonly<Record<EndpointState, Tone>> = {
  enabled: "good",
  troubled: "warning",
  requested: "quiet",
  gone: "bad",
  failing: "bad",
  stream_blocked: "bad",
}

/** Whether the service disabled the endpoint by itself: a person has to mend it. */
export const isBroken = (endpoint: Stateful): boolean => stateTones[stateOf(endpoint)] === "bad"

export const deliveryTones: Readonly<Record<WebhookDelivery["status"], Tone>> = {
  pending: "busy",
  delivered: "good",
  failed: "bad",
  skipped: "quiet",
}

/** The URL as people recognize it. That it is `https` is usual, and says nothing. */
export const nameOf = ({ url }: Pick<WebhookEndpoint, "url">): string => url.replace(/^https:\/\//, "")

/** What a deletion asks to be typed. */
export const hostOf = ({ url }: Pick<WebhookEndpoint, "url">): string => (URL.canParse(url) ? new URL(url).host : url)

/** A delivery that has ended can be sent again. */
export const canReplay = ({ status }: Pick<WebhookDelivery, "status">): boolean => status !== "pending"

const soon_ms = 15_000
const soon_every_ms = 1_500
const pending_every_ms = 10_000

/** How often a delivery is read again: often while its next attempt is near; false once it has ended. */
export const readAgain_ms = (
  { next_attempt_at, status }: Pick<WebhookDelivery, "next_attempt_at" | "status">,
  now_ms: number,
): number | false => {
  if (status !== "pending") return false
  const isSoon = next_attempt_at !== null && Date.parse(next_attempt_at) - now_ms < soon_ms
  return isSoon ? soon_every_ms : pending_every_ms
}
