// DKIM signatures by node:crypto. The body is hashed here; the thread pool signs with a key that is parsed once.
import { WeightedLru } from "@tentpole/core/kernel/runtime/WeightedLru"
import { DkimSigner, unsignedSignature, withSignature } from "@tentpole/core/rendering/message/Dkim"
import { Effect, Layer } from "effect"
import { createPrivateKey, hash, type KeyObject, sign } from "node:crypto"

/** The maximum number of cached parsed keys. A worker sends for few domains at a time. */
const keys_max = 256

export const layer = Layer.sync(DkimSigner, () => {
  const parsed = new WeightedLru<KeyObject>(keys_max)

  return DkimSigner.of({
    sign: (headers, body, key) =>
      Effect.callback<string>((resume) => {
        const unsigned = unsignedSignature(headers, hash("sha256", body, "base64"), key)
        const privateKey = parsed.getOrSet(key.privateKeyPem, () => createPrivateKey(key.privateKeyPem))
        sign("rsa-sha256", unsigned.bytes, privateKey, (error, signature) => {
          resume(
            error === null ? Effect.succeed(withSignature(unsigned, signature.toString("base64"))) : Effect.die(error),
          )
        })
      }),
  })
})
