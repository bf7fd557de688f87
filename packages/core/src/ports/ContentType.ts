// Media types by content: detected from the first bytes. Names and declared types are ignored.
import { fileTypeFromBuffer } from "file-type"
import type { Parser } from "./Parsers.ts"
import { decodeText } from "../kernel/Bytes.ts"

/** Bytes needed: office documents name their type some entries behind the start of the archive. */
export const head_bytes = 64 * 2 ** 10

const unknown = "application/octet-stream"

/** The media type of a file with this beginning. Text without a signature is a page, a drawing or plain text. */
export const contentTypeOf = async (head: Uint8Array): Promise<string> => {
  // A broken file can make the parser fail.
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  return found === undefined || found.mime === "application/xml" ? textType(head) : found.mime
}

export const contentTypeParser: Parser<Uint8Array, string> = {
  name: "content_type",
  run: contentTypeOf,
  sizeOf: (head) => head.length,
}

/** Text has no control characters other than white space, form feed and escape. */
// oxlint-disable-next-line no-control-regex -- matches control characters
const binary = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/

const textType = (head: Uint8Array): string => {
  // The last character may be cut.
  const text = decodeText(head)
    .replace(/^\ufeff/, "")
    .replace(/\ufffd{1,3}$/, "")
  if (text === "" || binary.test(text)) return unknown
  const begin = text.replace(/^(?:\s|<\?[^>]*\?>|<!--[\s\S]*?-->)*/, "").slice(0, 1000)
  if (/^(<!doctype\s+svg\b[\s\S]*?>\s*)?<svg[\s>]/i.test(begin)) return "image/svg+xml"
  if (/^<(!doctype\s+html|html|head|body|script|style|title|meta|iframe|table|div|p|h1|a|br|b|img)\b/i.test(begin)) {
    return "text/html"
  }
  return begin.startsWith("<") ? "application/xml" : "text/plain"
}
