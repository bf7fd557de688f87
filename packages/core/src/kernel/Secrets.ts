// Randomness, hashes, signatures and sealing, behind a port: the core has no cryptography of its own.
import { Context, type Effect, Schema } from "effect"

/** The bytes were not sealed by this service, or for another purpose, or have been changed. */
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
    /** HMAC-SHA256 under APP_SECRET, 32 bytes. `purpose` is bound in: a MAC for one purpose never passes for another. */
    readonly mac: (purpose: string, message: Uint8Array) => Uint8Array
    /**
     * Whether `tag` (the first 8 to 32 bytes of a MAC) was made for this purpose and message under the current secret or
     * the previous one. Constant in time.
     */
    readonly verifies: (purpose: string, message: Uint8Array, tag: Uint8Array) => boolean
    /**
     * A MAC as long as one likes: the HMAC-SHA256 of purpose and message, stretched to so many characters of base64url (six
     * bits each). Pieces of it that don't overlap are MACs of their own, and whoever has some of them can't tell the others:
     * many for the price of one.
     */
    readonly longMac: (purpose: string, message: Uint8Array, length: number) => string
    /** As `verifies`: whether `piece` (12 to 43 characters) stands in the long MAC at `start`. */
    readonly verifiesPiece: (purpose: string, message: Uint8Array, start: number, piece: string) => boolean
    /** Encrypts and authenticates what must be kept but not read in the database: DKIM keys. */
    readonly seal: (purpose: string, plain: Uint8Array) => Effect.Effect<Uint8Array>
    readonly open: (purpose: string, sealed: Uint8Array) => Effect.Effect<Uint8Array, Unsealable>
    /** A new RSA key pair of 2,048 bits, for DKIM: the private key as PKCS #8 PEM, the public one as base64 of its DER. */
    readonly rsaKeyPair: Effect.Effect<{ readonly privateKeyPem: string; readonly publicKeyDer: string }>
  }
>()("tentpole/Secrets") {}
