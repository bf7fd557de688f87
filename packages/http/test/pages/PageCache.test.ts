// Tests of the cache of published pages.
import { settingsLayer } from "@tentpole/core/contract"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { PublishedPages } from "@tentpole/core/tents/pages/PublishedPages"
import { pageCache } from "@tentpole/http/pages/PageCache"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

it.effect("keeps a site while hosts without a site are scanned", () => {
  let reads = 0
  const source = Layer.mock(PublishedPages, {
    version: () => Effect.succeed("1"),
    site: ({ host }) =>
      Effect.sync(() => {
        if (host !== "bakery.test") return null
        reads++
        return {
          workspaceId: WorkspaceId.make("00000000-0000-4000-8000-000000000001"),
        } as Effect.Success<ReturnType<PublishedPages["Service"]["site"]>>
      }),
  })
  return Effect.gen(function* () {
    const cache = yield* pageCache()
    assert.isNotNull(yield* cache.site("bakery.test"))
    for (let each = 0; each < 12_000; each++) assert.isNull(yield* cache.site(`h${each}.test`))
    assert.isNotNull(yield* cache.site("bakery.test"))
    assert.strictEqual(reads, 1)
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(source, settingsLayer())))
})
