// API keys, with a checksum that detects typing errors without a query. Only a hash and 12 characters are stored.
import { type DateTime, Effect, Result } from "effect"
import type { ApiKeyId, WorkspaceId } from "../kernel/Ids.ts"
import { encodeText } from "../kernel/Bytes.ts"
import { Invalid } from "../kernel/Refusal.ts"
import { Secrets } from "../kernel/Secrets.ts"
import type { Role } from "./Role.ts"

export interface ApiKey {
  readonly id: ApiKeyId
  readonly workspaceId: WorkspaceId
  readonly name: string
  /** The first 12 characters, to distinguish keys in a listing. */
  readonly prefix: string
  readonly role: Role
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

/** Bytes as base 62. Bytes of 248 and above are skipped, so that all characters are equally likely. */
const base62 = (bytes: Uint8Array, length: number): string => {
  let text = ""
  for (const byte of bytes) {
    if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62)
  }
  return text
}

/** The first 6 characters of a hash of the preceding text. It detects typing errors and has no security purpose. */
const checksum = (sha256: (bytes: Uint8Array) => Uint8Array, random: string): string => {
  const digest = sha256(encodeText(lead + random))
  return Array.from(digest.subarray(0, checksum_length), (byte) => alphabet.charAt(byte % 62)).join("")
}

/** A new key in plain text. It is shown once and not stored. */
export const newKey: Effect.Effect<string, never, Secrets> = Effect.gen(function* () {
  const secrets = yield* Secrets
  let random = ""
  while (random.length < random_length) {
    random += base62(yield* secrets.randomBytes(48), random_length - random.length)
  }
  return lead + random + checksum(secrets.sha256, random)
})

/** Whether a text has the form of a key: a generated key with a correct checksum, or one that an operator chose. */
export const isWellFormed = (sha256: (bytes: Uint8Array) => Uint8Array, text: string): boolean => {
  const ours = /^tp_live_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/.exec(text)
  if (ours?.[1] !== undefined && ours[2] === checksum(sha256, ours[1])) return true
  return chosenPattern.test(text)
}

const chosenPattern = /^[A-Za-z0-9_-]{32,128}$/

/** Checks a key that an operator chose with `BOOTSTRAP_API_KEY`. */
export const checkChosenKey = (text: string): Result.Result<string, Invalid> =>
  chosenPattern.test(text)
    ? Result.succeed(text)
    : Result.fail(Invalid.at("BOOTSTRAP_API_KEY", "must be 32 to 128 characters of A-Z, a-z, 0-9, _ and -"))

export const checkKeyName = (name: string): Result.Result<string, Invalid> =>
  name.trim() !== "" && name.length <= key_name_length_max
    ? Result.succeed(name)
    : Result.fail(Invalid.at("name", `must have 1 to ${key_name_length_max} characters`))

export const key_name_length_max = 200

export const hashOf = (sha256: (bytes: Uint8Array) => Uint8Array, text: string): Uint8Array => sha256(encodeText(text))

/** Callers can't distinguish expired, revoked and unknown keys. */
export const isLive = (key: ApiKey, now_ms: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt.epochMilliseconds > now_ms)
