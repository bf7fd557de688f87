// Verification of other services' signatures by node:crypto.
import { Signatures } from "@tentpole/core/bounces/providers/Signatures"
import { Layer } from "effect"
import {
  createHash,
  createHmac,
  createPublicKey,
  type KeyObject,
  timingSafeEqual,
  verify,
  X509Certificate,
} from "node:crypto"

/** Compares hashes, so that the time does not depend on the values or their lengths. */
const isSame = (left: string | Uint8Array, right: string | Uint8Array): boolean =>
  timingSafeEqual(createHash("sha256").update(left).digest(), createHash("sha256").update(right).digest())

/** A value that can't be decoded is not a valid signature. */
const orNot = (check: () => boolean): boolean => {
  try {
    return check()
  } catch {
    return false
  }
}

const publicKeyOf = (text: string): KeyObject =>
  text.includes("-----BEGIN")
    ? createPublicKey(text)
    : createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" })

export const layer = Layer.succeed(
  Signatures,
  Signatures.of({
    isSame,
    isHmac: (key, message, tag) =>
      /^[0-9a-f]{64}$/i.test(tag) &&
      isSame(createHmac("sha256", key).update(message).digest(), Buffer.from(tag, "hex")),
    isEcdsa: (publicKey, message, signature) =>
      orNot(() => {
        const key = publicKeyOf(publicKey)
        return (
          key.asymmetricKeyDetails?.namedCurve === "prime256v1" &&
          verify("sha256", message, { key, dsaEncoding: "der" }, Buffer.from(signature, "base64"))
        )
      }),
    isByCertificate: (pem, algorithm, message, signature, at_ms) =>
      orNot(() => {
        const certificate = new X509Certificate(pem)
        return (
          certificate.publicKey.asymmetricKeyType === "rsa" &&
          certificate.validFromDate.getTime() <= at_ms &&
          at_ms <= certificate.validToDate.getTime() &&
          verify(algorithm, message, certificate.publicKey, Buffer.from(signature, "base64"))
        )
      }),
  }),
)
