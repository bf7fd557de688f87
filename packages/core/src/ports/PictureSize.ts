// The size of a picture, read from its header, because decoding a few bytes may need gigabytes. PNG, GIF, JPEG (ITU-T T.81
// §B.2.2) and WebP (RFC 9649). Written by hand: image-size 2.1 reads 1 × 1 from a truncated WebP and finds no size behind a
// JPEG's fill bytes.

export interface PictureSize {
  readonly width_px: number
  readonly height_px: number
}

/** Null if the bytes are none of these formats or have no size. */
export const pictureSize = (bytes: Uint8Array): PictureSize | null => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const size = sizeOf(view)
    return size !== null && size.width_px > 0 && size.height_px > 0 ? size : null
  } catch (error) {
    // The header continues where the file ends.
    if (error instanceof RangeError) return null
    throw error
  }
}

const sizeOf = (view: DataView): PictureSize | null => {
  if (textAt(view, 1, 3) === "PNG") {
    return textAt(view, 12, 4) === "IHDR" ? { width_px: view.getUint32(16), height_px: view.getUint32(20) } : null
  }
  if (textAt(view, 0, 4) === "GIF8") return { width_px: view.getUint16(6, true), height_px: view.getUint16(8, true) }
  if (view.getUint16(0) === 0xffd8) return ofJpeg(view)
  return textAt(view, 0, 4) === "RIFF" && textAt(view, 8, 4) === "WEBP" ? ofWebp(view) : null
}

const textAt = (view: DataView, at: number, length: number): string =>
  String.fromCharCode(...Array.from({ length }, (_, each) => view.getUint8(at + each)))

/** The frame header follows any number of segments, each with its length. */
const ofJpeg = (view: DataView): PictureSize | null => {
  for (let at = 2; view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at++
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && !noFrames.has(marker)
    if (isFrame) return { width_px: view.getUint16(at + 7), height_px: view.getUint16(at + 5) }
    const standsAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
    at += standsAlone ? 2 : 2 + Math.max(2, view.getUint16(at + 2))
  }
  return null
}

/** Markers in the range of frames that are not frames: Huffman tables, an extension, arithmetic conditioning. */
const noFrames: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc])

const ofWebp = (view: DataView): PictureSize | null => {
  switch (textAt(view, 12, 4)) {
    case "VP8 ":
      return { width_px: view.getUint16(26, true) & 0x3fff, height_px: view.getUint16(28, true) & 0x3fff }
    case "VP8L": {
      const bits = view.getUint32(21, true)
      return { width_px: (bits & 0x3fff) + 1, height_px: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case "VP8X":
      return { width_px: (view.getUint32(24, true) & 0xffffff) + 1, height_px: (view.getUint32(26, true) >>> 8) + 1 }
    default:
      return null
  }
}
