// One message on an SMTP connection, from MAIL to the reply to the final dot. It is in one of five places: asking for the
// 354, waiting for the intent, giving the body, waiting for the reply, done.
import { type Envelope, NotSent, type Outcome, type Ready } from "@tentpole/core/sending/MailConnection"
import { Effect } from "effect"
import { Readable } from "node:stream"
import type { Session } from "./SmtpConnections.ts"

interface SmtpError extends Error {
  readonly code?: string | undefined
  readonly command?: string | undefined
  readonly response?: string | undefined
  readonly responseCode?: number | undefined
}

type Place =
  | { readonly _tag: "asking" }
  /** The server waits for the body. `broken` when the connection did not survive the waiting. */
  | { readonly _tag: "waiting"; broken: boolean }
  | {
      readonly _tag: "giving"
      readonly message: Uint8Array
      given_bytes: number
      readonly tell: (end: Outcome) => void
    }
  | { readonly _tag: "given"; readonly tell: (end: Outcome) => void }
  | { readonly _tag: "done" }

/** Bytes handed over at a time: what is not handed over yet can still be withheld. */
const chunk_bytes = 64 * 1024

/** A line that begins with a dot gets another one before it (RFC 5321 §4.5.2). Of lines there are none that end otherwise. */
const dotted_line = Buffer.from("\r\n.")
const line_end_bytes = 2

const stages: Readonly<Record<string, NotSent["stage"]>> = {
  "MAIL FROM": "sender",
  "RCPT TO": "recipient",
  DATA: "data",
}

export class SmtpTransaction {
  readonly #session: Session
  readonly #envelope: Envelope
  readonly #resume: (began: Effect.Effect<Ready, NotSent>) => void
  #place: Place = { _tag: "asking" }
  #timer: NodeJS.Timeout | undefined

  constructor(session: Session, envelope: Envelope, resume: (began: Effect.Effect<Ready, NotSent>) => void) {
    this.#session = session
    this.#envelope = envelope
    this.#resume = resume
  }

  get #isInternational(): boolean {
    return !isAscii(this.#envelope.to)
  }

  start(): void {
    const { smtp, options, extensions, stale } = this.#session
    if (smtp.destroyed || this.#session.current !== undefined) {
      return this.#refuse(new NotSent({ stage: "connection", code: null, reply: "The connection is closed" }))
    }
    if (this.#isInternational && !takesInternational(extensions)) {
      return this.#refuse(
        new NotSent({
          stage: "recipient",
          code: 553,
          reply: "553 5.6.7 The mail server takes no addresses beyond ASCII (it does not offer SMTPUTF8 and 8BITMIME)",
        }),
      )
    }
    this.#session.current = this
    this.#timer = setTimeout(() => this.cut(), options.begin_timeout_ms)
    if (!stale) return this.#send()
    smtp.reset((error) => {
      if (this.#place._tag !== "asking") return
      if (error) return this.cut()
      this.#session.stale = false
      this.#send()
    })
  }

  /** The library reads the body for the first time when the 354 is there: that is the signal. */
  #send(): void {
    let asked = false
    const body = new Readable({
      highWaterMark: chunk_bytes,
      read: () => {
        if (asked) return this.#give(body)
        asked = true
        this.#wait(body)
      },
    })
    body.on("error", () => undefined)
    const { from, to } = this.#envelope
    // A header names the address in UTF-8 then, in eight bits; all other messages are ASCII, and any server takes them.
    const envelope = { from, to: [to], use8BitMime: this.#isInternational }
    this.#session.smtp.send(envelope, body, (error, info) => this.#replied(error, info?.response ?? ""))
  }

  #wait(body: Readable): void {
    if (this.#place._tag !== "asking") return
    clearTimeout(this.#timer)
    this.#place = { _tag: "waiting", broken: false }
    this.#resume(
      Effect.succeed({
        release: (message) =>
          Effect.callback((resume) => this.#release(body, message, (end) => resume(Effect.succeed(end)))),
        abandon: Effect.sync(() => this.cut()),
      }),
    )
  }

  #release(body: Readable, message: Uint8Array, tell: (end: Outcome) => void): void {
    if (this.#place._tag !== "waiting" || this.#place.broken) {
      this.#close()
      return tell({ _tag: "notSent" })
    }
    this.#place = { _tag: "giving", message, given_bytes: 0, tell }
    this.#timer = setTimeout(() => this.cut(), this.#session.options.reply_timeout_ms)
    if (isDotted(message)) this.#give(body)
    else this.#write(body)
  }

  /** Called whenever the stream has room. Its end is given alone, last: before it there is no dot. */
  #give(body: Readable): void {
    const place = this.#place
    if (place._tag !== "giving") return
    if (place.given_bytes < place.message.length) {
      const chunk = place.message.subarray(place.given_bytes, place.given_bytes + chunk_bytes)
      place.given_bytes += chunk.length
      body.push(chunk)
      return
    }
    this.#place = { _tag: "given", tell: place.tell }
    body.push(null)
  }

  /**
   * Past the library's stream, which looks at every byte for what is not there: a sixth of a sender's time. To a stream that
   * had nothing it adds the end of a line and the dot; so the message's own last line end is left to it.
   */
  #write(body: Readable): void {
    const place = this.#place
    const socket = this.#session.smtp._socket
    if (place._tag !== "giving" || !socket) return
    const end = place.message.length - line_end_bytes
    if (place.given_bytes >= end) {
      this.#place = { _tag: "given", tell: place.tell }
      body.push(null)
      return
    }
    const chunk = place.message.subarray(place.given_bytes, Math.min(end, place.given_bytes + chunk_bytes))
    place.given_bytes += chunk.length
    // What fails here the library hears of as well, and tells.
    socket.write(chunk, (error) => {
      if (!error) this.#write(body)
    })
  }

  /** The library's last word on the message: a reply, or that the connection is gone. */
  #replied(error: SmtpError | null, response: string): void {
    const place = this.#place
    switch (place._tag) {
      case "asking":
        return this.#refuse(notSent(error))
      case "waiting":
        // Whatever it says, the body was not given. The intent is being asked for: `release` will find out.
        this.#place = { _tag: "waiting", broken: true }
        return
      case "giving":
        // Before the end of the body even a 250 means nothing: the dot was never written, and now it won't be.
        this.#close()
        return this.#end(place.tell, error !== null && isReply(error) ? refusal(error) : { _tag: "notSent" })
      case "given":
        if (error === null) return this.#end(place.tell, { _tag: "accepted", reply: response })
        // With a 421 the server hangs up, whatever it was about.
        if (!isReply(error) || error.responseCode === 421) this.#close()
        return this.#end(place.tell, isReply(error) ? refusal(error) : { _tag: "inDoubt" })
      case "done":
        return
    }
  }

  /** Ends the connection in whatever place this is: silence, an interruption, a change of mind. */
  cut(): void {
    const place = this.#place
    this.#close()
    switch (place._tag) {
      case "asking":
        return this.#refuse(
          new NotSent({ stage: "connection", code: null, reply: "The mail server did not answer in time" }),
        )
      case "giving":
        return this.#end(place.tell, { _tag: "notSent" })
      case "given":
        return this.#end(place.tell, { _tag: "inDoubt" })
      default:
        this.#done()
    }
  }

  #refuse(why: NotSent): void {
    // After a refusal before the 354 the server still holds the sender; a connection without a reply is of no use.
    if (why.code === null || why.code === 421) this.#close()
    else this.#session.stale = this.#session.current === this
    this.#done()
    this.#resume(Effect.fail(why))
  }

  #end(tell: (end: Outcome) => void, end: Outcome): void {
    // A server that replied before it had read everything is not given the rest: the message's memory will hold another one.
    const socket = this.#session.smtp._socket
    if (socket && socket.writableLength > 0) this.#close()
    this.#done()
    tell(end)
  }

  #done(): void {
    clearTimeout(this.#timer)
    this.#place = { _tag: "done" }
    if (this.#session.current === this) this.#session.current = undefined
  }

  #close(): void {
    this.#session.smtp.close()
  }
}

/** Also one that ends otherwise than its lines do. */
const isDotted = (message: Uint8Array): boolean => {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  return (
    bytes[0] === dot || bytes.includes(dotted_line) || bytes.at(-1) !== line_feed || bytes.at(-2) !== carriage_return
  )
}

const dot = 0x2e
const line_feed = 0x0a
const carriage_return = 0x0d

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/** What RFC 6531 §3.1 asks of a server for addresses beyond ASCII: both extensions, the one needs the other. */
const takesInternational = (extensions: string): boolean =>
  /^250[ -]SMTPUTF8\b/im.test(extensions) && /^250[ -]8BITMIME\b/im.test(extensions)

/** A whole reply to the body, as against a connection that broke (perhaps in the middle of one). */
const isReply = (error: SmtpError): boolean =>
  error.code === "EMESSAGE" && error.command === "DATA" && error.responseCode !== undefined

const refusal = (error: SmtpError): Outcome => ({
  _tag: "refused",
  code: error.responseCode ?? 0,
  reply: error.response ?? error.message,
})

const notSent = (error: SmtpError | null): NotSent =>
  new NotSent({
    stage: stages[error?.command ?? ""] ?? "connection",
    code: error?.responseCode ?? null,
    reply: error?.response ?? error?.message ?? "The connection was closed",
  })
