// One message on an SMTP connection, from MAIL to the reply to the final dot. Its five places: asking for the 354, waiting
// for the intent, giving the body, waiting for the reply to it, done.
import { type Envelope, NotSent, type Outcome, type Ready } from "@tentpole/core/sending/MailConnection"
import { Effect } from "effect"
import type { Session } from "./SmtpConnections.ts"
import { isPositive } from "./SmtpHandshake.ts"
import type { Reply } from "./SmtpSocket.ts"

type Place =
  | { readonly _tag: "asking" }
  | { readonly _tag: "waiting" }
  | {
      readonly _tag: "giving"
      readonly body: Uint8Array
      given_bytes: number
      readonly tell: (end: Outcome) => void
    }
  | { readonly _tag: "given"; readonly tell: (end: Outcome) => void }
  | { readonly _tag: "done" }

interface Command {
  readonly stage: NotSent["stage"]
  readonly line: string
}

/** Bytes written at a time: the rest can still be withheld. */
const chunk_bytes = 64 * 1024

const line_end = "\r\n"
const end_of_body = `${line_end}.${line_end}`

export class SmtpTransaction {
  readonly #session: Session
  readonly #envelope: Envelope
  readonly #resume: (began: Effect.Effect<Ready, NotSent>) => void
  #place: Place = { _tag: "asking" }
  #timer: NodeJS.Timeout | undefined
  /** The first refusal of a command, while replies to later ones are still to come. */
  #refusal: NotSent | undefined

  constructor(session: Session, envelope: Envelope, resume: (began: Effect.Effect<Ready, NotSent>) => void) {
    this.#session = session
    this.#envelope = envelope
    this.#resume = resume
  }

  start(): void {
    const { socket, options, extensions, stale } = this.#session
    if (socket.destroyed || this.#session.current !== undefined) return this.#refuse(closed)
    const { from, to } = this.#envelope
    const wrong = [from, to].find((address) => /[\r\n<>]/.test(address))
    if (wrong !== undefined) {
      const stage = wrong === from ? "sender" : "recipient"
      return this.#refuse(new NotSent({ stage, code: 553, reply: "553 5.1.3 The address can't be written" }))
    }
    const isInternational = !isAscii(to)
    if (isInternational && !takesInternational(extensions)) return this.#refuse(notInternational)
    this.#session.current = this
    this.#timer = setTimeout(() => this.cut(), options.begin_timeout_ms)
    const commands: ReadonlyArray<Command> = [
      // A header names the address in UTF-8 then, in eight bits; all other messages are ASCII, and any server takes them.
      { stage: "sender", line: `MAIL FROM:<${from}>${isInternational ? " SMTPUTF8 BODY=8BITMIME" : ""}` },
      { stage: "recipient", line: `RCPT TO:<${to}>` },
      { stage: "data", line: "DATA" },
    ]
    if (!stale) return this.#ask(commands)
    socket.hear((reply) => {
      if (this.#place._tag !== "asking") return
      if (reply === null || !isPositive(reply)) return this.cut()
      this.#session.stale = false
      this.#ask(commands)
    })
    socket.write(`RSET${line_end}`)
  }

  /** All commands at once where the server takes them so (RFC 2920), else one after the other. */
  #ask(commands: ReadonlyArray<Command>): void {
    const { socket } = this.#session
    const together = this.#isPipelining ? commands : commands.slice(0, 1)
    for (const { stage } of together) {
      socket.hear((reply) => {
        if (this.#place._tag !== "asking") return
        this.#answered(stage, reply, commands.slice(together.length))
      })
    }
    socket.write(together.map(({ line }) => line + line_end).join(""))
  }

  #answered(stage: NotSent["stage"], reply: Reply | null, later: ReadonlyArray<Command>): void {
    if (reply === null) return this.#refuse(this.#refusal ?? closed)
    const { code, text } = reply
    const isRight = stage === "data" ? code === 354 : isPositive(reply)
    // Neither right nor a refusal: replies and commands are out of step.
    const isLost = !isRight && code !== null && code < 400
    if (!isRight) this.#refusal ??= isLost ? outOfStep : new NotSent({ stage, code, reply: text })
    if (isLost || code === null || code === 421) {
      this.#session.socket.close()
      return this.#refuse(this.#refusal ?? closed)
    }
    if (isRight && stage !== "data") {
      if (later.length > 0) this.#ask(later)
      return
    }
    if (this.#refusal === undefined) return this.#wait()
    // Replies to the commands sent together are still to come.
    if (stage !== "data" && this.#isPipelining) return
    if (code === 354) return this.#giveNothing(this.#refusal)
    this.#refuse(this.#refusal)
  }

  get #isPipelining(): boolean {
    return /^250[ -]PIPELINING\b/im.test(this.#session.extensions)
  }

  /** The server refused the recipient and waits for a body all the same: it gets an empty one (RFC 2920 §3.1). */
  #giveNothing(refusal: NotSent): void {
    const { socket } = this.#session
    socket.hear(() => {
      if (this.#place._tag === "asking") this.#refuse(refusal)
    })
    socket.write(`.${line_end}`)
  }

  #wait(): void {
    clearTimeout(this.#timer)
    this.#place = { _tag: "waiting" }
    this.#resume(
      Effect.succeed({
        release: (message) => Effect.callback((resume) => this.#release(message, (end) => resume(Effect.succeed(end)))),
        abandon: Effect.sync(() => this.cut()),
      }),
    )
  }

  #release(message: Uint8Array, tell: (end: Outcome) => void): void {
    const { socket, options } = this.#session
    if (this.#place._tag !== "waiting" || socket.destroyed) {
      socket.close()
      this.#done()
      return tell({ _tag: "notSent" })
    }
    this.#place = { _tag: "giving", body: stuffed(message), given_bytes: 0, tell }
    this.#timer = setTimeout(() => this.cut(), options.reply_timeout_ms)
    socket.hear((reply) => this.#replied(reply))
    this.#give()
  }

  /** Writes the next chunk when the one before is with the system. The body's last line end goes last, with the dot. */
  #give(): void {
    const place = this.#place
    if (place._tag !== "giving") return
    const { socket } = this.#session
    const end = place.body.length - line_end.length
    if (place.given_bytes >= end) {
      this.#place = { _tag: "given", tell: place.tell }
      return socket.write(end_of_body)
    }
    const chunk = place.body.subarray(place.given_bytes, Math.min(end, place.given_bytes + chunk_bytes))
    place.given_bytes += chunk.length
    socket.write(chunk, (error) => {
      if (!error) this.#give()
    })
  }

  /** The reply to the body, or null when the connection ended without one. */
  #replied(reply: Reply | null): void {
    const place = this.#place
    if (place._tag === "giving") {
      // Before the end of the body even a 250 means nothing: the dot was not written and now won't be.
      this.#session.socket.close()
      return this.#end(place.tell, isRefusal(reply) ? refused(reply) : { _tag: "notSent" })
    }
    if (place._tag !== "given") return
    if (reply !== null && isPositive(reply)) return this.#end(place.tell, { _tag: "accepted", reply: reply.text })
    // With a 421 the server hangs up, whatever it was about.
    if (!isRefusal(reply) || reply.code === 421) this.#session.socket.close()
    this.#end(place.tell, isRefusal(reply) ? refused(reply) : { _tag: "inDoubt" })
  }

  /** Ends the connection in any place: the server is silent, or the caller was interrupted. */
  cut(): void {
    const place = this.#place
    this.#session.socket.close()
    switch (place._tag) {
      case "asking":
        return this.#refuse(this.#refusal ?? silent)
      case "giving":
        return this.#end(place.tell, { _tag: "notSent" })
      case "given":
        return this.#end(place.tell, { _tag: "inDoubt" })
      default:
        this.#done()
    }
  }

  #refuse(why: NotSent): void {
    // After a refusal before the 354 the server still has the sender; a connection without a reply is of no use.
    if (why.code === null || why.code === 421) this.#session.socket.close()
    else this.#session.stale = this.#session.current === this
    this.#done()
    this.#resume(Effect.fail(why))
  }

  #end(tell: (end: Outcome) => void, end: Outcome): void {
    // A server that replied before it had read everything does not get the rest: the message's memory is used again.
    if (this.#session.socket.isWriting) this.#session.socket.close()
    this.#done()
    tell(end)
  }

  #done(): void {
    clearTimeout(this.#timer)
    this.#place = { _tag: "done" }
    if (this.#session.current === this) this.#session.current = undefined
  }
}

/** The message as it is written: with a second dot before each line that begins with one (RFC 5321 §4.5.2), ended by CRLF. */
const stuffed = (message: Uint8Array): Uint8Array => {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  const isEnded = bytes.at(-2) === carriage_return && bytes.at(-1) === line_feed
  if (isEnded && bytes[0] !== dot && !bytes.includes(dotted_line)) return message
  const text = bytes.toString("latin1").replace(/^\./, "..").replaceAll("\r\n.", "\r\n..")
  return Buffer.from(isEnded ? text : text.replace(/\r?$/, line_end), "latin1")
}

const dotted_line = Buffer.from("\r\n.")
const dot = 0x2e
const line_feed = 0x0a
const carriage_return = 0x0d

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/** What RFC 6531 §3.1 asks of a server for addresses beyond ASCII: both extensions, the one needs the other. */
const takesInternational = (extensions: string): boolean =>
  /^250[ -]SMTPUTF8\b/im.test(extensions) && /^250[ -]8BITMIME\b/im.test(extensions)

const notInternational = new NotSent({
  stage: "recipient",
  code: 553,
  reply: "553 5.6.7 The mail server takes no addresses beyond ASCII (it does not offer SMTPUTF8 and 8BITMIME)",
})

const closed = new NotSent({ stage: "connection", code: null, reply: "The connection is closed" })

const silent = new NotSent({ stage: "connection", code: null, reply: "The mail server did not answer in time" })

const outOfStep = new NotSent({ stage: "connection", code: null, reply: "The mail server's replies are out of step" })

/** A whole reply that is no success; other ends say nothing of the message. */
const isRefusal = (reply: Reply | null): reply is Reply & { readonly code: number } =>
  reply !== null && reply.code !== null && !isPositive(reply)

const refused = ({ code, text }: Reply & { readonly code: number }): Outcome => ({
  _tag: "refused",
  code,
  reply: text,
})
