// One message on an SMTP connection, from MAIL to the reply to the final dot. Its five phases: waiting for the 354, waiting
// for the intent, sending the body, waiting for the reply, done. Its commands may be sent ahead, with the end of the message before
// (RFC 2920 §3.1): then it waits for the 354 before it is started.
import { type Envelope, NotSent, type Outcome, type Ready } from "@tentpole/core/sending/MailConnection"
import { Effect } from "effect"
import type { Session } from "./SmtpConnections.ts"
import { isPositive } from "./SmtpHandshake.ts"
import type { Reply } from "./SmtpSocket.ts"

type Phase =
  | { readonly _tag: "awaiting354" }
  | { readonly _tag: "awaitingIntent" }
  | {
      readonly _tag: "sendingBody"
      readonly body: Uint8Array
      readonly next: Envelope | undefined
      sent_bytes: number
      readonly report: (end: Outcome) => void
    }
  | { readonly _tag: "awaitingReply"; readonly report: (end: Outcome) => void }
  | { readonly _tag: "done" }

interface Command {
  readonly stage: NotSent["stage"]
  readonly line: string
}

/** Bytes written at a time: the rest can still be withheld. */
const chunk_bytes = 64 * 1024
/** The end of a body goes in one write with the dot, which saves both sides a packet. From then on a cut leaves the message in doubt. */
const last_bytes_max = 32 * 1024

const line_end = "\r\n"

export class SmtpTransaction {
  readonly #session: Session
  readonly #envelope: Envelope
  /** Undefined: it was sent ahead and is not started. */
  #resume: ((began: Effect.Effect<Ready, NotSent>) => void) | undefined
  #isSentAhead = false
  /** What the commands that were sent ahead led to. */
  #began: Ready | NotSent | undefined
  #phase: Phase = { _tag: "awaiting354" }
  #timer: NodeJS.Timeout | undefined
  #lastLook: NodeJS.Immediate | undefined
  /** The first refusal of a command, while replies to later commands are expected. */
  #refusal: NotSent | undefined

  constructor(session: Session, envelope: Envelope) {
    this.#session = session
    this.#envelope = envelope
  }

  isFor({ from, to }: Envelope): boolean {
    return this.#envelope.from === from && this.#envelope.to === to
  }

  /** Sends the commands, or goes on with those that were sent ahead. */
  start(resume: (began: Effect.Effect<Ready, NotSent>) => void): void {
    this.#resume = resume
    const session = this.#session
    const { ahead, options, socket } = session
    // The server waits for another message.
    if (ahead !== undefined && ahead !== this) ahead.cut()
    if (socket.destroyed || session.current !== undefined) return this.#refuse(closed)
    if (this.#unwritable !== undefined) return this.#refuse(this.#unwritable)
    session.current = this
    session.ahead = undefined
    const began = this.#began
    if (began instanceof NotSent) return this.#refuse(began)
    if (began !== undefined) return resume(Effect.succeed(began))
    this.#cutAfter(options.begin_timeout_ms)
    if (!this.#isSentAhead) this.#begin()
  }

  /** The commands, for the packet with the end of the message before. Empty: they must wait for its reply. */
  sendAhead(): string {
    const session = this.#session
    if (!this.#isPipelining || !session.server.takesAhead || this.#unwritable !== undefined) return ""
    this.#isSentAhead = true
    session.ahead = this
    return this.#written(this.#commands, [])
  }

  /** Why no server can get it, if so. */
  get #unwritable(): NotSent | undefined {
    const { from, to } = this.#envelope
    const wrong = [from, to].find((address) => /[\r\n<>]/.test(address))
    if (wrong !== undefined) {
      const stage = wrong === from ? "sender" : "recipient"
      return new NotSent({ stage, code: 553, reply: "553 5.1.3 The address can't be written" })
    }
    return isAscii(to) || takesInternational(this.#session.extensions) ? undefined : notInternational
  }

  get #commands(): ReadonlyArray<Command> {
    const { from, to } = this.#envelope
    // A header then has the address in UTF-8 (8 bits). All other messages are ASCII, which any server accepts.
    const parameters = isAscii(to) ? "" : " SMTPUTF8 BODY=8BITMIME"
    return [
      { stage: "sender", line: `MAIL FROM:<${from}>${parameters}` },
      { stage: "recipient", line: `RCPT TO:<${to}>` },
      { stage: "data", line: "DATA" },
    ]
  }

  #begin(): void {
    const { socket, stale } = this.#session
    if (!stale) return this.#command(this.#commands)
    socket.hear((reply) => {
      if (this.#phase._tag !== "awaiting354") return
      if (reply === null || !isPositive(reply)) return this.cut()
      this.#session.stale = false
      this.#command(this.#commands)
    })
    socket.write(`RSET${line_end}`)
  }

  /** All commands at once if the server supports it (RFC 2920), else one after the other. */
  #command(commands: ReadonlyArray<Command>): void {
    const count = this.#isPipelining ? commands.length : 1
    this.#session.socket.write(this.#written(commands.slice(0, count), commands.slice(count)))
  }

  /** Listens for the replies to these commands. */
  #written(together: ReadonlyArray<Command>, later: ReadonlyArray<Command>): string {
    for (const { stage } of together) {
      this.#session.socket.hear((reply) => {
        if (this.#phase._tag === "awaiting354") this.#answered(stage, reply, later)
      })
    }
    return together.map(({ line }) => line + line_end).join("")
  }

  #answered(stage: NotSent["stage"], reply: Reply | null, later: ReadonlyArray<Command>): void {
    if (reply === null) return this.#refuse(this.#refusal ?? closed)
    const { code, text } = reply
    const isRight = stage === "data" ? code === 354 : isPositive(reply)
    // Neither success nor a refusal: replies and commands are out of step.
    const isLost = !isRight && code !== null && code < 400
    if (!isRight) this.#refusal ??= isLost ? outOfStep : new NotSent({ stage, code, reply: text })
    if (isLost || code === null || code === 421) {
      this.#session.socket.close()
      return this.#refuse(this.#refusal ?? closed)
    }
    if (isRight && stage !== "data") {
      if (later.length > 0) this.#command(later)
      return
    }
    if (this.#refusal === undefined) return this.#wait()
    // Replies to the commands sent together are still expected.
    if (stage !== "data" && this.#isPipelining) return
    if (code === 354) return this.#giveNothing(this.#refusal)
    this.#refuse(this.#refusal)
  }

  get #isPipelining(): boolean {
    return /^250[ -]PIPELINING\b/im.test(this.#session.extensions)
  }

  /** The server refused the recipient but waits for a body: it gets an empty one (RFC 2920 §3.1). */
  #giveNothing(refusal: NotSent): void {
    const { socket } = this.#session
    socket.hear(() => {
      if (this.#phase._tag === "awaiting354") this.#refuse(refusal)
    })
    socket.write(`.${line_end}`)
  }

  #wait(): void {
    this.#stopTimer()
    this.#phase = { _tag: "awaitingIntent" }
    const ready: Ready = {
      release: (message, next) =>
        Effect.callback((resume) => this.#release(message, next, (end) => resume(Effect.succeed(end)))),
      abandon: Effect.sync(() => this.cut()),
    }
    if (this.#resume === undefined) this.#began = ready
    else this.#resume(Effect.succeed(ready))
  }

  #release(message: Uint8Array, next: Envelope | undefined, report: (end: Outcome) => void): void {
    const { socket, options } = this.#session
    if (this.#phase._tag !== "awaitingIntent" || socket.destroyed) {
      socket.close()
      this.#done()
      return report({ _tag: "notSent" })
    }
    this.#phase = { _tag: "sendingBody", body: stuffed(message), next, sent_bytes: 0, report }
    this.#cutAfter(options.reply_timeout_ms)
    socket.hear((reply) => this.#replied(reply))
    this.#give()
  }

  /** Writes the next chunk after the system took the one before, and the end of the body with the dot and the next message's commands. */
  #give(): void {
    const phase = this.#phase
    if (phase._tag !== "sendingBody") return
    const { socket } = this.#session
    const end = phase.body.length - line_end.length
    if (end - phase.sent_bytes <= last_bytes_max) {
      this.#phase = { _tag: "awaitingReply", report: phase.report }
      const ahead = phase.next === undefined ? "" : new SmtpTransaction(this.#session, phase.next).sendAhead()
      return socket.writeTogether(phase.body.subarray(phase.sent_bytes), `.${line_end}${ahead}`)
    }
    const chunk = phase.body.subarray(phase.sent_bytes, Math.min(end, phase.sent_bytes + chunk_bytes))
    phase.sent_bytes += chunk.length
    socket.write(chunk, (error) => {
      if (!error) this.#give()
    })
  }

  /** The reply to the body, or null when the connection ended without one. */
  #replied(reply: Reply | null): void {
    const phase = this.#phase
    if (phase._tag === "sendingBody") {
      // Before the end of the body even a 250 means nothing: the dot is not written, and never will be.
      this.#session.socket.close()
      return this.#end(phase.report, isRefusal(reply) ? refused(reply) : { _tag: "notSent" })
    }
    if (phase._tag !== "awaitingReply") return
    if (reply !== null && isPositive(reply)) return this.#end(phase.report, { _tag: "accepted", reply: reply.text })
    // After a 421 the server disconnects, whatever command it replied to.
    if (!isRefusal(reply) || reply.code === 421) this.#session.socket.close()
    this.#end(phase.report, isRefusal(reply) ? refused(reply) : { _tag: "inDoubt" })
  }

  /** When the time is up, it first reads what has arrived: a process that was stopped may have missed only its reading. */
  #cutAfter(time_ms: number): void {
    this.#timer = setTimeout(() => (this.#lastLook = setImmediate(() => this.cut())), time_ms)
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#lastLook)
  }

  /** Ends the connection in any phase: the server is silent, or the caller was interrupted. */
  cut(): void {
    const phase = this.#phase
    this.#session.socket.close()
    switch (phase._tag) {
      case "awaiting354":
        return this.#refuse(this.#refusal ?? silent)
      case "sendingBody":
        return this.#end(phase.report, { _tag: "notSent" })
      case "awaitingReply":
        return this.#end(phase.report, { _tag: "inDoubt" })
      default:
        this.#done()
    }
  }

  #refuse(why: NotSent): void {
    const session = this.#session
    // After a refusal before the 354 the server still has the sender. A connection without a reply is unusable.
    if (why.code === null || why.code === 421) session.socket.close()
    else session.stale = session.current === this
    this.#done()
    const isTooEarly = this.#isSentAhead && mayBeTooEarly(why)
    if (isTooEarly) session.server.takesAhead = false
    if (this.#resume === undefined) this.#began = why
    // What the server refused because it was sent ahead, it may accept now.
    else if (isTooEarly && !session.socket.destroyed) new SmtpTransaction(session, this.#envelope).start(this.#resume)
    else this.#resume(Effect.fail(why))
  }

  #end(report: (end: Outcome) => void, end: Outcome): void {
    // A server that replied early does not get the rest: the message's memory is reused.
    if (this.#session.socket.isWriting) this.#session.socket.close()
    this.#done()
    report(end)
  }

  #done(): void {
    this.#stopTimer()
    this.#phase = { _tag: "done" }
    if (this.#session.current === this) this.#session.current = undefined
  }
}

/** The message as sent: a second dot before each line that begins with one (RFC 5321 §4.5.2), and CRLF at the end. */
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

/** RFC 6531 §3.1 requires both extensions for addresses beyond ASCII. */
const takesInternational = (extensions: string): boolean =>
  /^250[ -]SMTPUTF8\b/im.test(extensions) && /^250[ -]8BITMIME\b/im.test(extensions)

/** Whether commands that were sent ahead may have failed only because of that. A refused recipient would be refused again. */
const mayBeTooEarly = (why: NotSent): boolean => why.stage !== "recipient" && why.code !== 421 && why !== closed

const notInternational = new NotSent({
  stage: "recipient",
  code: 553,
  reply: "553 5.6.7 The mail server takes no addresses beyond ASCII (it does not offer SMTPUTF8 and 8BITMIME)",
})

const closed = new NotSent({ stage: "connection", code: null, reply: "The connection is closed" })

const silent = new NotSent({ stage: "connection", code: null, reply: "The mail server did not answer in time" })

const outOfStep = new NotSent({ stage: "connection", code: null, reply: "The mail server's replies are out of step" })

/** A complete reply that is no success. Other ends say nothing about the message. */
const isRefusal = (reply: Reply | null): reply is Reply & { readonly code: number } =>
  reply !== null && reply.code !== null && !isPositive(reply)

const refused = ({ code, text }: Reply & { readonly code: number }): Outcome => ({
  _tag: "refused",
  code,
  reply: text,
})
