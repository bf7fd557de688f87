// The bot filter: whether a request for a pixel or a link comes from a person. Only people are counted.
import type { DateTime } from "effect"

/** What a request shows of its client. */
export interface ClientRequest {
  readonly method: string
  readonly userAgent: string | null
  /** `Sec-Purpose`, `Purpose` or `X-Moz`: contains `prefetch` when no person has requested it yet. */
  readonly purpose: string | null
  /** The user agent is on a list of known bots. */
  readonly knownMachine: boolean
}

/** Decides from the request alone. */
export const isBot = (visitor: ClientRequest): boolean =>
  visitor.method !== "GET" ||
  visitor.userAgent === null ||
  visitor.userAgent.trim() === "" ||
  visitor.knownMachine ||
  (visitor.purpose !== null && /prefetch|preview|prerender/i.test(visitor.purpose))

/** No person opens a message within this time of its hand-over. Scanners do, before they deliver it. */
const too_soon_ms = 2000

/** Whether a request came too soon after the hand-over to be a person's. */
export const isTooSoon = (handedOverAt: DateTime.Utc | null, at: DateTime.Utc): boolean =>
  handedOverAt !== null && at.epochMilliseconds - handedOverAt.epochMilliseconds < too_soon_ms
