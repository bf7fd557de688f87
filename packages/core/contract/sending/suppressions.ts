// Contract tests of suppressions: the strongest reason, listings, and locks.
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, type Layer, Ref } from "effect"
import type { WorkspaceId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { suppressionReasons, type SuppressionReason } from "../../src/sending/Suppression.ts"
import { type SuppressionQuery, SuppressionStore } from "../../src/sending/SuppressionStore.ts"
import { Fresh } from "../kernel/fresh.ts"

const at = (ms: number) => DateTime.makeUnsafe(ms)
const first: SuppressionQuery = { after: null, limit: 100, search: null, reason: null }

const begin = Effect.gen(function* () {
  const store = yield* SuppressionStore
  const { transact } = yield* Transactor
  const fresh = yield* Fresh
  const workspace = yield* fresh.workspace()
  const suppress = (email: string, reason: SuppressionReason, ms = 1, of: WorkspaceId = workspace) =>
    transact(store.suppress(of, { email, reason, createdAt: at(ms) }))
  const listed = (query: Partial<SuppressionQuery> = {}) =>
    Effect.map(store.list(workspace, { ...first, ...query }), ({ items }) => items.map(({ email }) => email))
  return { fresh, listed, store, suppress, transact, workspace }
})

export const suppressions = <E>(name: string, live: Layer.Layer<Fresh | SuppressionStore | Transactor, E>) =>
  layer(live, { excludeTestServices: true })(`SuppressionStore (${name})`, (it) => {
    it.effect("replaces a suppression only by a stronger one", () =>
      Effect.gen(function* () {
        const { store, suppress, workspace } = yield* begin
        for (const [index, stored] of suppressionReasons.entries()) {
          for (const [other, reason] of suppressionReasons.entries()) {
            const email = `${stored}-${reason}@x.test`
            yield* suppress(email, stored)
            const wanted =
              other > index ? { email, reason, createdAt: at(2) } : { email, reason: stored, createdAt: at(1) }
            assert.deepStrictEqual(yield* suppress(email, reason, 2), wanted)
            const { items } = yield* store.list(workspace, { ...first, search: email })
            assert.deepStrictEqual(items, [wanted])
          }
        }
      }),
    )

    it.effect("lists newest first by address, and removes one", () =>
      Effect.gen(function* () {
        const { fresh, listed, store, suppress, transact, workspace } = yield* begin
        for (const [email, ms] of [
          ["b@x.test", 2],
          ["Z@x.test", 2],
          ["é@x.test", 2],
          ["c@x.test", 9],
        ] as const) {
          yield* suppress(email, "manual", ms)
        }
        const one = yield* store.list(workspace, { ...first, limit: 2 })
        const two = yield* store.list(workspace, { ...first, after: one.next, limit: 2 })
        assert.deepStrictEqual(
          [...one.items, ...two.items].map(({ email }) => email),
          ["c@x.test", "Z@x.test", "b@x.test", "é@x.test"],
        )
        const other = yield* fresh.workspace()
        assert.strictEqual((yield* Effect.flip(transact(store.unsuppress(other, "b@x.test"))))._tag, "NotFound")
        assert.strictEqual((yield* transact(store.unsuppress(workspace, "b@x.test"))).email, "b@x.test")
        assert.strictEqual((yield* Effect.flip(transact(store.unsuppress(workspace, "b@x.test"))))._tag, "NotFound")
        assert.deepStrictEqual(yield* listed(), ["c@x.test", "Z@x.test", "é@x.test"])
      }),
    )

    it.effect("lists the addresses with a reason, and those that contain a literal text", () =>
      Effect.gen(function* () {
        const { fresh, listed, suppress } = yield* begin
        yield* suppress("a%b@x.test", "bounce", 3)
        yield* suppress("axb@x.test", "bounce", 2)
        yield* suppress("ann@y.test", "unsubscribe", 1)
        yield* suppress("axb@x.test", "manual", 1, yield* fresh.workspace())
        assert.deepStrictEqual(yield* listed({ reason: "bounce" }), ["a%b@x.test", "axb@x.test"])
        assert.deepStrictEqual(yield* listed({ search: "a%b" }), ["a%b@x.test"])
        assert.deepStrictEqual(yield* listed({ search: "@y.", reason: "unsubscribe" }), ["ann@y.test"])
        assert.deepStrictEqual(yield* listed({ search: "@y.", reason: "bounce" }), [])
      }),
    )

    it.effect("finds the suppression of one address of the workspace", () =>
      Effect.gen(function* () {
        const { fresh, store, suppress, workspace } = yield* begin
        yield* suppress("a@x.test", "bounce", 7)
        const found = { email: "a@x.test", reason: "bounce", createdAt: at(7) }
        assert.deepStrictEqual<unknown>(yield* store.get(workspace, "a@x.test"), found)
        const other = yield* fresh.workspace()
        const missing = [store.get(workspace, "b@x.test"), store.get(other, "a@x.test")]
        for (const each of missing) assert.strictEqual((yield* Effect.flip(each))._tag, "NotFound")
      }),
    )

    it.effect("locks the suppressions of addresses until the transaction ends", () =>
      Effect.gen(function* () {
        const { fresh, store, suppress, transact, workspace } = yield* begin
        yield* suppress("a@x.test", "unsubscribe")
        const other = yield* fresh.workspace()
        assert.deepStrictEqual(yield* transact(store.lock(workspace, [])), [])
        assert.deepStrictEqual(yield* transact(store.lock(other, ["a@x.test"])), [])
        const [locked, suppressed] = [yield* Deferred.make<void>(), yield* Ref.make(false)]
        const reading = transact(
          Effect.gen(function* () {
            const found = yield* store.lock(workspace, ["a@x.test", "a@x.test", "b@x.test"])
            assert.deepStrictEqual(found, [{ email: "a@x.test", reason: "unsubscribe", createdAt: at(1) }])
            yield* Deferred.succeed(locked, undefined)
            yield* Effect.sleep("50 millis")
            assert.isFalse(yield* Ref.get(suppressed))
          }),
        )
        const writing = Deferred.await(locked).pipe(
          Effect.andThen(suppress("a@x.test", "manual", 2)),
          Effect.tap(() => Ref.set(suppressed, true)),
        )
        const [, { reason }] = yield* Effect.all([reading, writing], { concurrency: 2 })
        assert.strictEqual(reason, "manual")
      }),
    )
  })
