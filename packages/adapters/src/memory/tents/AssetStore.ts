// The store of tents' assets in memory.
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { AssetStore } from "@tentpole/core/tents/assets/AssetStore"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer } from "effect"
import { MemoryDatabase } from "../kernel/MemoryDatabase.ts"
import { assets, tents } from "./TentStore.ts"

export const layer = Layer.effect(
  AssetStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const writer = yield* ChangeWriter
    return AssetStore.of({
      get: (workspace, tent, id) =>
        Effect.flatMap(db.find(assets, workspace, id), (asset) =>
          asset?.tentId === tent ? Effect.succeed(asset) : Effect.fail(new NotFound({ resource: "asset" })),
        ),
      ofTent: (workspace, tent) =>
        Effect.map(db.all(assets, workspace), (all) =>
          all
            .filter((asset) => asset.tentId === tent)
            .sort(
              (left, right) =>
                left.createdAt.epochMilliseconds - right.createdAt.epochMilliseconds || (left.id < right.id ? -1 : 1),
            ),
        ),
      apply: (workspace, change) =>
        Effect.gen(function* () {
          yield* Transaction
          const { before, after } = change
          yield* writer.writeEffects(workspace, [change])
          if (after === null) return yield* db.remove(assets, workspace, before?.id ?? "")
          const tent = yield* db.find(tents, workspace, after.tentId)
          if (tent === undefined) return yield* Effect.die("an asset is attached to a tent that is not there")
          yield* db.put(assets, workspace, after.id, after)
        }),
    })
  }),
)
