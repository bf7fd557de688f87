// The consent that a caller has: what the person agreed to, when and where.
import type { DateTime } from "effect"
import type { Issue } from "../kernel/Refusal.ts"
import type { ActorName } from "../kernel/changes/Actor.ts"
import { type Evidence, evidenceOf } from "./ConsentRecord.ts"
import { ipPrefixOf } from "./IpPrefix.ts"

export const consent_text_length_max = 2_000
export const consent_source_length_max = 100
export const consent_user_agent_length_max = 500

export interface GivenConsent {
  readonly text: string
  /** Words of the caller: `checkout`. */
  readonly source: string
  readonly ip?: string
  readonly userAgent?: string
  /** Default: now. */
  readonly collectedAt?: DateTime.Utc
}

/** The issues of a consent, below `path`. */
export const consentIssues = (
  { collectedAt, ip }: GivenConsent,
  now: DateTime.Utc,
  path: string,
): ReadonlyArray<Issue> => [
  ...(ip !== undefined && ipPrefixOf(ip) === null ? [{ path: `${path}.ip`, message: "must be an IP address" }] : []),
  ...(collectedAt !== undefined && collectedAt.epochMilliseconds > now.epochMilliseconds
    ? [{ path: `${path}.collected_at`, message: "must not be later than now" }]
    : []),
]

/** The evidence of a call: a key is `api`, a person of the workspace is `admin`. */
export const evidenceOfCall = (actor: ActorName, consent: GivenConsent | null): Evidence => {
  const keyPrefix = actor.startsWith("key:") ? actor.slice(4) : null
  return evidenceOf(keyPrefix === null ? "admin" : "api", {
    keyPrefix,
    ...(consent === null
      ? {}
      : {
          sourceDetail: consent.source,
          text: consent.text,
          ipPrefix: consent.ip === undefined ? null : ipPrefixOf(consent.ip),
          userAgent: consent.userAgent ?? null,
        }),
  })
}
