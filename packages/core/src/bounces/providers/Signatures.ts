// The port to others' signatures: those of providers, under keys that are not ours.
import { Context, type Effect, Schema } from "effect"

/** SNS did not give what was asked for, in time and in bounds. */
export class SnsUnavailable extends Schema.TaggedError<SnsUnavailable>()("SnsUnavailable", { reason: Schema.String }) {}

/** Checks signatures. A key or a signature that can't be read verifies nothing; nothing here fails. */
export class Signatures extends Context.Service<
  Signatures,
  {
    /** HMAC-SHA256 under a key of the provider's; `tag` is hexadecimal. Constant in time. */
    readonly isHmac: (key: string, message: Uint8Array, tag: string) => boolean
    /** Whether two texts are the same, without telling by the time where they differ. */
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

/** The port to Amazon SNS. Whoever calls has made sure of the address: one of SNS itself. */
export class Sns extends Context.Service<
  Sns,
  {
    /** A certificate in PEM. */
    readonly certificate: (url: string) => Effect.Effect<string, SnsUnavailable>
    /** Says yes to a subscription. */
    readonly confirm: (url: string) => Effect.Effect<void, SnsUnavailable>
  }
>()("tentpole/Sns") {}
