// Contract tests of idempotency keys.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { encodeText } from "../../src/kernel/Bytes.ts"
import { type Claim, IdempotencyStore, type NewClaim } from "../../src/operations/idempotency/IdempotencyStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "../kernel/fresh.ts"

const hash = (of: number): Uint8Array => new Uint8Array(32).fill(of)
const [scope, otherScope] = [hash(1), hash(2)]
const hour_ms = 3_600_000

const answered = (text: string) => ({
  bodyHash: hash(9),
  answer: { status: 201, headers: { "content-type": "application/json" }, sealed: encodeText(text) },
})

/** The response without the array types that a store uses. */
const plain = (claim: Claim) =>
  claim._tag === "Answered"
    ? {
        ...claim,
        bodyHash: Array.from(claim.bodyHash),
        answer: { ...claim.answer, sealed: Array.from(claim.answer.sealed ?? []) },
      }
    : claim

const begin = Effect.gen(function* () {
  const { transact } = yield* Transactor
  const store = yield* IdempotencyStore
  const fresh = yield* Fresh
  const workspace = yield* fresh.workspace()
  const claim = Effect.fnUntraced(function* (more: Partial<NewClaim> = {}, at = scope) {
    const holder = yield* fresh.id
    const it = { holder, lease_ms: hour_ms, retention_ms: hour_ms, bodyHash: hash(9), ...more }
    return { holder: it.holder, found: yield* transact(store.claim(workspace, at, it)) }
  })
  return { claim, fresh, store, transact, workspace }
})

export const idempotencyKeys = <E>(name: string, live: Layer.Layer<IdempotencyStore | Transactor | Fresh, E>) =>
  layer(live, { excludeTestServices: true })(`Idempotency keys (${name})`, (it) => {
    it.effect("runs exactly one of several concurrent requests and refuses the others", () =>
      Effect.gen(function* () {
        const { claim } = yield* begin
        const all = yield* Effect.all(
          Array.from({ length: 50 }, () => claim()),
          { concurrency: "unbounded" },
        )
        const tags = all.map(({ found }) => found._tag)
        assert.strictEqual(tags.filter((tag) => tag === "Claimed").length, 1)
        assert.strictEqual(tags.filter((tag) => tag === "Running").length, 49)
      }),
    )

    it.effect("returns a stored answer unchanged, also one whose body was not stored", () =>
      Effect.gen(function* () {
        const { claim, store, transact, workspace } = yield* begin
        const { holder } = yield* claim({ bodyHash: null })
        const running = yield* claim()
        assert.deepStrictEqual(running.found, { _tag: "Running", bodyHash: null })
        assert.isTrue(yield* transact(store.answer(workspace, scope, holder, answered("first"))))
        const { found } = yield* claim()
        assert.deepStrictEqual(plain(found), plain({ _tag: "Answered", ...answered("first") }))
        assert.isFalse(yield* transact(store.answer(workspace, scope, holder, answered("second"))))

        const large = yield* claim({}, otherScope)
        const unkept = { ...answered(""), answer: { status: 200, headers: {}, sealed: null } }
        yield* transact(store.answer(workspace, otherScope, large.holder, unkept))
        const repeated = (yield* claim({}, otherScope)).found
        assert.isNull(repeated._tag === "Answered" ? repeated.answer.sealed : "no answer")
      }),
    )

    it.effect("allows a released key again, but not an answered one", () =>
      Effect.gen(function* () {
        const { claim, store, transact, workspace } = yield* begin
        const first = yield* claim()
        yield* transact(store.release(workspace, scope, first.holder))
        const second = yield* claim()
        assert.strictEqual(second.found._tag, "Claimed")
        yield* transact(store.release(workspace, scope, first.holder))
        assert.strictEqual((yield* claim()).found._tag, "Running")
        yield* transact(store.answer(workspace, scope, second.holder, answered("x")))
        yield* transact(store.release(workspace, scope, second.holder))
        assert.strictEqual((yield* claim()).found._tag, "Answered")
      }),
    )

    it.effect("lets another request take over a claim that is not renewed, and reports it to the first holder", () =>
      Effect.gen(function* () {
        const { claim, store, transact, workspace } = yield* begin
        const dead = yield* claim({ lease_ms: 0 })
        const next = yield* claim({ lease_ms: 0 })
        assert.strictEqual(next.found._tag, "Claimed")
        assert.isFalse(yield* transact(store.renew(workspace, scope, { holder: dead.holder, lease_ms: hour_ms })))
        assert.isFalse(yield* transact(store.answer(workspace, scope, dead.holder, answered("late"))))
        assert.isTrue(yield* transact(store.renew(workspace, scope, { holder: next.holder, lease_ms: hour_ms })))
        assert.strictEqual((yield* claim()).found._tag, "Running")
      }),
    )

    it.effect("ignores expired keys", () =>
      Effect.gen(function* () {
        const { claim, store, transact, workspace } = yield* begin
        const old = yield* claim({ retention_ms: 0 })
        yield* transact(store.answer(workspace, scope, old.holder, answered("old")))
        assert.strictEqual((yield* claim()).found._tag, "Claimed")
      }),
    )

    it.effect("claims nothing when the transaction fails", () =>
      Effect.gen(function* () {
        const { claim, fresh, store, transact, workspace } = yield* begin
        const it = { holder: yield* fresh.id, lease_ms: hour_ms, retention_ms: hour_ms, bodyHash: null }
        yield* Effect.exit(transact(Effect.andThen(store.claim(workspace, scope, it), Effect.fail("no"))))
        assert.strictEqual((yield* claim()).found._tag, "Claimed")
      }),
    )

    it.effect("separates the keys of workspaces", () =>
      Effect.gen(function* () {
        const one = yield* begin
        const other = yield* begin
        const { holder } = yield* one.claim({ retention_ms: 0 })
        assert.strictEqual((yield* other.claim()).found._tag, "Claimed")
        const { store, transact } = other
        assert.isFalse(yield* transact(store.answer(other.workspace, scope, holder, answered("x"))))
      }),
    )
  })
