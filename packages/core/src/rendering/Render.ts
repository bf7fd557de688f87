// Rendering: fills the slots of a compiled email for a recipient, encodes the values, and joins them with the encoded
// parts. The same input gives the same bytes. No value of a contact makes it fail.
import type { CompiledEmail } from "./Compile.ts"
import { isWebUrl, oneLine } from "./Escapes.ts"
import { bracketed, dateTime, mailbox, unstructured, wireAddress } from "./message/Headers.ts"
import type { Recipient, RenderedMessage } from "./message/Message.ts"
import { MessageMemory } from "./message/MessageMemory.ts"
import { roomFor, soft_break, writeQuotedPrintable } from "./message/QuotedPrintable.ts"
import { fill, fillSlot, type MergeValues } from "./MergeTemplate.ts"

/** `memory` is where the message is written; by default it gets new memory. */
export const render = (
  compiled: CompiledEmail,
  recipient: Recipient,
  memory = new MessageMemory(),
): RenderedMessage => {
  const values = mergeValuesOf(compiled, recipient)
  return {
    headers: headersOf(compiled, recipient, values),
    body: bodyOf(compiled, values, memory),
    headroom_bytes,
  }
}

/** Headers with a signature need about 1,500 bytes, most of them for the unsubscribe address. */
const headroom_bytes = 3072

/** Writes everything into one buffer, with room for the headers in front. */
const bodyOf = ({ body }: CompiledEmail, values: MergeValues, memory: MessageMemory): Uint8Array<ArrayBuffer> => {
  const pieces = body.map((piece) => (piece instanceof Uint8Array ? piece : fillSlot(piece, values)))
  let room = headroom_bytes
  for (const piece of pieces) room += typeof piece === "string" ? roomFor(piece.length) : piece.length
  const out = memory.take(room)
  let at = headroom_bytes
  for (const piece of pieces) {
    if (typeof piece === "string") at = writeQuotedPrintable(piece, soft_break, out, at)
    else {
      out.set(piece, at)
      at += piece.length
    }
  }
  return out.subarray(headroom_bytes, at)
}

/** A message before it is encoded, for previews and for the view in a browser. */
export interface Content {
  readonly subject: string
  readonly html: string
  readonly text: string
}

export const renderContent = (compiled: CompiledEmail, recipient: ContentRecipient): Content => {
  const values = mergeValuesOf(compiled, recipient)
  return {
    subject: oneLine(fill(compiled.subject, values)),
    html: fill(compiled.html, values),
    text: fill(compiled.text, values),
  }
}

/**
 * The target of the link of this index for this recipient: the author's URL byte for byte, with merge values. It may have
 * characters beyond ASCII. Null: there is no such link, or its target is no web address for this recipient.
 */
export const linkTarget = (compiled: CompiledEmail, index: number, recipient: ContentRecipient): string | null => {
  const target = compiled.links[index]
  if (target === undefined) return null
  const url = fill(target, mergeValuesOf(compiled, recipient))
  return isWebUrl(url) ? url : null
}

export type ContentRecipient = Pick<Recipient, "contact" | "dynamic" | "links">

const mergeValuesOf = ({ sender }: CompiledEmail, { contact, dynamic, links }: ContentRecipient): MergeValues => ({
  contact,
  dynamic,
  workspaceName: sender.workspaceName,
  links,
})

const fromOf = ({ from }: CompiledEmail, values: MergeValues): string =>
  typeof from === "string" ? from : mailbox("From", fill(from.name, values), from.address)

const headersOf = (compiled: CompiledEmail, recipient: Recipient, values: MergeValues): RenderedMessage["headers"] => [
  ["From", fromOf(compiled, values)],
  ["To", wireAddress(recipient.address)],
  ["Reply-To", compiled.replyTo],
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
  ["List-Id", bracketed(recipient.listId)],
  ["Feedback-ID", oneLine(recipient.feedbackId)],
  ["MIME-Version", "1.0"],
  ["Content-Type", `multipart/alternative;\r\n boundary="${compiled.boundary}"`],
]
