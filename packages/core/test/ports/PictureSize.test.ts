// Tests of image sizes: read from the header, whatever else the file contains.
import { pictureSize } from "@tentpole/core/ports/PictureSize"
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"

const ascii = (text: string): ReadonlyArray<number> => Array.from(text, (letter) => letter.charCodeAt(0))
const big = (value: number, bytes: number): ReadonlyArray<number> =>
  Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** (bytes - 1 - at)) % 256)
const little = (value: number, bytes: number): ReadonlyArray<number> => big(value, bytes).toReversed()
const webp = (kind: string, ...rest: ReadonlyArray<number>) => [
  ...ascii("RIFF"),
  ...little(100, 4),
  ...ascii(`WEBP${kind}`),
  ...little(20, 4),
  ...rest,
]
const segment = (marker: number, body: ReadonlyArray<number>) => [0xff, marker, ...big(body.length + 2, 2), ...body]

/** Headers of images of a size, in every supported format. */
const headers = (width: number, height: number): Readonly<Record<string, ReadonlyArray<number>>> => {
  const frame = [8, ...big(height, 2), ...big(width, 2), 3, 1, 0x22, 0]
  return {
    png: [0x89, ...ascii("PNG\r\n\x1a\n"), ...big(13, 4), ...ascii("IHDR"), ...big(width, 4), ...big(height, 4), 8, 6],
    gif: [...ascii("GIF89a"), ...little(width, 2), ...little(height, 2), 0x80],
    jpeg: [0xff, 0xd8, ...segment(0xe0, ascii("JFIF\0")), ...segment(0xc4, [0, 1, 2]), 0xff, ...segment(0xc2, frame)],
    "webp, lossy": webp("VP8 ", 0, 0, 0, 0x9d, 1, 0x2a, ...little(width, 2), ...little(height, 2)),
    "webp, lossless": webp("VP8L", 0x2f, ...little((width - 1) | ((height - 1) << 14), 4)),
    "webp, extended": webp("VP8X", 0, 0, 0, 0, ...little(width - 1, 3), ...little(height - 1, 3)),
  }
}

const Side = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 13 }))

it.prop(
  "Image size is read from the header in every format",
  [Side, Side],
  ([width_px, height_px]) => {
    for (const [format, bytes] of Object.entries(headers(width_px, height_px))) {
      assert.deepStrictEqual(pictureSize(Uint8Array.from(bytes)), { width_px, height_px }, format)
    }
  },
  { tags: ["attack/nesting-bomb"] },
)

it(
  "Image size is null for files that are truncated, empty, endless or no image",
  { tags: ["attack/nesting-bomb"] },
  () => {
    for (const [format, bytes] of Object.entries(headers(30, 20))) {
      // The last byte of the size is the first byte that must be there.
      for (let length = 0; length < bytes.length - 6; length++) {
        assert.isNull(pictureSize(Uint8Array.from(bytes.slice(0, length))), `${format}, ${length} bytes`)
      }
    }
    for (const [format, bytes] of Object.entries(headers(1, 1))) {
      if (["png", "gif", "jpeg"].includes(format)) {
        assert.isNull(
          pictureSize(Uint8Array.from(bytes.map((byte) => (byte === 1 ? 0 : byte)))),
          `${format} of nothing`,
        )
      }
    }
    const segments = Uint8Array.from([0xff, 0xd8, ...Array.from({ length: 100_000 }, () => [0xff, 0xe0, 0, 0]).flat()])
    for (const bytes of [segments, new Uint8Array(100_000).fill(0xff), Uint8Array.from(ascii("<svg>"))]) {
      assert.isNull(pictureSize(bytes))
    }
  },
)

it.prop(
  "Image size is a size or null for any bytes",
  [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))],
  ([bytes]) => {
    for (const begin of Object.values(headers(3, 3))) {
      for (const all of [bytes, [...begin.slice(0, 12), ...bytes], [...begin.slice(0, 3), ...bytes]]) {
        const size = pictureSize(Uint8Array.from(all))
        assert.isTrue(size === null || (size.width_px > 0 && size.height_px > 0))
      }
    }
  },
)
