// The ports to providers' signatures and to Amazon SNS.
import { Context, type Effect, Schema } from "effect"

/** SNS did not return the requested document within the limits of time and size. */
export class SnsUnavailable extends Schema.TaggedError<SnsUnavailable>()("SnsUnavailable", { reason: Schema.String }) {}

/** Verifies signatures. Unreadable keys and signatures verify nothing; no method fails. */
export class Signatures extends Context.Service<
  Signatures,
  {
    /** HMAC-SHA256 under a provider's key; `tag` is hexadecimal. Takes constant time. */
    readonly isHmac: (key: string, message: Uint8Array, tag: string) => boolean
    /** Whether two texts are equal. Takes constant time. */
    readonly isSame: (left: string, right: string) => boolean
    /** ECDSA over SHA-256 on P-256. `publicKey`: base64 of the SPKI DER, or PEM; `signature`: base64 of the DER. */
    readonly isEcdsa: (publicKey: string, message: Uint8Array, signature: string) => boolean
    /** RSA (PKCS #1 v1.5) by the key of a certificate that is valid at `at_ms`. `signature`: base64. */
    readonly isByCertificate: (
      certificatePem: string,
      algorithm: "sha1" | "sha256",
      message: Uint8Array,
      signature: string,
      at_ms: number,
    ) => boolean
  }
>()("tentpole/Signatures") {}

/** The port to Amazon SNS. The caller has checked that the address belongs to SNS. */
export class Sns extends Context.Service<
  Sns,
  {
    /** A certificate in PEM. */
    readonly certificate: (url: string) => Effect.Effect<string, SnsUnavailable>
    readonly confirm: (url: string) => Effect.Effect<void, SnsUnavailable>
  }
>()("tentpole/Sns") {}
