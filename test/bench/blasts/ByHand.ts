// The program of the reference: a loop over nodemailer's pool, without a database. It composes and signs each message, or sends
// a ready-made one.
import MailComposer from "nodemailer/lib/mail-composer"
import { createTransport } from "nodemailer"
import { text } from "node:stream/consumers"
import { letterOf } from "../render/Letter.ts"

export interface Order {
  readonly port: number
  readonly connections: number
  readonly messages: number
  readonly how: "signed" | "ready-made"
  readonly domain: string
  readonly privateKeyPem: string
}

/** As the product sends it. */
const letter = letterOf(6)
const order: Order = JSON.parse(await text(process.stdin))

const filled = (template: string, number: number): string =>
  template.replace(/\{\{\s*([\w.]+)(?::\w+)?(?:\|([^}]*))?\s*\}\}/g, (_, name: string, fallback = "") =>
    name === "contact.first_name" ? `Ann${number}` : String(fallback),
  )

const messageTo = (number: number) => {
  const unsubscribe = `https://pages.harbour.example/u/${number}`
  return {
    from: { name: letter.fromName, address: `news@${order.domain}` },
    to: `person${number}@byhand.test`,
    subject: filled(letter.subject, number),
    html: filled(letter.html, number),
    text: filled(letter.text, number),
    headers: {
      "List-Unsubscribe": `<${unsubscribe}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
  }
}

const ready = await new MailComposer(messageTo(0)).compile().build()

const transport = createTransport({
  pool: true,
  host: "127.0.0.1",
  port: order.port,
  secure: false,
  ignoreTLS: true,
  maxConnections: order.connections,
  maxMessages: Infinity,
  ...(order.how === "signed"
    ? { dkim: { domainName: order.domain, keySelector: "bench", privateKey: order.privateKeyPem } }
    : {}),
})

const send = (number: number): Promise<unknown> =>
  transport.sendMail(
    order.how === "ready-made"
      ? { raw: ready, envelope: { from: `news@${order.domain}`, to: `person${number}@byhand.test` } }
      : messageTo(number),
  )

let sent = 0
const loop = async (): Promise<void> => {
  while (sent < order.messages) await send(sent++)
}
// Twice as many under way as connections: the pool never waits for the loop.
await Promise.all(Array.from({ length: 2 * order.connections }, loop))
transport.close()
