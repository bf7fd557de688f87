// Rates of what arrived at a mail server that counts.
import type { Arrival } from "../support/smtp/FakeSmtpProcess.ts"

export const countOf = (arrivals: ReadonlyArray<Arrival>): number => arrivals.reduce((sum, { count }) => sum + count, 0)

/** When the first and the last message arrived. */
export const spanOf = (arrivals: ReadonlyArray<Arrival>): { readonly first_ms: number; readonly last_ms: number } => {
  let [first_ms, last_ms] = [Infinity, -Infinity]
  for (const { at_ms } of arrivals) {
    first_ms = Math.min(first_ms, at_ms)
    last_ms = Math.max(last_ms, at_ms)
  }
  return { first_ms, last_ms }
}

/** Messages a second, from the first to the last arrival. */
export const rateOf = (arrivals: ReadonlyArray<Arrival>): number => {
  const { first_ms, last_ms } = spanOf(arrivals)
  return (countOf(arrivals) / (last_ms - first_ms)) * 1000
}

/** Messages a second that arrived in a window of time. */
export const rateBetween = (arrivals: ReadonlyArray<Arrival>, from_ms: number, to_ms: number): number =>
  (countOf(arrivals.filter(({ at_ms }) => at_ms >= from_ms && at_ms < to_ms)) / (to_ms - from_ms)) * 1000
