// The decoder of text files with unknown encoding. A byte order mark decides first, then UTF-16's pattern of zero bytes. All
// other text is ASCII until the first byte beyond it; the window with that byte decides between UTF-8 and Windows-1252.
// Windows have fixed offsets, so the same bytes always decode the same way, in whatever chunks they arrive.
import { Result } from "effect"

export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"

/** Why the bytes are no text, as a clause: `it is an Excel workbook`. */
export type NotText = string

const window_bytes = 64 * 1024

export class Decoder {
  #pending: Array<Uint8Array> = []
  #pending_bytes = 0
  #started = false
  #decoder: InstanceType<typeof TextDecoder> | undefined

  /** The text that is certain so far. The first non-empty text covers the whole first window. */
  push(bytes: Uint8Array): Result.Result<string, NotText> {
    if (this.#decoder !== undefined) return Result.succeed(this.#decoder.decode(bytes, { stream: true }))
    this.#pending.push(bytes)
    this.#pending_bytes += bytes.length
    return this.#pending_bytes < window_bytes ? Result.succeed("") : this.#advance(false)
  }

  end(): Result.Result<string, NotText> {
    const text = this.#decoder === undefined ? this.#advance(true) : Result.succeed("")
    return Result.map(text, (certain) => certain + (this.#decoder?.decode() ?? ""))
  }

  /** Reads the waiting bytes by windows until the encoding is known, and everything from there on. */
  #advance(last: boolean): Result.Result<string, NotText> {
    let rest: Uint8Array = Buffer.concat(this.#pending)
    let text = ""
    do {
      const step = this.#decide(rest.subarray(0, window_bytes), last)
      if (Result.isFailure(step)) return Result.fail(step.failure)
      text += step.success.text
      rest = rest.subarray(step.success.read_bytes)
    } while (this.#decoder === undefined && rest.length >= window_bytes)
    text += this.#decoder?.decode(rest, { stream: true }) ?? ""
    this.#pending = this.#decoder === undefined ? [rest] : []
    this.#pending_bytes = this.#decoder === undefined ? rest.length : 0
    return Result.succeed(text)
  }

  /** Inspects a window that may decide the encoding. Returns how many of its bytes are finished. */
  #decide(
    window: Uint8Array,
    last: boolean,
  ): Result.Result<{ readonly text: string; readonly read_bytes: number }, NotText> {
    const first = !this.#started
    this.#started = true
    if (first) {
      const kind = firstLook(window)
      if (Result.isFailure(kind)) return Result.fail(kind.failure)
      if (kind.success !== undefined) return Result.succeed(this.#settle(kind.success, window))
    }
    const { ascii_bytes, good, bad, cut_bytes } = score(window, last)
    if (ascii_bytes === window.length) return Result.succeed({ text: asciiOf(window), read_bytes: window.length })
    if (good === 0 && bad === 0) {
      const read_bytes = window.length - cut_bytes
      return Result.succeed({ text: asciiOf(window.subarray(0, read_bytes)), read_bytes })
    }
    return Result.succeed(this.#settle(good > bad ? "utf-8" : "windows-1252", window))
  }

  #settle(encoding: Encoding, window: Uint8Array): { readonly text: string; readonly read_bytes: number } {
    this.#decoder = new TextDecoder(encoding)
    return { text: this.#decoder.decode(window, { stream: true }), read_bytes: window.length }
  }
}

const asciiOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")

const begins = (bytes: Uint8Array, ...start: ReadonlyArray<number>): boolean =>
  start.every((byte, at) => bytes[at] === byte)

/** Files that users upload by mistake, recognized by their first bytes. */
const mistakes: ReadonlyArray<{ readonly start: ReadonlyArray<number>; readonly reason: NotText }> = [
  {
    start: [0x50, 0x4b, 0x03, 0x04],
    reason: "it is an Excel workbook or another zip archive. Save the sheet as CSV and upload that",
  },
  { start: [0xd0, 0xcf, 0x11, 0xe0], reason: "it is an old Excel workbook. Save the sheet as CSV and upload that" },
  { start: [0x1f, 0x8b], reason: "it is compressed with gzip. Unpack it first" },
  { start: [0x25, 0x50, 0x44, 0x46], reason: "it is a PDF" },
  { start: [0x7b, 0x5c, 0x72, 0x74, 0x66], reason: "it is a rich text document" },
]

const markup = /^\s*<(!doctype|html|\?xml)/i

/** The encoding, if the first bytes of the file decide it; undefined when the window must be inspected. */
const firstLook = (window: Uint8Array): Result.Result<Encoding | undefined, NotText> => {
  const mistake = mistakes.find(({ start }) => begins(window, ...start))
  if (mistake !== undefined) return Result.fail(mistake.reason)
  if (begins(window, 0xef, 0xbb, 0xbf)) return Result.succeed("utf-8")
  if (begins(window, 0xff, 0xfe)) return Result.succeed("utf-16le")
  if (begins(window, 0xfe, 0xff)) return Result.succeed("utf-16be")
  if (markup.test(asciiOf(window.subarray(0, 100)))) return Result.fail("it is a web page or an XML document")
  const wide = wideWithoutMark(window)
  if (wide !== undefined) return Result.succeed(wide)
  return controlShare(window) > 0.01 ? Result.fail("it is not text") : Result.succeed(undefined)
}

/**
 * Detects UTF-16 without a mark: delimiters, digits and line ends have one zero byte each, all on the same side. Every table
 * has more of them than a twentieth of its characters.
 */
const wideWithoutMark = (window: Uint8Array): Encoding | undefined => {
  let [even, odd] = [0, 0]
  for (let at = 0; at < window.length; at++) {
    if (window[at] !== 0) continue
    if (at % 2 === 0) even++
    else odd++
  }
  const enough = window.length / 2 / 20
  if (odd > enough && even * 10 < odd) return "utf-16le"
  if (even > enough && odd * 10 < even) return "utf-16be"
  return undefined
}

/** A share of control characters that text does not have. */
const controlShare = (window: Uint8Array): number => {
  let count = 0
  for (const byte of window) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0b && byte !== 0x0c && byte !== 0x0d) count++
  }
  return window.length === 0 ? 0 : count / window.length
}

interface Score {
  /** How many bytes precede the first one beyond ASCII. */
  readonly ascii_bytes: number
  /** The number of valid UTF-8 sequences of two to four bytes, and of invalid bytes. */
  readonly good: number
  readonly bad: number
  /** A sequence at the end that may continue in the next window. */
  readonly cut_bytes: number
}

const score = (window: Uint8Array, last: boolean): Score => {
  let [good, bad, cut_bytes] = [0, 0, 0]
  let ascii_bytes = window.length
  for (let at = 0; at < window.length;) {
    const byte = window[at] ?? 0
    if (byte < 0x80) {
      at++
      continue
    }
    ascii_bytes = Math.min(ascii_bytes, at)
    const length =
      byte >= 0xc2 && byte <= 0xdf ? 2 : byte >= 0xe0 && byte <= 0xef ? 3 : byte >= 0xf0 && byte <= 0xf4 ? 4 : 1
    const tail = window.subarray(at + 1, at + length)
    const whole = length > 1 && tail.every((each) => each >= 0x80 && each <= 0xbf)
    if (whole && tail.length === length - 1) {
      good++
      at += length
    } else if (whole && !last) {
      cut_bytes = window.length - at
      break
    } else {
      bad++
      at++
    }
  }
  return { ascii_bytes, good, bad, cut_bytes }
}
