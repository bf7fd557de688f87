// Whether a request for a pixel or a link was a person's. Scanners and prefetching proxies ask too, and are answered like
// anyone, but they are nobody's opening or clicking.
import type { DateTime } from "effect"

/** What a request shows of its sender. */
export interface ClientRequest {
  readonly method: string
  readonly userAgent: string | null
  /** `Sec-Purpose`, `Purpose` or `X-Moz`: says `prefetch` when nobody has asked for it yet. */
  readonly purpose: string | null
  /** The user agent is on a list of known machines. */
  readonly knownMachine: boolean
}

/** By what the request shows alone. */
export const isBot = (visitor: ClientRequest): boolean =>
  visitor.method !== "GET" ||
  visitor.userAgent === null ||
  visitor.userAgent.trim() === "" ||
  visitor.knownMachine ||
  (visitor.purpose !== null && /prefetch|preview|prerender/i.test(visitor.purpose))

/** Nobody opens a message within this time of its hand-over: scanners do, before they let it through. */
const too_soon_ms = 2000

/** Whether something was asked for too soon to have been asked by a person. */
export const tooSoon = (handedOverAt: DateTime.Utc | null, at: DateTime.Utc): boolean =>
  handedOverAt !== null && at.epochMilliseconds - handedOverAt.epochMilliseconds < too_soon_ms
