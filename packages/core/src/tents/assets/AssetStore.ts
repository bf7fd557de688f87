// The port to the rows of assets. Their bytes are in the blob store.
import { Context, type Effect } from "effect"
import type { AssetId, TentId, WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { Asset, AssetChange } from "./Asset.ts"

export class AssetStore extends Context.Service<
  AssetStore,
  {
    readonly get: (workspace: WorkspaceId, tent: TentId, id: AssetId) => Effect.Effect<Asset, NotFound>
    /** All assets of a tent, oldest first; empty for an unknown tent. */
    readonly ofTent: (workspace: WorkspaceId, tent: TentId) => Effect.Effect<ReadonlyArray<Asset>>
    /** The caller holds the tent's lock (`TentStore.lock`), or creates the tent in the same transaction. */
    readonly apply: (workspace: WorkspaceId, change: AssetChange) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/AssetStore") {}
