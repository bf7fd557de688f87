// A compiled email and a recipient make a message: the spots are filled, encoded, and laid between the ready parts. The same
// input gives the same bytes, and nothing that a contact's fields can hold makes it fail.
import type { CompiledEmail } from "./Compile.ts"
import { isWebUrl, oneLine } from "./Escapes.ts"
import { bracketed, dateTime, mailbox, unstructured, wireAddress } from "./message/Headers.ts"
import type { Recipient, RenderedMessage } from "./message/Message.ts"
import { MessageMemory } from "./message/MessageMemory.ts"
import { roomFor, soft_break, writeQuotedPrintable } from "./message/QuotedPrintable.ts"
import { fill, fillSlot, type MergeValues } from "./MergeTemplate.ts"

/** `memory` is where the message is written; without any it has memory of its own. */
export const render = (
  compiled: CompiledEmail,
  recipient: Recipient,
  memory = new MessageMemory(),
): RenderedMessage => {
  const filling = fillingOf(compiled, recipient)
  return {
    headers: headersOf(compiled, recipient, filling),
    body: bodyOf(compiled, filling, memory),
    headroom_bytes,
  }
}

/** Ours take about 1,500 with a signature, most of it the unsubscribe address. */
const headroom_bytes = 3072

/** Everything is written into one piece of memory, with room for the headers in front. */
const bodyOf = ({ body }: CompiledEmail, filling: MergeValues, memory: MessageMemory): Uint8Array<ArrayBuffer> => {
  const pieces = body.map((piece) => (piece instanceof Uint8Array ? piece : fillSlot(piece, filling)))
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

/** What a message says, before it is encoded: for previews, and for reading it in a browser. */
export interface Content {
  readonly subject: string
  readonly html: string
  readonly text: string
}

export const renderContent = (compiled: CompiledEmail, recipient: Person): Content => {
  const filling = fillingOf(compiled, recipient)
  return {
    subject: oneLine(fill(compiled.subject, filling)),
    html: fill(compiled.html, filling),
    text: fill(compiled.text, filling),
  }
}

/**
 * Where the link of this index leads for this person: the author's URL byte for byte, tokens filled in. It may hold
 * characters beyond ASCII. Null: there is no such link, or for this person it is no web address.
 */
export const linkTarget = (compiled: CompiledEmail, index: number, recipient: Person): string | null => {
  const target = compiled.links[index]
  if (target === undefined) return null
  const url = fill(target, fillingOf(compiled, recipient))
  return isWebUrl(url) ? url : null
}

/** As much of a recipient as the content depends on. */
export type Person = Pick<Recipient, "contact" | "dynamic" | "links">

const fillingOf = ({ sender }: CompiledEmail, { contact, dynamic, links }: Person): MergeValues => ({
  contact,
  dynamic,
  workspaceName: sender.workspaceName,
  links,
})

const fromOf = ({ from }: CompiledEmail, filling: MergeValues): string =>
  typeof from === "string" ? from : mailbox("From", fill(from.name, filling), from.address)

const headersOf = (compiled: CompiledEmail, recipient: Recipient, filling: MergeValues): RenderedMessage["headers"] => [
  ["From", fromOf(compiled, filling)],
  ["To", wireAddress(recipient.address)],
  ["Reply-To", compiled.replyTo],
  ["Subject", unstructured("Subject", fill(compiled.subject, filling))],
  ["Date", dateTime(recipient.date)],
  ["Message-ID", bracketed(recipient.messageId)],
  ...(compiled.operational
    ? []
    : ([
        ["List-Unsubscribe", bracketed(recipient.links.unsubscribe)],
        // One click, without a page between: RFC 8058 §3.1.
        ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"],
      ] as const)),
  ["List-Id", bracketed(recipient.listId)],
  ["Feedback-ID", oneLine(recipient.feedbackId)],
  ["MIME-Version", "1.0"],
  ["Content-Type", `multipart/alternative;\r\n boundary="${compiled.boundary}"`],
]
