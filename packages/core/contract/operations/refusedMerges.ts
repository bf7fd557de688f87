// Contract tests of merges that are refused: busy contacts, and requests that are not valid.
import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { frozenKey } from "../../src/imports/Import.ts"
import { ImportStore } from "../../src/imports/ImportStore.ts"
import { encodeText } from "../../src/kernel/Bytes.ts"
import { BlobStore } from "../../src/ports/BlobStore.ts"
import { executionOf, sessionIn } from "../imports/importSamples.ts"
import * as Deliveries from "../sending/deliveryScenario.ts"
import { type Live, mergeWorld } from "./mergeWorld.ts"

export const refusedMerges = <E>(name: string, live: Live<E>) =>
  layer(live, { excludeTestServices: true })(`Refused merges (${name})`, (it) => {
    it.effect("refuses a merge while a message to the source is being sent", () =>
      Effect.gen(function* () {
        const { blast, deliveries, merge, source, target, transact, workspace } = yield* mergeWorld
        yield* blast([source.id, target.id])
        const claims = yield* transact(deliveries.claim(workspace, { limit: 10, lease_ms: Deliveries.long_ms }))
        const busy = { _tag: "ContactBusy", because: "message" } as const
        assert.deepInclude(yield* Effect.flip(merge()), busy)
        assert.deepInclude(yield* Effect.flip(merge({ dryRun: true })), busy)
        yield* transact(deliveries.release(workspace, claims))
        assert.strictEqual((yield* merge()).source, source.id)
      }),
    )

    it.effect("refuses a merge while an import that names the source is not finished", () =>
      Effect.gen(function* () {
        const { merge, source, transact, workspace } = yield* mergeWorld
        const imports = yield* ImportStore
        const blobs = yield* BlobStore
        const session = yield* sessionIn(workspace, "rows")
        const executed = yield* executionOf(workspace, session)
        yield* transact(imports.apply(workspace, executed))
        const run = executed.run?.after ?? assert.fail("no run")
        const put = (email: string) =>
          blobs.put(key, Stream.make(encodeText(`["Email"]\n["${email}"]\n`)), {
            contentType: "application/json",
            bytes_max: 1_000,
          })
        const key = frozenKey(workspace, { id: run.id, sessionId: session.id })
        yield* put("other@example.test")
        assert.strictEqual((yield* merge({ dryRun: true })).source, source.id)
        yield* put("ANN.work@example.test")
        assert.deepInclude(yield* Effect.flip(merge()), { _tag: "ContactBusy", because: "import" })
      }),
    )

    it.effect("refuses one contact as both, unknown contacts, and fields that can't be chosen", () =>
      Effect.gen(function* () {
        const { fresh, merge, merges, source, target } = yield* mergeWorld
        const same = yield* Effect.flip(merge({ source: target.id }))
        assert.deepInclude(same, { _tag: "Invalid" })
        const elsewhere = merges.merge(yield* fresh.workspace(), target.id, {
          source: source.id,
          prefer: "target",
          fields: {},
          dryRun: false,
        })
        assert.deepInclude(yield* Effect.flip(elsewhere), { _tag: "NotFound" })
        const refused = yield* Effect.flip(
          merge({ fields: { unsubscribed: "target", nope: "source", city: "source" } }),
        )
        assert.deepStrictEqual("issues" in refused && refused.issues.map(({ path }) => path), [
          "fields.unsubscribed",
          "fields.nope",
        ])
      }),
    )
  })
