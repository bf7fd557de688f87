// The port to cryptography: random bytes, hashes, MACs and encryption.
import { Context, type Effect, Schema } from "effect"

/** The bytes were not sealed by this service, were sealed for another purpose, or were changed. */
export class Unsealable extends Schema.TaggedError<Unsealable>()("Unsealable", { purpose: Schema.String }) {
  override get message(): string {
    return `A stored secret (${this.purpose}) can't be opened: APP_SECRET is not the one it was sealed with`
  }
}

export class Secrets extends Context.Service<
  Secrets,
  {
    readonly randomBytes: (length: number) => Effect.Effect<Uint8Array>
    readonly sha256: (bytes: Uint8Array) => Uint8Array
    /** HMAC-SHA256 with APP_SECRET, 32 bytes. `purpose` is part of it: a MAC for one purpose is not valid for another. */
    readonly mac: (purpose: string, message: Uint8Array) => Uint8Array
    /**
     * Whether `tag` (the first 8 to 32 bytes of a MAC) belongs to this purpose and message, with the current or the previous
     * secret. Takes constant time.
     */
    readonly verifies: (purpose: string, message: Uint8Array, tag: Uint8Array) => boolean
    /**
     * A MAC of any length: HMAC-SHA256 of purpose and message, expanded to `length` characters of base64url (six bits each).
     * Its non-overlapping pieces are independent MACs, so one call gives many.
     */
    readonly longMac: (purpose: string, message: Uint8Array, length: number) => string
    /** Like `verifies`: whether `piece` (12 to 43 characters) is in the long MAC at `start`. */
    readonly verifiesPiece: (purpose: string, message: Uint8Array, start: number, piece: string) => boolean
    /** Encrypts and authenticates what the database must not reveal, such as DKIM keys. */
    readonly seal: (purpose: string, plain: Uint8Array) => Effect.Effect<Uint8Array>
    readonly open: (purpose: string, sealed: Uint8Array) => Effect.Effect<Uint8Array, Unsealable>
    /** A new 2,048-bit RSA key pair for DKIM: private key as PKCS #8 PEM, public key as base64 of its DER. */
    readonly rsaKeyPair: Effect.Effect<{ readonly privateKeyPem: string; readonly publicKeyDer: string }>
  }
>()("tentpole/Secrets") {}
