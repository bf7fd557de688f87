// Sessions: signed-in browsers. The cookie contains a random token; only its hash is stored.
import { DateTime, Effect } from "effect"
import { Base64Url } from "effect/encoding"
import { encodeText } from "../kernel/Bytes.ts"
import type { SessionId, UserId } from "../kernel/Ids.ts"
import { Secrets } from "../kernel/Secrets.ts"

export interface Session {
  readonly id: SessionId
  readonly userId: UserId
  /** SHA-256 of the token. */
  readonly hash: Uint8Array
  /** The `User-Agent` of the sign-in. */
  readonly agent: string
  /** The time of the sign-in. */
  readonly createdAt: DateTime.Utc
  /** When the person last proved who they are. Null: the identity provider did not say, and may have asked nothing. */
  readonly provedAt: DateTime.Utc | null
  /** The last request, accurate to a minute. */
  readonly seenAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export const session_days = 30
/** Some operations need a proof of who the person is that is not older. */
export const recent_sign_in_minutes = 15
/** The last request is stored at most once in this time. */
export const seen_every_s = 60
export const agent_length_max = 500

const token_bytes = 32
/** 43 characters of base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** A random token of a session or a link. It is shown once and not stored. */
export const newToken = Effect.flatMap(Secrets, ({ randomBytes }) =>
  Effect.map(randomBytes(token_bytes), (bytes) => Base64Url.encode(bytes)),
)

export const isToken = (text: string): boolean => tokenPattern.test(text)

export const tokenHash = ({ sha256 }: Secrets["Service"], token: string): Uint8Array => sha256(encodeText(token))

export const isLive = ({ expiresAt, seenAt }: Session, now: DateTime.Utc, idle_minutes: number): boolean =>
  DateTime.isGreaterThan(expiresAt, now) && DateTime.isGreaterThan(DateTime.add(seenAt, { minutes: idle_minutes }), now)

export const isRecent = ({ provedAt }: Session, now: DateTime.Utc): boolean =>
  provedAt !== null && DateTime.isGreaterThan(DateTime.add(provedAt, { minutes: recent_sign_in_minutes }), now)
