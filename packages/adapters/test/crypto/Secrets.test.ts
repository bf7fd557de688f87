import * as SecretsLayer from "@tentpole/adapters/crypto/Secrets"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { Secrets } from "@tentpole/core/kernel/Secrets"
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

it.effect("a MAC verifies only for its purpose and message, complete or cut to 8 bytes", () =>
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

it.effect("a piece of a long MAC verifies only for its purpose, message and position", () =>
  under({ secret: now, previous: null }, (secrets) =>
    Effect.sync(() => {
      const long = secrets.longMac("links", message, 700)
      assert.match(long, /^[\w-]{700}$/)
      for (const length of [1, 43, 639]) {
        assert.strictEqual(secrets.longMac("links", message, length), long.slice(0, length))
      }
      for (const [start, length] of [
        [0, 12],
        [20, 20],
        [620, 20],
        [7, 43],
      ] as const) {
        const piece = long.slice(start, start + length)
        assert.isTrue(secrets.verifiesPiece("links", message, start, piece))
        assert.isFalse(secrets.verifiesPiece("links", message, start, piece.slice(0, 11)))
        assert.isFalse(secrets.verifiesPiece("links", message, start, long.slice(start, start + 44)))
        assert.isFalse(secrets.verifiesPiece("links", message, start + 1, piece))
        assert.isFalse(secrets.verifiesPiece("other", message, start, piece))
        assert.isFalse(secrets.verifiesPiece("links", encodeText("another"), start, piece))
        for (let at = 0; at < length; at++) {
          for (const other of ["A", "_", "é"]) {
            const changed = piece.slice(0, at) + other + piece.slice(at + 1)
            assert.strictEqual(secrets.verifiesPiece("links", message, start, changed), changed === piece)
          }
        }
      }
    }),
  ),
)

it.effect("signatures and sealed values of the previous secret stay valid after the secret changes", () =>
  Effect.gen(function* () {
    const before = yield* under({ secret: old, previous: null }, (secrets) =>
      Effect.map(secrets.seal("dkim", message), (sealed) => ({
        sealed,
        tag: secrets.mac("open", message),
        piece: secrets.longMac("links", message, 40).slice(20),
      })),
    )
    yield* under({ secret: now, previous: old }, (secrets) =>
      Effect.gen(function* () {
        assert.isTrue(secrets.verifies("open", message, before.tag))
        assert.isTrue(secrets.verifiesPiece("links", message, 20, before.piece))
        assert.deepStrictEqual(Array.from(yield* secrets.open("dkim", before.sealed)), Array.from(message))
      }),
    )
    yield* under({ secret: now, previous: null }, (secrets) =>
      Effect.gen(function* () {
        assert.isFalse(secrets.verifies("open", message, before.tag))
        assert.isFalse(secrets.verifiesPiece("links", message, 20, before.piece))
        assert.strictEqual((yield* Effect.flip(secrets.open("dkim", before.sealed)))._tag, "Unsealable")
      }),
    )
  }),
)

it.effect("a sealed value opens only for its purpose and only unchanged", () =>
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
