// Contract tests of passkeys and their challenges.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { AccountStore } from "../../src/accounts/AccountStore.ts"
import type { Challenge, Passkey } from "../../src/accounts/passkeys/Passkey.ts"
import { PasskeyStore } from "../../src/accounts/passkeys/PasskeyStore.ts"
import type { User } from "../../src/accounts/User.ts"
import { PasskeyId, SignInLinkId, UserId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "../kernel/fresh.ts"

const at = (ms: number) => DateTime.makeUnsafe(ms)
const hash = (byte: number) => new Uint8Array(32).fill(byte)

const begin = Effect.gen(function* () {
  const store = yield* PasskeyStore
  const accounts = yield* AccountStore
  const { transact } = yield* Transactor
  const fresh = yield* Fresh

  const user = Effect.gen(function* () {
    const id = UserId.make(yield* fresh.id)
    const made: User = {
      id,
      name: "Ann",
      email: `ann.${id}@example.org`,
      emailNormalized: `ann.${id}@example.org`,
      passwordHash: null,
      oidcIssuer: null,
      oidcSubject: null,
      operator: false,
      createdAt: at(5),
    }
    yield* transact(accounts.putUser(made))
    return made
  })
  const passkey = Effect.fnUntraced(function* (of: User, fields: Partial<Passkey> = {}) {
    const made: Passkey = {
      id: PasskeyId.make(yield* fresh.id),
      userId: of.id,
      credentialId: yield* fresh.id,
      publicKey: Uint8Array.of(1, 2, 255),
      counter: 4_294_967_295,
      transports: ["internal", "hybrid"],
      name: "Ann's laptop ä",
      createdAt: at(1),
      usedAt: null,
      ...fields,
    }
    yield* transact(store.putPasskey(made))
    return made
  })
  const challenge = Effect.fnUntraced(function* (fields: Partial<Challenge> = {}) {
    const made: Challenge = {
      challenge: (yield* fresh.id).padEnd(43, "A"),
      browserHash: hash(7),
      userId: null,
      linkId: null,
      expiresAt: at(1_000),
      ...fields,
    }
    yield* transact(store.addChallenge(made))
    return made
  })
  return { accounts, challenge, fresh, passkey, store, transact, user }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "succeeded", onFailure: ({ _tag }) => _tag })

type Needs = AccountStore | Fresh | PasskeyStore | Transactor

export const passkeys = <E>(name: string, live: Layer.Layer<Needs, E>) =>
  layer(live, { excludeTestServices: true })(`PasskeyStore (${name})`, (it) => {
    it.effect("lists a user's passkeys, the oldest first, and finds one with its user", () =>
      Effect.gen(function* () {
        const { passkey, store, user } = yield* begin
        const [ann, bob] = [yield* user, yield* user]
        const made = [yield* passkey(ann, { createdAt: at(2) }), yield* passkey(ann, { createdAt: at(1) })]
        const other = yield* passkey(bob, { transports: [], counter: 0 })
        assert.deepStrictEqual(yield* store.passkeys(ann.id), made.toReversed())
        assert.deepStrictEqual(yield* store.findPasskey(other.credentialId), { passkey: other, user: bob })
        assert.strictEqual(yield* tagOf(store.findPasskey("unknown")), "NotFound")
      }),
    )

    it.effect("replaces a passkey, and removes one", () =>
      Effect.gen(function* () {
        const { passkey, store, transact, user } = yield* begin
        const ann = yield* user
        const made = yield* passkey(ann)
        const used = { ...made, counter: 9, usedAt: at(70) }
        yield* transact(store.putPasskey({ ...used, createdAt: at(77) }))
        assert.deepStrictEqual(yield* store.passkeys(ann.id), [used])
        yield* transact(store.removePasskey(made.id))
        assert.deepStrictEqual(yield* store.passkeys(ann.id), [])
      }),
    )

    it.effect("gives a credential id to one of two users who register it at once", () =>
      Effect.gen(function* () {
        const { fresh, passkey, user } = yield* begin
        const [ann, bob] = [yield* user, yield* user]
        const credentialId = yield* fresh.id
        const tags = yield* Effect.all([tagOf(passkey(ann, { credentialId })), tagOf(passkey(bob, { credentialId }))], {
          concurrency: 2,
        })
        assert.deepStrictEqual([...tags].sort(), ["PasskeyTaken", "succeeded"])
      }),
    )

    it.effect("gives a challenge to one of two calls of its browser, and to none after it expired", () =>
      Effect.gen(function* () {
        const { challenge, store, transact } = yield* begin
        const made = yield* challenge()
        const take = (browserHash: Uint8Array, ms: number) =>
          tagOf(transact(store.takeChallenge(made.challenge, browserHash, at(ms))))
        assert.strictEqual(yield* take(hash(8), 999), "NotFound")
        assert.strictEqual(yield* take(hash(7), 1_000), "NotFound")
        const both = yield* Effect.all([take(hash(7), 999), take(hash(7), 999)], { concurrency: 2 })
        assert.deepStrictEqual([...both].sort(), ["NotFound", "succeeded"])
      }),
    )

    it.effect("keeps the user and the link of a challenge, and deletes it with the link", () =>
      Effect.gen(function* () {
        const { accounts, challenge, fresh, store, transact } = yield* begin
        const userId = UserId.make(yield* fresh.id)
        const link = {
          id: SignInLinkId.make(yield* fresh.id),
          purpose: "first",
          hash: Uint8Array.from((yield* fresh.id).replaceAll("-", ""), (character) => character.charCodeAt(0)),
          createdAt: at(1),
          expiresAt: at(1_000),
        } as const
        yield* transact(accounts.addLink(link))
        const [one, two] = [
          yield* challenge({ userId, linkId: link.id }),
          yield* challenge({ userId, linkId: link.id }),
        ]
        assert.deepStrictEqual(yield* transact(store.takeChallenge(one.challenge, hash(7), at(1))), one)
        yield* transact(accounts.takeLink(link.hash, at(1)))
        assert.strictEqual(yield* tagOf(transact(store.takeChallenge(two.challenge, hash(7), at(1)))), "NotFound")
      }),
    )
  })
