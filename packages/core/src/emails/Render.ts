// A compiled email and a recipient make a message: the spots are filled, encoded, and laid between the ready parts. The same
// input gives the same bytes, and nothing that a contact's fields can hold makes it fail.
import type { CompiledEmail } from "./Compile.ts"
import { isWebUrl, oneLine } from "./Escapes.ts"
import { bracketed, dateTime, mailbox, unstructured, wireAddress } from "./Headers.ts"
import type { Recipient, RenderedMessage } from "./Message.ts"
import { octetsOf, roomFor, soft_break, writeQuotedPrintable } from "./QuotedPrintable.ts"
import { fill, fillSpot, type Filling } from "./Template.ts"

export const render = (compiled: CompiledEmail, recipient: Recipient): RenderedMessage => {
  const filling = fillingOf(compiled, recipient)
  return { headers: headersOf(compiled, recipient, filling), body: bodyOf(compiled, filling), headroom_bytes }
}

/** Ours take about 1,500 with a signature, most of it the unsubscribe address. */
const headroom_bytes = 3072

/**
 * Everything is written into one buffer, with room for the headers: most of what a message costs is asking for memory. A
 * hundred small arrays, or a second large one, would cost more than all the rest.
 */
const bodyOf = ({ body }: CompiledEmail, filling: Filling): Uint8Array => {
  const pieces = body.map((piece) => (piece instanceof Uint8Array ? piece : octetsOf(fillSpot(piece, filling))))
  let room = headroom_bytes + slack_bytes
  // As long as it is, with its soft breaks: few values have much in them that takes three characters.
  for (const piece of pieces) room += typeof piece === "string" ? piece.length + (piece.length >> 4) + 4 : piece.length
  let out = new Uint8Array(room)
  let at = headroom_bytes
  for (const piece of pieces) {
    const needed = at + (typeof piece === "string" ? roomFor(piece.length) : piece.length)
    if (needed > out.length) out = enlarged(out, 2 * needed)
    if (typeof piece === "string") at = writeQuotedPrintable(piece, soft_break, out, at)
    else {
      out.set(piece, at)
      at += piece.length
    }
  }
  return out.subarray(headroom_bytes, at)
}

/** What the last values may take more than they were expected to before more room is asked for. */
const slack_bytes = 512

const enlarged = (bytes: Uint8Array, size_bytes: number): Uint8Array<ArrayBuffer> => {
  const larger = new Uint8Array(size_bytes)
  larger.set(bytes)
  return larger
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

const fillingOf = ({ sender }: CompiledEmail, { contact, dynamic, links }: Person): Filling => ({
  values: {
    contact,
    dynamic,
    workspaceName: sender.workspaceName,
    unsubscribeUrl: links.unsubscribe,
    viewUrl: links.view,
  },
  links,
})

const headersOf = (compiled: CompiledEmail, recipient: Recipient, filling: Filling): RenderedMessage["headers"] => [
  ["From", mailbox("From", fill(compiled.fromName, filling), compiled.fromAddress)],
  ["To", wireAddress(recipient.address)],
  ["Reply-To", wireAddress(compiled.replyToEmail)],
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
