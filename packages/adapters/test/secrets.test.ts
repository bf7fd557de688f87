import * as SecretsLayer from "@tentpole/adapters/crypto/Secrets"
import { encodeText } from "@tentpole/core/Bytes"
import { Secrets } from "@tentpole/core/Secrets"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createPublicKey, sign, verify } from "node:crypto"

const old = Redacted.make("the secret of last year, long enough")
const now = Redacted.make("the secret of this year, long enough")
const message = encodeText("a message")

const under = <A, E>(
  options: { readonly secret: Redacted.Redacted; readonly previous: Redacted.Redacted | null },
  use: (secrets: Secrets["Service"]) => Effect.Effect<A, E>,
) => Effect.flatMap(Secrets, use).pipe(Effect.provide(SecretsLayer.layer(options)))

it.effect("a MAC verifies for its purpose and message, whole or cut to 8 bytes, and for nothing else", () =>
  under({ secret: now, previous: null }, (secrets) =>
    Effect.sync(() => {
      const tag = secrets.mac("open", message)
      assert.isTrue(secrets.verifies("open", message, tag))
      assert.isTrue(secrets.verifies("open", message, tag.subarray(0, 8)))
      assert.isFalse(secrets.verifies("open", message, tag.subarray(0, 7)))
      assert.isFalse(secrets.verifies("click", message, tag))
      assert.isFalse(secrets.verifies("open", encodeText("another"), tag))
      for (let bit = 0; bit < 256; bit++) {
        const flipped = Uint8Array.from(tag)
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        assert.isFalse(secrets.verifies("open", message, flipped))
      }
    }),
  ),
)

it.effect("numbered MACs verify for their purpose, message and number, whole or cut to 8 bytes, and for nothing else", () =>
  under({ secret: now, previous: null }, (secrets) =>
    Effect.sync(() => {
      const tags = secrets.macs("links", message, 5, 300)
      const tagOf = (number: number) => tags.subarray((number - 5) * 16, (number - 4) * 16)
      for (const number of [5, 6, 255, 256, 304]) {
        const tag = tagOf(number)
        assert.deepStrictEqual(Array.from(secrets.macs("links", message, number, 1)), Array.from(tag))
        assert.isTrue(secrets.verifiesNumbered("links", message, number, tag))
        assert.isTrue(secrets.verifiesNumbered("links", message, number, tag.subarray(0, 8)))
        assert.isFalse(secrets.verifiesNumbered("links", message, number, tag.subarray(0, 7)))
        assert.isFalse(secrets.verifiesNumbered("links", message, number, tags.subarray(0, 17)))
        assert.isFalse(secrets.verifiesNumbered("links", message, number + 1, tag))
        assert.isFalse(secrets.verifiesNumbered("other", message, number, tag))
        assert.isFalse(secrets.verifiesNumbered("links", encodeText("another"), number, tag))
        for (let bit = 0; bit < 128; bit++) {
          const flipped = Uint8Array.from(tag)
          flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
          assert.isFalse(secrets.verifiesNumbered("links", message, number, flipped))
        }
      }
      assert.strictEqual(new Set(Array.from({ length: 300 }, (_, at) => String(tagOf(at + 5)))).size, 300)
    }),
  ),
)

it.effect("after the secret is changed, what the previous one signed and sealed is still good", () =>
  Effect.gen(function* () {
    const before = yield* under({ secret: old, previous: null }, (secrets) =>
      Effect.map(secrets.seal("dkim", message), (sealed) => ({
        sealed,
        tag: secrets.mac("open", message),
        numbered: secrets.macs("links", message, 7, 1),
      })),
    )
    yield* under({ secret: now, previous: old }, (secrets) =>
      Effect.gen(function* () {
        assert.isTrue(secrets.verifies("open", message, before.tag))
        assert.isTrue(secrets.verifiesNumbered("links", message, 7, before.numbered))
        assert.deepStrictEqual(Array.from(yield* secrets.open("dkim", before.sealed)), Array.from(message))
      }),
    )
    yield* under({ secret: now, previous: null }, (secrets) =>
      Effect.gen(function* () {
        assert.isFalse(secrets.verifies("open", message, before.tag))
        assert.isFalse(secrets.verifiesNumbered("links", message, 7, before.numbered))
        assert.strictEqual((yield* Effect.flip(secrets.open("dkim", before.sealed)))._tag, "Unsealable")
      }),
    )
  }),
)

it.effect("what is sealed opens for its purpose only, and not when a bit of it has changed", () =>
  under({ secret: now, previous: null }, (secrets) =>
    Effect.gen(function* () {
      const sealed = yield* secrets.seal("dkim", message)
      assert.strictEqual((yield* Effect.flip(secrets.open("other", sealed)))._tag, "Unsealable")
      const changed = Uint8Array.from(sealed)
      changed[15] = (changed[15] ?? 0) ^ 1
      assert.strictEqual((yield* Effect.flip(secrets.open("dkim", changed)))._tag, "Unsealable")
      assert.strictEqual((yield* Effect.flip(secrets.open("dkim", sealed.subarray(0, 10))))._tag, "Unsealable")
    }),
  ),
)

it.effect("a key pair signs and verifies", () =>
  under({ secret: now, previous: null }, (secrets) =>
    Effect.gen(function* () {
      const { privateKeyPem, publicKeyDer } = yield* secrets.rsaKeyPair
      const publicKey = createPublicKey({ key: Buffer.from(publicKeyDer, "base64"), format: "der", type: "spki" })
      assert.isTrue(verify("sha256", message, publicKey, sign("sha256", message, privateKeyPem)))
    }),
  ),
)
