import { assert, it } from "@effect/vitest"
import type { PageAsset } from "@tentpole/core/ports/Ai"
import { isBlobKey } from "@tentpole/core/ports/BlobStore"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { contentTypeOf } from "@tentpole/core/ports/ContentType"
import { AssetId } from "@tentpole/core/kernel/Ids"
import { AssetChange, assetKey, readFileName, uploadCleanupJob } from "@tentpole/core/tents/assets/Asset"
import { assetUses, withPictures } from "@tentpole/core/tents/assets/PageAssets"
import { Effect, Result, Schema } from "effect"
import { tagged } from "../../../contract/index.ts"
import { at, id, workspace } from "../TentFixture.ts"

const megabyte = 2 ** 20
const asset = (over: Partial<PageAsset> = {}): PageAsset => ({
  fileName: "a.png",
  contentType: "image/png",
  size_bytes: 3,
  bytes: Uint8Array.of(1, 2, 3),
  address: "asset:1",
  ...over,
})

const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))).check(
  Schema.isMaxLength(300),
)

it.effect.prop(
  "An asset's type is detected from any bytes, and only from its signature",
  { bytes: Bytes },
  ({ bytes }) =>
    Effect.gen(function* () {
      const type = yield* Effect.promise(() => contentTypeOf(Uint8Array.from(bytes)))
      assert.match(type, /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/i)
      if (bytes.includes(0) && bytes[0] === 0x3c) assert.notMatch(type, /html|svg/)
    }),
)

const fileTypeTest = tagged(it.effect, "attack/file-type")
fileTypeTest("An asset that a browser would run is distinguished from text that it would show", () =>
  Effect.gen(function* () {
    const typeOf = (text: string) => Effect.promise(() => contentTypeOf(encodeText(text)))
    for (const text of [
      "<!DOCTYPE html>",
      "<html>",
      " \n<body>",
      "<script>",
      "<!-- x --><p>",
      "<img src=x onerror=y>",
    ]) {
      assert.strictEqual(yield* typeOf(text), "text/html", text)
    }
    for (const text of ["<svg>", '<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "x">\n<svg >', "<SVG/>"]) {
      assert.match(yield* typeOf(text), /^(image\/svg\+xml|application\/xml)$/, text)
    }
    for (const text of ["a,b\n1,2", "Grüße 🦊", "# A brief", "x".repeat(65_535) + "ü"]) {
      assert.strictEqual(yield* typeOf(text), "text/plain")
    }
    assert.strictEqual(yield* typeOf("<".repeat(65_000)), "application/xml")
    assert.strictEqual(yield* typeOf("<!--".repeat(16_000)), "application/xml")
    assert.strictEqual(yield* typeOf("\u0003\u0004abc"), "application/octet-stream")
  }),
)

it.prop(
  "A file name is never part of a key and has no line breaks",
  [Schema.String],
  ([given]) => {
    const name = Result.getOrNull(readFileName(given))
    if (name === null) return
    assert.notMatch(name, /[\p{Cc}\p{Cs}]/u)
    assert.isTrue(name.length >= 1 && name.length <= 255)
  },
  { tags: ["attack/file-name"] },
)

it("Asset keys consist of ids and are valid blob keys", () => {
  const key = assetKey(workspace, id, AssetId.make("0199aa00-0000-7000-8000-000000000001"))
  assert.isTrue(isBlobKey(key))
})

it("The clean-up of an upload runs after every possible upload, and is another job than a deletion", () => {
  const file = AssetId.make("0199aa00-0000-7000-8000-000000000001")
  const held = { id: file, tentId: id, fileName: "a", contentType: "x/y", size_bytes: 1, createdAt: at(1) }
  const [removal] = AssetChange.remove(held).jobs
  const upload = uploadCleanupJob(id, file)
  assert.notStrictEqual(upload.id, removal?.id)
  assert.deepStrictEqual(upload.job, removal?.job)
  assert.strictEqual(removal?.delay, undefined)
  assert.isAbove(Number(upload.delay), 30 * 60_000)
})

it(
  "Assets that no model reads or that are too large are only named; small images can be embedded",
  { tags: ["attack/nesting-bomb"] },
  () => {
    const room = (contentType: string, size_bytes: number) => {
      const [share] = assetUses([{ contentType, size_bytes }])
      return [share?.isShown, share?.isOnPage]
    }
    assert.deepStrictEqual(room("image/png", 1000), [true, true])
    assert.deepStrictEqual(room("image/png", 3 * megabyte), [true, false])
    assert.deepStrictEqual(room("image/png", 5 * megabyte), [false, false])
    assert.deepStrictEqual(room("application/pdf", megabyte), [true, false])
    assert.deepStrictEqual(room("text/plain", 1000), [true, false])
    assert.deepStrictEqual(room("text/plain", megabyte), [false, false])
    assert.deepStrictEqual(room("image/svg+xml", 1000), [true, false])
    assert.deepStrictEqual(room("video/mp4", 1000), [false, false])
  },
)

const Sized = Schema.Struct({
  contentType: Schema.Literals(["image/png", "image/jpeg", "application/pdf", "text/plain", "video/mp4"]),
  size_bytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 * megabyte })),
})

it.prop(
  "Shown assets never exceed the provider's limit, embedded ones never the page's",
  [Schema.Array(Sized).check(Schema.isMaxLength(5))],
  ([files]) => {
    const rooms = assetUses(files)
    const sum = (which: "isShown" | "isOnPage") =>
      files.reduce((bytes, { size_bytes }, index) => bytes + (rooms[index]?.[which] === true ? size_bytes : 0), 0)
    assert.strictEqual(rooms.length, files.length)
    assert.isAtMost(sum("isShown"), 10 * megabyte)
    assert.isAtMost((sum("isOnPage") * 4) / 3, 1.2 * megabyte)
  },
)

it("A page embeds images where it names them, and nothing otherwise", () => {
  const data = "data:image/png;base64,AQID"
  const assets = [asset(), asset({ address: "asset:2", bytes: null }), asset({ address: null })]
  assert.strictEqual(withPictures(`<img src="asset:1">`, assets), `<img src="${data}">`)
  assert.strictEqual(withPictures(`<img src=asset:1 alt=x>`, assets), `<img src=${data} alt=x>`)
  assert.strictEqual(withPictures(`<i style="background:url(asset:1)">`, assets), `<i style="background:url(${data})">`)
  for (const html of [`<img src="asset:2">`, `<img src="asset:12">`, "<p>asset:1x</p>", "<p>my asset:1 here</p>"]) {
    assert.strictEqual(withPictures(html, assets), html)
  }
})
