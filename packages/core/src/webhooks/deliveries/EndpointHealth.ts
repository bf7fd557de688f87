// The health of an endpoint: how many of its requests may be open, when it is only probed, and when it is given up. Pure.
import { DateTime } from "effect"
import type { AttemptOutcome } from "./Attempt.ts"

export interface EndpointHealth {
  /** Failed attempts since the last success. */
  readonly failuresInRow: number
  /** The last success, or when the endpoint was enabled. */
  readonly healthyAt: DateTime.Utc
  /** The last failure. */
  readonly failedAt: DateTime.Utc | null
  /** Requests that may be open, while it is not probed. */
  readonly inFlight_max: number
}

/** After so many failures in a row, one probe at a time goes out. */
export const probe_failures_min = 5
/** The pause after a probe: a second, doubled with each failure up to a minute. */
const probe_pause_min_s = 1
const probe_pause_max_s = 60
/** An endpoint is given up after this time without a success … */
const failing_hours_min = 72
/** … and so many failures. */
const failing_failures_min = 20

/** Answers of receivers that have too much to do. */
const overloadedStatuses: ReadonlySet<number> = new Set([429, 502, 504])

export const newHealth = (now: DateTime.Utc, inFlight_max: number): EndpointHealth => ({
  failuresInRow: 0,
  healthyAt: now,
  failedAt: null,
  inFlight_max,
})

/** The health after an attempt. `setting_max`: the open requests that the endpoint's settings allow. */
export const afterAttempt = (
  health: EndpointHealth,
  { error, statusCode }: AttemptOutcome,
  { now, setting_max }: { readonly now: DateTime.Utc; readonly setting_max: number },
): EndpointHealth => {
  if (error === null) {
    const inFlight_max = Math.min(setting_max, health.inFlight_max + 1)
    return { ...health, failuresInRow: 0, healthyAt: DateTime.max(health.healthyAt, now), inFlight_max }
  }
  const halved = Math.max(1, Math.floor(health.inFlight_max / 2))
  return {
    ...health,
    failuresInRow: health.failuresInRow + 1,
    failedAt: now,
    inFlight_max: overloadedStatuses.has(statusCode ?? 0) ? halved : Math.min(setting_max, health.inFlight_max),
  }
}

/** Requests that may be open now. */
export const openMax = ({ failuresInRow, inFlight_max }: EndpointHealth, mode: "parallel" | "ordered"): number =>
  mode === "ordered" || failuresInRow >= probe_failures_min ? 1 : inFlight_max

/** When the endpoint may be tried again; null: at any time. */
export const nextProbeAt = ({ failedAt, failuresInRow }: EndpointHealth): DateTime.Utc | null => {
  const doublings = failuresInRow - probe_failures_min
  if (doublings < 0 || failedAt === null) return null
  return DateTime.add(failedAt, { seconds: Math.min(probe_pause_max_s, probe_pause_min_s * 2 ** doublings) })
}

/** Whether the endpoint is disabled because it does not work any more. */
export const isFailing = ({ failuresInRow, healthyAt }: EndpointHealth, now: DateTime.Utc): boolean =>
  failuresInRow >= failing_failures_min &&
  DateTime.isGreaterThanOrEqualTo(now, DateTime.add(healthyAt, { hours: failing_hours_min }))
