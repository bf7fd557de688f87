// DKIM signatures by node:crypto. The body is hashed here; the thread pool signs with a key that is parsed once.
import { DkimSigner, unsignedSignature, withSignature } from "@tentpole/core/rendering/message/Dkim"
import { Effect, Layer } from "effect"
import { createPrivateKey, hash, type KeyObject, sign } from "node:crypto"

/** The maximum number of cached parsed keys. A worker sends for few domains at a time. */
const keys_max = 256

export const layer = Layer.sync(DkimSigner, () => {
  const parsed = new Map<string, KeyObject>()

  const keyOf = (pem: string): KeyObject => {
    const known = parsed.get(pem)
    if (known !== undefined) return known
    const key = createPrivateKey(pem)
    const [oldest] = parsed.keys()
    if (parsed.size >= keys_max && oldest !== undefined) parsed.delete(oldest)
    parsed.set(pem, key)
    return key
  }

  return DkimSigner.of({
    sign: (headers, body, key) =>
      Effect.callback<string>((resume) => {
        const unsigned = unsignedSignature(headers, hash("sha256", body, "base64"), key)
        sign("rsa-sha256", unsigned.bytes, keyOf(key.privateKeyPem), (error, signature) => {
          resume(
            error === null ? Effect.succeed(withSignature(unsigned, signature.toString("base64"))) : Effect.die(error),
          )
        })
      }),
  })
})
