// API keys: `tp_live_`, 32 characters of base 62, and a checksum of 6, so that a mistyped key (or one found in a log) can be
// told from a real one without asking the database. Only a hash and the first 12 characters are kept.
import { type DateTime, Effect, Result } from "effect"
import type { ApiKeyId, WorkspaceId } from "../kernel/Ids.ts"
import { Invalid } from "../kernel/Refusal.ts"
import { Secrets } from "../kernel/Secrets.ts"

export interface ApiKey {
  readonly id: ApiKeyId
  readonly workspaceId: WorkspaceId
  readonly name: string
  /** The first 12 characters, for people to tell keys apart. */
  readonly prefix: string
  /** SHA-256 of the whole key. */
  readonly hash: Uint8Array
  readonly expiresAt: DateTime.Utc | null
  readonly revokedAt: DateTime.Utc | null
  readonly lastUsedAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
}

const lead = "tp_live_"
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const random_length = 32
const checksum_length = 6
export const prefix_length = 12

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** Bytes as base 62 without bias: bytes of 248 and above are passed over. */
const base62 = (bytes: Uint8Array, length: number): string => {
  let text = ""
  for (const byte of bytes) {
    if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62)
  }
  return text
}

/** A checksum tells typing errors, it protects nothing: 6 characters of the hash of what precedes it. */
const checksum = (sha256: (bytes: Uint8Array) => Uint8Array, random: string): string => {
  const digest = sha256(ascii(lead + random))
  return Array.from(digest.subarray(0, checksum_length), (byte) => alphabet.charAt(byte % 62)).join("")
}

/** A new key in the clear. It is shown once and kept nowhere. */
export const newKey: Effect.Effect<string, never, Secrets> = Effect.gen(function* () {
  const secrets = yield* Secrets
  let random = ""
  while (random.length < random_length) {
    random += base62(yield* secrets.randomBytes(48), random_length - random.length)
  }
  return lead + random + checksum(secrets.sha256, random)
})

/** Whether a text can be a key at all: one of ours with its checksum right, or one chosen by an operator. */
export const wellFormed = (sha256: (bytes: Uint8Array) => Uint8Array, text: string): boolean => {
  const ours = /^tp_live_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(text)
  if (ours?.[1] !== undefined && ours[2] === checksum(sha256, ours[1])) return true
  return chosenPattern.test(text)
}

const chosenPattern = /^[A-Za-z0-9_-]{32,128}$/

/** A key chosen by an operator, `BOOTSTRAP_API_KEY`. */
export const checkChosen = (text: string): Result.Result<string, Invalid> =>
  chosenPattern.test(text)
    ? Result.succeed(text)
    : Result.fail(Invalid.at("BOOTSTRAP_API_KEY", "must be 32 to 128 characters of A-Z, a-z, 0-9, _ and -"))

/** What a key is for, in words. */
export const checkKeyName = (name: string): Result.Result<string, Invalid> =>
  name.trim() !== "" && name.length <= key_name_length_max
    ? Result.succeed(name)
    : Result.fail(Invalid.at("name", `must have 1 to ${key_name_length_max} characters`))

export const key_name_length_max = 200

export const hashOf = (sha256: (bytes: Uint8Array) => Uint8Array, text: string): Uint8Array => sha256(ascii(text))

/** Expired, revoked and unknown keys are one and the same to whoever holds them. */
export const isLive = (key: ApiKey, now_ms: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt.epochMilliseconds > now_ms)
