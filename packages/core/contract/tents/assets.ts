// Contract tests of assets.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer, Result } from "effect"
import { AssetId, TentId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { type Asset, AssetChange, assets_max } from "../../src/tents/assets/Asset.ts"
import { AssetStore } from "../../src/tents/assets/AssetStore.ts"
import { TentChange } from "../../src/tents/machine.ts"
import { TentStore } from "../../src/tents/TentStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "../kernel/fresh.ts"

const at = (ms: number) => DateTime.makeUnsafe(ms)

export const assets = <E>(name: string, live: Layer.Layer<AssetStore | TentStore | Transactor | Fresh, E>) =>
  layer(live, { excludeTestServices: true })(`AssetStore (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const store = yield* AssetStore
      const tents = yield* TentStore
      const { transact } = yield* Transactor
      const fresh = yield* Fresh
      const workspace = yield* fresh.workspace()

      const idle = Effect.fnUntraced(function* (of: WorkspaceId = workspace) {
        const id = TentId.make(yield* fresh.id)
        yield* Effect.orDie(transact(tents.apply(of, TentChange.idle(id, at(1)))))
        return id
      })
      const file = Effect.fnUntraced(function* (tentId: TentId, over: Partial<Asset> = {}) {
        const id = AssetId.make(yield* fresh.id)
        const plain = { fileName: "a.png", contentType: "image/png", size_bytes: 7, createdAt: at(5) }
        return { id, tentId, ...plain, ...over }
      })
      /** Does what an upload does: under the tent's lock, with the tent's assets. */
      const attached = Effect.fnUntraced(function* (tentId: TentId, over: Partial<Asset> = {}, of = workspace) {
        const asset = yield* file(tentId, over)
        yield* transact(
          Effect.gen(function* () {
            yield* tents.lock(of, tentId)
            const change = AssetChange.attach(asset, yield* store.ofTent(of, tentId))
            yield* store.apply(of, yield* Effect.fromResult(change))
          }),
        )
        return asset
      })
      return { store, tents, transact, fresh, workspace, idle, file, attached }
    })

    it.effect(
      "reads an asset as it was attached, also one of the largest size and with unusual characters in its name",
      () =>
        Effect.gen(function* () {
          const { store, workspace, idle, attached } = yield* begin
          const tent = yield* idle()
          const first = yield* attached(tent, { fileName: "Ö ' % \\ 🦊.png", size_bytes: 5_000_000_000 })
          const second = yield* attached(tent, { contentType: "text/plain", createdAt: at(6) })
          assert.deepStrictEqual(yield* store.get(workspace, tent, first.id), first)
          assert.deepStrictEqual(yield* store.ofTent(workspace, tent), [first, second])
        }),
    )

    it.effect("lists assets in the order of their uploads, those of one instant by id", () =>
      Effect.gen(function* () {
        const { store, workspace, idle, attached } = yield* begin
        const tent = yield* idle()
        for (const ms of [9, 5, 7, 5]) yield* attached(tent, { createdAt: at(ms) })
        const all = yield* store.ofTent(workspace, tent)
        assert.deepStrictEqual(
          all.map(({ createdAt }) => createdAt.epochMilliseconds),
          [5, 5, 7, 9],
        )
        assert.isTrue((all[0]?.id ?? "") < (all[1]?.id ?? ""))
      }),
    )

    it.effect("finds an asset only under its own tent, and no longer once it is removed", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, idle, attached } = yield* begin
        const [one, two] = [yield* idle(), yield* idle()]
        const asset = yield* attached(one)
        assert.strictEqual((yield* Effect.flip(store.get(workspace, two, asset.id)))._tag, "NotFound")
        assert.deepStrictEqual(yield* store.ofTent(workspace, two), [])
        yield* transact(store.apply(workspace, AssetChange.remove(asset)))
        assert.strictEqual((yield* Effect.flip(store.get(workspace, one, asset.id)))._tag, "NotFound")
        assert.deepStrictEqual(yield* store.ofTent(workspace, one), [])
      }),
    )

    it.effect("attaches one of several concurrent assets to a tent with room for one", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, idle, file, attached } = yield* begin
        const tent = yield* idle()
        const before = yield* Effect.forEach(Array.from({ length: assets_max - 1 }), () => file(tent))
        yield* transact(
          Effect.forEach(before, (asset) =>
            Effect.flatMap(Effect.orDie(Effect.fromResult(AssetChange.attach(asset, []))), (change) =>
              store.apply(workspace, change),
            ),
          ),
        )
        const results = yield* Effect.all(
          Array.from({ length: 6 }, () => Effect.result(attached(tent))),
          { concurrency: 6 },
        )
        assert.strictEqual(results.filter(Result.isSuccess).length, 1)
        for (const refused of results.filter(Result.isFailure)) {
          assert.strictEqual(refused.failure._tag, "AssetLimitExceeded")
        }
        assert.strictEqual((yield* store.ofTent(workspace, tent)).length, assets_max)
      }),
    )

    it.effect("deletes a tent with its assets, and no others", () =>
      Effect.gen(function* () {
        const { store, tents, transact, workspace, idle, attached } = yield* begin
        const [one, two] = [yield* idle(), yield* idle()]
        const [gone, kept] = [yield* attached(one), yield* attached(two)]
        yield* transact(
          Effect.gen(function* () {
            const tent = yield* tents.lock(workspace, one)
            yield* tents.apply(workspace, TentChange.remove({ tent, assetIds: [gone.id] }, at(60)))
          }),
        )
        assert.deepStrictEqual(yield* store.ofTent(workspace, one), [])
        assert.strictEqual((yield* Effect.flip(store.get(workspace, one, gone.id)))._tag, "NotFound")
        assert.deepStrictEqual(yield* store.ofTent(workspace, two), [kept])
      }),
    )

    it.effect("neither attaches nor removes assets when the transaction fails", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, idle, file, attached } = yield* begin
        const tent = yield* idle()
        const kept = yield* attached(tent)
        const lost = yield* file(tent)
        yield* Effect.exit(
          transact(
            Effect.gen(function* () {
              yield* store.apply(workspace, yield* Effect.fromResult(AssetChange.attach(lost, [])))
              yield* store.apply(workspace, AssetChange.remove(kept))
              return yield* Effect.fail("no")
            }),
          ),
        )
        assert.deepStrictEqual(yield* store.ofTent(workspace, tent), [kept])
      }),
    )

    it.effect("neither shows nor changes assets of another workspace", () =>
      Effect.gen(function* () {
        const { store, transact, fresh, workspace, idle, attached } = yield* begin
        const other = yield* fresh.workspace()
        const tent = yield* idle()
        const asset = yield* attached(tent)
        assert.strictEqual((yield* Effect.flip(store.get(other, tent, asset.id)))._tag, "NotFound")
        assert.deepStrictEqual(yield* store.ofTent(other, tent), [])
        yield* transact(store.apply(other, AssetChange.remove(asset)))
        assert.deepStrictEqual(yield* store.ofTent(workspace, tent), [asset])
        assert.strictEqual((yield* Effect.flip(attached(tent, {}, other)))._tag, "NotFound")
      }),
    )
  })
