// The body of a message with files (RFC 2046): the rendered parts, the files that the HTML shows (`cid:`), and the others.
import { encodeText } from "../../kernel/Bytes.ts"
import type { Steps } from "../../kernel/runtime/Steps.ts"
import { MessageTooLarge } from "../MessageTooLarge.ts"
import { escapeUrlPart } from "../Escapes.ts"
import type { RenderedMessage } from "./Message.ts"
import type { MessageMemory } from "./MessageMemory.ts"

export interface AttachedFile {
  readonly fileName: string
  readonly contentType: string
  /** Null: the HTML does not show it. */
  readonly contentId: string | null
  readonly bytes: Uint8Array
}

interface Packing {
  readonly files: ReadonlyArray<AttachedFile>
  /** Starts with what no text contains. */
  readonly boundary: string
  readonly bytes_max: number
  readonly memory: MessageMemory
}

/** Bytes of a line of 76 characters. */
const line_bytes = 57

/** Lines between two pauses: less than a millisecond. */
const lines_at_once = 4096

/** Free bytes in front, for the headers. */
const headroom_bytes = 6144

/**
 * The message with its files: `multipart/mixed`, and within it `multipart/related` for those that the HTML shows. Throws
 * `MessageTooLarge`.
 */
export function* withFiles(message: RenderedMessage, packing: Packing): Steps<RenderedMessage> {
  const { boundary, bytes_max, files, memory } = packing
  const shown = files.filter(({ contentId }) => contentId !== null)
  const others = files.filter(({ contentId }) => contentId === null)
  const related = shown.length === 0 ? null : `${boundary}_r`
  const mixed = others.length === 0 ? null : `${boundary}_m`
  const whole = joined(related ?? mixed, message, shown.length === 0 ? others : shown)
  const pieces =
    related === null || mixed === null
      ? whole
      : joined(mixed, { headers: [multipart("related", related)], body: whole }, others)
  const size_bytes = pieces.reduce((sum, piece) => sum + sizeOf(piece), 0)
  if (size_bytes > bytes_max) throw new MessageTooLarge({ bytes_max })
  const out = memory.take(headroom_bytes + size_bytes)
  let at = headroom_bytes
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      out.set(piece, at)
      at += piece.length
    } else at = yield* writeBase64(piece.bytes, out, at)
    yield
  }
  memory.release(message.body)
  return {
    headers: [
      ...message.headers.filter(([name]) => !isPartHeader(name)),
      mixed === null ? multipart("related", related ?? "") : multipart("mixed", mixed),
    ],
    body: out.subarray(headroom_bytes, at),
    headroom_bytes,
  }
}

/** Bytes as they are, or a file to encode. */
type Piece = Uint8Array | { readonly bytes: Uint8Array }

const sizeOf = (piece: Piece): number => {
  if (piece instanceof Uint8Array) return piece.length
  const { length } = piece.bytes
  return Math.ceil(length / 3) * 4 + 2 * Math.ceil(length / line_bytes)
}

const isPartHeader = (name: string): boolean => /^content-/i.test(name)

const multipart = (kind: "mixed" | "related", boundary: string) =>
  ["Content-Type", `multipart/${kind};\r\n boundary="${boundary}"`] as const

/** A part, and files after it. */
const joined = (
  boundary: string | null,
  part: { readonly headers: RenderedMessage["headers"]; readonly body: Uint8Array | ReadonlyArray<Piece> },
  files: ReadonlyArray<AttachedFile>,
): ReadonlyArray<Piece> => {
  const own = part.headers.filter(([name]) => isPartHeader(name)).map(([name, value]) => `${name}: ${value}\r\n`)
  return [
    encodeText(`--${boundary}\r\n${own.join("")}\r\n`),
    ...(part.body instanceof Uint8Array ? [part.body] : part.body),
    ...files.flatMap((file): ReadonlyArray<Piece> => [
      encodeText(`--${boundary}\r\n${fileHeaders(file)}\r\n`),
      { bytes: file.bytes },
    ]),
    encodeText(`--${boundary}--\r\n`),
  ]
}

const fileHeaders = ({ contentId, contentType, fileName }: AttachedFile): string =>
  [
    `Content-Type: ${contentType}`,
    "Content-Transfer-Encoding: base64",
    `Content-Disposition: ${contentId === null ? "attachment" : "inline"};\r\n ${fileNameParameter(fileName)}`,
    ...(contentId === null ? [] : [`Content-ID: <${contentId}>`]),
    "",
  ].join("\r\n")

const section_length = 60

/** `filename` as RFC 2231 has it: with sections of a line each, if it has characters beyond ASCII or is long. */
export const fileNameParameter = (name: string): string => {
  if (/^[ -~]{1,60}$/.test(name)) return `filename="${name.replace(/["\\]/g, "\\$&")}"`
  const encoded = escapeUrlPart(name)
  const sections: Array<string> = []
  for (let at = 0; at < encoded.length;) {
    let end = Math.min(encoded.length, at + section_length)
    // An escape stays whole.
    while (end < encoded.length && (encoded[end - 1] === "%" || encoded[end - 2] === "%")) end--
    sections.push(encoded.slice(at, end))
    at = end
  }
  return sections.map((section, at) => `filename*${at}*=${at === 0 ? "UTF-8''" : ""}${section}`).join(";\r\n ")
}

const alphabet = encodeText("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
const padding = 61

/** Lines of 76 characters. Returns the end. */
function* writeBase64(bytes: Uint8Array, out: Uint8Array, start: number): Steps<number> {
  let at = start
  let lines = 0
  for (let from = 0; from < bytes.length; from += line_bytes) {
    const to = Math.min(bytes.length, from + line_bytes)
    for (let byte = from; byte < to; byte += 3) {
      const left = to - byte
      const three = ((bytes[byte] ?? 0) << 16) | ((bytes[byte + 1] ?? 0) << 8) | (bytes[byte + 2] ?? 0)
      out[at] = alphabet[three >> 18] ?? 0
      out[at + 1] = alphabet[(three >> 12) & 63] ?? 0
      out[at + 2] = left > 1 ? (alphabet[(three >> 6) & 63] ?? 0) : padding
      out[at + 3] = left > 2 ? (alphabet[three & 63] ?? 0) : padding
      at += 4
    }
    out[at] = 13
    out[at + 1] = 10
    at += 2
    if (++lines % lines_at_once === 0) yield
  }
  return at
}
