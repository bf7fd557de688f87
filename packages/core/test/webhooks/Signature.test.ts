import { type Hmac, keyOf, secretOf, signedHeaders } from "@tentpole/core/webhooks/Signature"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Base64 } from "effect/encoding"

/** No HMAC: key and message as they are. */
const hmac: Hmac = (key, message) => Uint8Array.from([...key, ...message])
const keyOfSize = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 7) % 256)

describe("Signature", () => {
  it("has a signature for each key, in order", () => {
    const [one, two] = [keyOfSize(32), keyOfSize(24)]
    const it = { id: "a", time_s: 1, body: "é" }
    const of = (...keys: ReadonlyArray<Uint8Array>) => signedHeaders(hmac, { ...it, keys })["webhook-signature"]
    assert.strictEqual(of(one, two), `${of(one)} ${of(two)}`)
    assert.strictEqual(of(one), `v1,${Base64.encode(Uint8Array.from([...one, ...encodeText("a.1.é")]))}`)
  })

  it.prop(
    "a key of 24 to 64 bytes is a secret, and no other one",
    { length: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })) },
    ({ length }) => {
      const read = keyOf(secretOf(keyOfSize(length)))
      assert.deepStrictEqual(read, length >= 24 && length <= 64 ? keyOfSize(length) : null)
    },
  )

  it("a text that is no base64 behind its prefix is no secret", () => {
    const secret = secretOf(keyOfSize(32))
    for (const text of [
      "",
      "whsec_",
      secret.slice(6),
      `${secret}!`,
      `whsec-${secret.slice(6)}`,
      `${secret}\n`,
      "whsec_é",
    ]) {
      assert.isNull(keyOf(text), text)
    }
  })
})
