// Passkeys: key pairs on users' devices. The device signs a challenge; the service has the public key.
import { type DateTime, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { encodeText } from "../../kernel/Bytes.ts"
import type { PasskeyId, SignInLinkId, UserId } from "../../kernel/Ids.ts"
import { Invalid, NotFound } from "../../kernel/Refusal.ts"
import { charactersIn, isBlank, trim } from "../../kernel/Text.ts"
import { LastPasskey } from "../AccountErrors.ts"

export interface Passkey {
  readonly id: PasskeyId
  readonly userId: UserId
  /** The name that the device gave to the passkey: base64url. */
  readonly credentialId: string
  /** As COSE key. */
  readonly publicKey: Uint8Array
  /** Signatures that the device has counted; 0 if it counts none. */
  readonly counter: number
  /** How browsers reach the device: `internal`, `hybrid`, `usb` … */
  readonly transports: ReadonlyArray<string>
  readonly name: string
  readonly createdAt: DateTime.Utc
  /** The last sign-in with it. */
  readonly usedAt: DateTime.Utc | null
}

/** Random bytes that a device signs. Each works once, and in the browser that requested it. */
export interface Challenge {
  /** 32 bytes as base64url. */
  readonly challenge: string
  /** SHA-256 of the token in a cookie of the browser. */
  readonly browserHash: Uint8Array
  /** The user that a new passkey is for, who may not exist yet. Null: the challenge of a sign-in. */
  readonly userId: UserId | null
  /** The link of the user, if the user came by one. */
  readonly linkId: SignInLinkId | null
  readonly expiresAt: DateTime.Utc
}

/** A browser's answer after it created a passkey. All but the name is base64url. */
export interface PasskeyRegistration {
  readonly name: string
  readonly id: string
  readonly clientData: string
  readonly attestation: string
  readonly transports: ReadonlyArray<string>
}

/** A browser's answer that signs in. All values are base64url. */
export interface PasskeyAssertion {
  readonly id: string
  readonly clientData: string
  readonly authenticatorData: string
  readonly signature: string
  readonly userHandle: string
}

/** The console, as passkeys know it. A passkey works on this host only. */
export interface RelyingParty {
  readonly host: string
  readonly origin: string
}

/** COSE numbers of EdDSA, ES256 and RS256. Every device has one of them. */
export const passkeyAlgorithms: ReadonlyArray<number> = [-8, -7, -257]

export const challenge_minutes = 5
export const passkeys_max = 20
export const passkey_name_length_max = 100

/** Null: browsers have no passkeys for IP addresses, nor over plain HTTP to another machine. */
export const relyingPartyOf = (consoleUrl: string): RelyingParty | null => {
  const [, scheme = "", host = ""] = /^(https?):\/\/([^/:[\]]+)(?::\d+)?$/i.exec(consoleUrl) ?? []
  const isAddress = /^[\d.]*$/.test(host)
  const isSecure = scheme.toLowerCase() === "https" || /^(?:.*\.)?localhost$/i.test(host)
  return isAddress || !isSecure ? null : { host: host.toLowerCase(), origin: consoleUrl.toLowerCase() }
}

/** How devices name the user of a passkey, in base64url. */
export const handleOf = (userId: UserId): string => Base64Url.encode(encodeText(userId))

const decodeClientData = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ challenge: Schema.String })))

/** The challenge that a browser's answer names. It is not verified yet. */
export const challengeIn = (clientData: string): string | null =>
  Option.getOrNull(
    Option.map(
      Option.flatMap(Result.getSuccess(Base64Url.decodeString(clientData)), decodeClientData),
      ({ challenge }) => challenge,
    ),
  )

/** Whether a device's count of signatures grew. Another count belongs to a copy of the passkey. Some devices count none. */
export const isCounterAhead = (before: number, after: number): boolean =>
  after > before || (before === 0 && after === 0)

export const checkPasskeyName = (name: string): Result.Result<string, Invalid> => {
  const trimmed = trim(name)
  return !isBlank(trimmed) && charactersIn(trimmed) <= passkey_name_length_max
    ? Result.succeed(trimmed)
    : Result.fail(Invalid.at("name", `must have 1 to ${passkey_name_length_max} characters`))
}

/** A user without a password keeps a passkey. */
export const checkPasskeyRemoval = (
  passkeys: ReadonlyArray<Passkey>,
  id: PasskeyId,
  hasPassword: boolean,
): Result.Result<Passkey, NotFound | LastPasskey> => {
  const found = passkeys.find((each) => each.id === id)
  if (found === undefined) return Result.fail(new NotFound({ resource: "passkey" }))
  return hasPassword || passkeys.length > 1 ? Result.succeed(found) : Result.fail(new LastPasskey())
}
