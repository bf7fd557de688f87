// Tests of password hashes.
import { layer, layerOf, scrypt, scryptOf } from "@tentpole/adapters/crypto/PasswordHasher"
import { PasswordHasher } from "@tentpole/core/accounts/Password"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as crypto from "node:crypto"

const password = "correct horse battery"
/** A stored hash of it, by a Node.js without argon2id. */
const old = "scrypt$131072$8$1$ywuj3e6_Kc-r02FxIS9A3A$M1PzyoFPjsDgEKCV-z8FClYdRbh_kSp2iVtD4SmtUu4"
/** That of this Node.js, and that of a Node.js without argon2id, at a low cost. */
const hashers = { "the algorithm of this Node.js": layer, scrypt: layerOf([scryptOf(2 ** 10)]) }

describe("password hashes", () => {
  for (const [name, hasher] of Object.entries(hashers)) {
    it.effect(`verify their password only, and have a salt (${name})`, () =>
      Effect.gen(function* () {
        const { hash, isOutdated, verify } = yield* PasswordHasher
        const text = yield* hash(password)
        assert.isTrue(yield* verify(password, text))
        assert.isFalse(yield* verify(`${password}!`, text))
        assert.isFalse(yield* verify(password, null))
        assert.notStrictEqual(yield* hash(password), text)
        assert.isFalse(isOutdated(text))
      }).pipe(Effect.provide(hasher)),
    )
  }

  it.effect("name their algorithm, so that older ones are verified and renewed", () =>
    Effect.gen(function* () {
      assert.isTrue(old.startsWith(`${scrypt.prefix}$`))
      const cheap = yield* PasswordHasher.use(({ hash }) => hash(password)).pipe(Effect.provide(hashers.scrypt))
      assert.match(cheap, /^scrypt\$1024\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
      const { hash, isOutdated, verify } = yield* PasswordHasher
      assert.isTrue(yield* verify(password, old))
      const hasArgon2 = "argon2" in crypto
      assert.strictEqual(isOutdated(old), hasArgon2)
      assert.strictEqual((yield* hash(password)).startsWith("argon2id$19456$2$1$"), hasArgon2)
    }).pipe(Effect.provide(layer)),
  )

  it.effect("are the same for all Unicode forms of a password", () =>
    Effect.gen(function* () {
      const { hash, verify } = yield* PasswordHasher
      assert.isTrue(yield* verify("pa\u0308sswort lang", yield* hash("p\u00e4sswort lang")))
    }).pipe(Effect.provide(layer)),
  )
})
