// Whether a request for a pixel or a link was a person's. Scanners and prefetching proxies ask too, and are answered like
// anyone, but they are nobody's opening or clicking.

/** What a request shows of its sender. */
export interface Visitor {
  readonly method: string
  readonly userAgent: string | null
  /** `Sec-Purpose`, `Purpose` or `X-Moz`: says `prefetch` when nobody has asked for it yet. */
  readonly purpose: string | null
  /** The user agent is on a list of known machines. */
  readonly knownMachine: boolean
}

/** Nobody opens a message within this time of its hand-over: scanners do. */
const too_soon_ms = 2000

export const isMachine = (visitor: Visitor, sinceHandOver_ms: number | null): boolean =>
  visitor.method !== "GET" ||
  visitor.userAgent === null ||
  visitor.userAgent.trim() === "" ||
  visitor.knownMachine ||
  (visitor.purpose !== null && /prefetch|preview|prerender/i.test(visitor.purpose)) ||
  (sinceHandOver_ms !== null && sinceHandOver_ms < too_soon_ms)
