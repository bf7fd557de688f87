// The port to token buckets that all processes share.
import { Context, type Effect } from "effect"
import type { BlockRequest, BlockTaken, BucketOptions } from "./TokenBucket.ts"

export interface SharedBucket {
  /** The name of the limit. */
  readonly limit: string
  /** An API key's id, a workspace or a network address. Stores keep its hash. */
  readonly key: string
}

export class TokenBucketStore extends Context.Service<
  TokenBucketStore,
  {
    /** `takeBlock` on a stored bucket, outside of the caller's transaction. `at_ms` of the result is the caller's time. */
    readonly takeBlock: (
      bucket: SharedBucket,
      request: BlockRequest,
      options: BucketOptions,
    ) => Effect.Effect<BlockTaken>
  }
>()("tentpole/TokenBucketStore") {}
