// Rendering: fills the slots of a compiled email for a recipient, encodes the values, and joins them with the encoded
// parts. The same input gives the same bytes. No value of a contact makes it fail, except for the size of the message.
import type { Steps } from "../kernel/runtime/Steps.ts"
import type { CompiledEmail } from "./Compile.ts"
import { isWebUrl, oneLine } from "./Escapes.ts"
import { bracketed, dateTime, mailbox, unstructured } from "./message/Headers.ts"
import type { Recipient, RenderedMessage } from "./message/Message.ts"
import { MessageMemory } from "./message/MessageMemory.ts"
import { encodeQuotedPrintable, roomFor, soft_break, writeQuotedPrintable } from "./message/QuotedPrintable.ts"
import { MessageTooLarge } from "./MessageTooLarge.ts"
import { fill, fillInSteps, fillSlot, fillTarget, type MergeValues, Work } from "./MergeTemplate.ts"

/** `memory` is where the message is written; by default it gets new memory. Throws `MessageTooLarge`. */
export function* render(
  compiled: CompiledEmail,
  recipient: Recipient,
  memory = new MessageMemory(),
): Steps<RenderedMessage> {
  return {
    headers: headersOf(compiled, recipient, mergeValuesOf(compiled, recipient)),
    body: ended(compiled, yield* bodyOf(compiled, mergeValuesOf(compiled, recipient), memory)),
    headroom_bytes,
  }
}

/** The text of a plain message may end with line breaks: the body has exactly one final CRLF. */
const ended = ({ boundary }: CompiledEmail, body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  let end = body.length
  while (boundary === null && end >= 4 && body[end - 3] === line_feed && body[end - 1] === line_feed) end -= 2
  return body.subarray(0, end)
}

const line_feed = 10

/** Headers with a signature need about 1,500 bytes, most of them for the unsubscribe address. */
const headroom_bytes = 3072

/** Writes everything into one buffer, with room for the headers in front. Throws `MessageTooLarge`. */
function* bodyOf({ body }: CompiledEmail, values: MergeValues, memory: MessageMemory): Steps<Uint8Array<ArrayBuffer>> {
  const { bytes_max, work } = values
  const pieces: Array<Uint8Array | string> = []
  let [room, least] = [0, 0]
  for (const slot of body) {
    const piece = slot instanceof Uint8Array ? slot : fillSlot(slot, values)
    pieces.push(piece)
    room += typeof piece === "string" ? roomFor(piece.length) : piece.length
    least += piece.length
    if (least > bytes_max) throw new MessageTooLarge({ bytes_max })
    if (work.isLong(piece.length)) yield
  }
  const end = headroom_bytes + Math.min(room, bytes_max)
  const out = memory.take(end)
  let at = headroom_bytes
  for (const piece of pieces) {
    if (work.isLong(piece.length)) yield
    if (typeof piece === "string" && at + roomFor(piece.length) <= end) {
      at = writeQuotedPrintable(piece, soft_break, out, at)
      continue
    }
    // Near the limit the exact size decides.
    const bytes = typeof piece === "string" ? encodeQuotedPrintable(piece, soft_break) : piece
    if (at + bytes.length > end) throw new MessageTooLarge({ bytes_max })
    out.set(bytes, at)
    at += bytes.length
  }
  return out.subarray(headroom_bytes, at)
}

/** A message before it is encoded, for previews and for the view in a browser. */
export interface Content {
  readonly subject: string
  readonly html: string
  readonly text: string
}

/** Throws `MessageTooLarge` when the message of this content would be too large. */
export function* renderContent(compiled: CompiledEmail, recipient: ContentRecipient): Steps<Content> {
  yield* bodyOf(compiled, mergeValuesOf(compiled, recipient), new MessageMemory())
  const values = mergeValuesOf(compiled, recipient)
  return {
    subject: oneLine(fill(compiled.subject, mergeValuesOf(compiled, recipient))),
    html: yield* fillInSteps(compiled.html, values),
    text: yield* fillInSteps(compiled.text, values),
  }
}

/**
 * The target of the link of this index for this recipient: the author's URL byte for byte, with merge values. It may have
 * characters beyond ASCII. Null: there is no such link, or its target is too large or no web address for this recipient.
 */
export const linkTarget = (compiled: CompiledEmail, index: number, recipient: ContentRecipient): string | null => {
  const target = compiled.links[index]
  if (target === undefined) return null
  try {
    const url = fillTarget(target, mergeValuesOf(compiled, recipient))
    return isWebUrl(url) ? url : null
  } catch (error) {
    if (error instanceof MessageTooLarge) return null
    throw error
  }
}

export type ContentRecipient = Pick<Recipient, "contact" | "data" | "dynamic" | "links">

const mergeValuesOf = (
  { message_bytes_max, sender }: CompiledEmail,
  { contact, data, dynamic, links }: ContentRecipient,
): MergeValues => ({
  contact,
  dynamic,
  ...(data === undefined ? {} : { data }),
  workspaceName: sender.workspaceName,
  links,
  bytes_max: message_bytes_max,
  work: new Work(),
})

const fromOf = ({ from }: CompiledEmail, values: MergeValues): string =>
  typeof from === "string" ? from : mailbox("From", fill(from.name, values), from.address)

const headersOf = (compiled: CompiledEmail, recipient: Recipient, values: MergeValues): RenderedMessage["headers"] => [
  ["From", fromOf(compiled, values)],
  ["To", mailbox("To", recipient.name ?? "", recipient.address)],
  ...(compiled.replyTo === null ? [] : ([["Reply-To", compiled.replyTo]] as const)),
  ["Subject", unstructured("Subject", fill(compiled.subject, values))],
  ["Date", dateTime(recipient.date)],
  ["Message-ID", bracketed(recipient.messageId)],
  ...(compiled.operational
    ? []
    : ([
        ["List-Unsubscribe", bracketed(recipient.links.unsubscribe)],
        // One click without a confirmation page: RFC 8058 §3.1.
        ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
      ] as const)),
  ...(recipient.listId === null ? [] : ([["List-Id", bracketed(recipient.listId)]] as const)),
  ["Feedback-ID", oneLine(recipient.feedbackId)],
  ["MIME-Version", "1.0"],
  ...(compiled.boundary === null
    ? ([
        ["Content-Type", "text/plain; charset=utf-8"],
        ["Content-Transfer-Encoding", "quoted-printable"],
      ] as const)
    : ([["Content-Type", `multipart/alternative;\r\n boundary="${compiled.boundary}"`]] as const)),
]
