// The port to what is known of tents' files. Their bytes lie in the store of blobs.
import { Context, type Effect } from "effect"
import type { AssetId, TentId, WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { Asset, AssetChange } from "./Asset.ts"

export class AssetStore extends Context.Service<
  AssetStore,
  {
    readonly get: (workspace: WorkspaceId, tent: TentId, id: AssetId) => Effect.Effect<Asset, NotFound>
    /** All of a tent's, in the order in which they came; none of a tent that is not there. */
    readonly ofTent: (workspace: WorkspaceId, tent: TentId) => Effect.Effect<ReadonlyArray<Asset>>
    /** Whoever attaches or removes holds the tent's lock (`TentStore.lock`), or makes the tent in the same transaction. */
    readonly apply: (workspace: WorkspaceId, change: AssetChange) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/AssetStore") {}
