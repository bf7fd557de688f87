// Token buckets in memory.
import { type Bucket, takeBlock } from "@tentpole/core/kernel/runtime/TokenBucket"
import { TokenBucketStore } from "@tentpole/core/kernel/runtime/TokenBucketStore"
import { WeightedLru } from "@tentpole/core/kernel/runtime/WeightedLru"
import { Clock, Effect, Layer } from "effect"

const buckets_max = 100_000

export const layer = Layer.sync(TokenBucketStore, () => {
  const buckets = new WeightedLru<Bucket>(buckets_max)
  return TokenBucketStore.of({
    takeBlock: ({ key, limit }, request, options) =>
      Effect.map(Clock.currentTimeMillis, (now_ms) => {
        const name = JSON.stringify([limit, key])
        const answer = takeBlock(buckets.get(name), request, options, now_ms)
        buckets.set(name, answer.bucket)
        return answer
      }),
  })
})
