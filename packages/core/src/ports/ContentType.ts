// What bytes are, by what they begin with. What somebody called them, or said of them, counts for nothing.
import { Effect } from "effect"
import { fileTypeFromBuffer } from "file-type"
import { decodeText } from "../kernel/Bytes.ts"

/** So much of a file tells what it is: office documents name themselves some entries behind their archive's beginning. */
export const head_bytes = 64 * 2 ** 10

const unknown = "application/octet-stream"

/** The media type of a file that begins so; of text without a signature, whether it is a page, a drawing or plain. */
export const contentTypeOf = (head: Uint8Array): Effect.Effect<string> =>
  Effect.tryPromise(() => fileTypeFromBuffer(head)).pipe(
    // A file may lie about what it is so badly that nobody can read on.
    Effect.orElseSucceed(() => undefined),
    Effect.map((found) => (found === undefined || found.mime === "application/xml" ? textType(head) : found.mime)),
  )

/** Text holds no control characters but white space, form feed and escape. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const binary = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/

const textType = (head: Uint8Array): string => {
  // The last character may be cut in the middle.
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
