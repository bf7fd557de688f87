// The store of tents' assets in memory.
import { AssetStore } from "@tentpole/core/tents/assets/AssetStore"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect } from "effect"
import { found, storeLayer } from "../kernel/MemoryDatabase.ts"
import { byAge } from "../kernel/Slices.ts"
import { assets, tents } from "./TentStore.ts"

export const layer = storeLayer(AssetStore, (db, writer) =>
  AssetStore.of({
    get: (workspace, tent, id) =>
      Effect.flatMap(db.find(assets, workspace, id), (asset) =>
        found(asset?.tentId === tent ? asset : undefined, "asset"),
      ),
    ofTent: (workspace, tent) =>
      Effect.map(db.all(assets, workspace), (all) => all.filter(({ tentId }) => tentId === tent).sort(byAge)),
    apply: Effect.fnUntraced(function* (workspace, change) {
      yield* Transaction
      const { before, after } = change
      yield* writer.writeEffects(workspace, [change])
      if (after === null) return yield* db.remove(assets, workspace, before?.id ?? "")
      const tent = yield* db.find(tents, workspace, after.tentId)
      if (tent === undefined) return yield* Effect.die("an asset is attached to a tent that is not there")
      yield* db.put(assets, workspace, after.id, after)
    }),
  }),
)
