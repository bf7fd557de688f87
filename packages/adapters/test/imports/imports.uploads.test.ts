// Upload addresses where the blob store signs its own.
import * as FakeAi from "@tentpole/adapters/ai/fake/FakeAi"
import * as Csv from "@tentpole/adapters/csv/CsvReader"
import * as Blobs from "@tentpole/adapters/memory/ports/BlobStore"
import { Fresh, settingsLayer } from "@tentpole/core/contract"
import { Links } from "@tentpole/core/rendering/Links"
import { Imports, uploads_path } from "@tentpole/core/imports/Imports"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { memory } from "../fixtures/Stores.ts"

const signed = "https://bucket.example.test/signed"

const signing = Layer.effect(
  BlobStore,
  Effect.map(BlobStore, (blobs) => BlobStore.of({ ...blobs, uploadUrl: () => Effect.succeed(signed) })),
).pipe(Layer.provide(Blobs.layer))

const around = Layer.mergeAll(settingsLayer(), Csv.layer, FakeAi.layer)
const imports = Imports.layer.pipe(
  Layer.provide(Layer.merge(signing, Links.layer)),
  Layer.provideMerge(memory),
  Layer.provideMerge(around),
)

layer(imports)("uploads of imports", (it) => {
  it.effect("go to the blob store, or through the service if the caller wants it", () =>
    Effect.gen(function* () {
      const { beginUpload, preview, upload } = yield* Imports
      const workspace = yield* (yield* Fresh).workspace()
      const file = { fileName: "a.csv", contentType: "text/csv" }
      assert.strictEqual((yield* beginUpload(workspace, file)).uploadUrl, signed)
      const { session, uploadUrl } = yield* beginUpload(workspace, { ...file, throughService: true })
      const prefix = `http://api.test${uploads_path}/`
      assert.isTrue(uploadUrl.startsWith(prefix))
      yield* upload(uploadUrl.slice(prefix.length), Stream.succeed(Buffer.from("Email\nann@example.org")))
      const { headers } = yield* preview({ id: workspace, defaultCountry: "US" }, session.id)
      assert.deepStrictEqual(headers, ["Email"])
    }),
  )
})
