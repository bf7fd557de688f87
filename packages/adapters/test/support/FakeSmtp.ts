// FakeSmtp: a mail server for tests. It stores what it accepts, counts, and misbehaves as its script says.
import { Effect } from "effect"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import {
  type Act,
  type Answer,
  answerOfAddress,
  answerOfChance,
  type Behaviour,
  replyOf,
  type Stage,
  usual,
} from "./FakeSmtpScript.ts"

/** A message whose final dot the server received. */
export interface Message {
  /** From 1, over all connections. */
  readonly nth: number
  readonly at_ms: number
  readonly from: string
  readonly to: string
  /** As Latin-1, without dot stuffing, with its last line end. */
  readonly raw: string
  /** The reply that the server wrote; null: none. */
  reply: string | null
}

export type SmtpEvent =
  | { readonly what: "connection" }
  | { readonly what: "recipient"; readonly to: string }
  | { readonly what: "message"; readonly message: Message }
  /** Reported before the reply is written. */
  | { readonly what: "reply"; readonly message: Message }
  /** The server gives no whole reply, on purpose. */
  | { readonly what: "withheld"; readonly message: Message }

export interface FakeSmtpOptions {
  readonly behaviour?: Partial<Behaviour>
  /** Comes before the address's script and the behaviour; undefined leaves the decision to them. */
  readonly script?: (stage: Stage, envelope: { readonly from: string; readonly to: string }) => Act | Answer | undefined
  /** Messages that are answered each second, over all connections. */
  readonly per_second_max?: number
  /** `counts`: the server stores nothing and follows no script, so that the processor belongs to the sender. */
  readonly keeps?: "everything" | "events" | "counts"
  readonly onEvent?: (event: SmtpEvent) => void
}

/** The value of a header, unfolded; empty where there is none. */
export const headerOf = ({ raw }: Pick<Message, "raw">, name: string): string =>
  new RegExp(`^${name}: *([^]*?)\r\n(?![ \t])`, "im").exec(raw)?.[1]?.replace(/\r\n[ \t]+/g, " ") ?? ""

export const messageIdOf = (message: Pick<Message, "raw">): string =>
  headerOf(message, "Message-ID").replace(/^<|>$/g, "")

const addressIn = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? ""
const final_dot = "\r\n.\r\n"

class Conversation {
  readonly #socket: Socket
  readonly #server: FakeSmtp
  /** A part of a command, or what came while an answer is delayed: a server answers in order. */
  #unread: Buffer = Buffer.alloc(0)
  #isAnswering = false
  #from: string | null = null
  #to = ""
  #attempt = 0
  #messages = 0
  #inBody = false
  /** The message was answered before its body came. */
  #discarding = false
  #body: Array<Buffer> = []
  #tail = Buffer.alloc(0)
  /** After silence the server says nothing more. */
  #mute = false

  constructor(socket: Socket, server: FakeSmtp, crowded: boolean) {
    this.#socket = socket
    this.#server = server
    // Replies to pipelined commands are written one by one; none waits until the one before is acknowledged.
    socket.setNoDelay(true)
    socket.on("error", () => undefined)
    socket.on("data", (chunk) => this.#read(chunk))
    if (crowded) this.#do(421)
    else this.#at("greeting", () => this.#say("220 sink.test ESMTP"))
  }

  #say(reply: string): void {
    if (!this.#mute && this.#socket.writable) this.#socket.write(`${reply}\r\n`, "latin1")
  }

  #do(act: Act): void {
    switch (act) {
      case "cut":
        return void this.#socket.destroy()
      case "silent":
        this.#mute = true
        return
      case "half":
        return void this.#socket.end("25")
      case "half450":
        return void this.#socket.end("450 not a whole li")
      case "halflines":
        return void this.#socket.end("250-first\r\n")
      case "garbage":
        this.#say(`\u0000\u001B[31m what?\u00ff\n250${"x".repeat(70_000)}`)
        return void this.#socket.end()
      default: {
        const reply = replyOf(act) ?? ""
        this.#say(reply)
        if (reply.startsWith("421")) this.#socket.end()
      }
    }
  }

  #wanted(stage: Stage): Answer | undefined {
    const from = this.#from ?? ""
    return this.#server.answer(stage, { from, to: this.#to }, this.#attempt)
  }

  /** Does what the script wants at this stage, else the usual; returns whether it was the usual. */
  #at(stage: Stage, usually: () => void): boolean {
    const wanted = this.#wanted(stage)
    if (wanted === undefined) usually()
    else this.#after(wanted.after_ms, () => this.#do(wanted.act))
    return wanted === undefined
  }

  #after(ms: number, act: () => void): void {
    if (ms <= 0) return act()
    this.#isAnswering = true
    setTimeout(() => {
      this.#isAnswering = false
      act()
      this.#read(Buffer.alloc(0))
    }, ms)
  }

  #read(chunk: Buffer): void {
    this.#unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk])
    let goesOn = true
    while (goesOn && !this.#isAnswering && !this.#mute && this.#socket.writable)
      goesOn = this.#inBody ? this.#readBody() : this.#readCommand()
  }

  /** Returns whether there was a whole command. */
  #readCommand(): boolean {
    const end = this.#unread.indexOf("\r\n")
    if (end < 0) return false
    const line = this.#unread.toString("latin1", 0, end)
    this.#unread = this.#unread.subarray(end + 2)
    this.#command(line)
    return true
  }

  /** Returns whether the message ended. */
  #readBody(): boolean {
    const chunk = this.#unread
    const joined = Buffer.concat([this.#tail, chunk])
    const end = joined.indexOf(final_dot)
    if (this.#server.keeps !== "counts" && !this.#discarding) this.#body.push(chunk)
    if (end < 0) {
      this.#tail = joined.subarray(1 - final_dot.length)
      this.#unread = Buffer.alloc(0)
      return false
    }
    this.#unread = joined.subarray(end + final_dot.length)
    const body = Buffer.concat(this.#body)
      .toString("latin1")
      .slice(0, -this.#unread.length - ".\r\n".length)
    this.#inBody = false
    this.#body = []
    if (this.#unread.length > 0) this.#server.ahead_count++
    if (!this.#discarding) this.#dot(`\r\n${body}`.replaceAll("\r\n.", "\r\n").slice(2))
    return true
  }

  #dot(raw: string): void {
    const message = this.#server.received({ from: this.#from ?? "", to: this.#to, raw })
    const { act, after_ms } = this.#wanted("dot") ?? { act: 250, after_ms: this.#server.pause_ms() }
    const reply = replyOf(act)
    if (reply === undefined) this.#server.onEvent({ what: "withheld", message })
    this.#after(after_ms, () => {
      if (this.#socket.destroyed) return
      if (reply !== undefined) {
        message.reply = reply
        this.#server.onEvent({ what: "reply", message })
      }
      this.#do(act)
    })
  }

  #command(line: string): void {
    const { behaviour } = this.#server
    if (this.#server.keeps === "everything") this.#server.commands.push(line)
    switch (line.slice(0, 4).toUpperCase()) {
      case "EHLO": {
        const lines = ["sink.test", ...behaviour.extensions]
        const reply = lines.map((each, at) => `250${at === lines.length - 1 ? " " : "-"}${each}`).join("\r\n")
        return void this.#at("ehlo", () => this.#say(reply))
      }
      // A client whose EHLO is refused falls back to it (RFC 5321 §3.2), and gets the same answer.
      case "HELO":
        return void this.#at("ehlo", () => this.#say("250 sink.test"))
      case "AUTH":
        return void this.#at("auth", () => this.#say("235 2.7.0 welcome"))
      case "MAIL":
        if (++this.#messages > behaviour.messages_max) return this.#do("421 4.7.0 enough for this connection")
        this.#from = addressIn(line)
        this.#to = ""
        if (!this.#at("mail", () => this.#say("250 ok"))) this.#from = null
        return
      case "RCPT":
        return this.#recipient(addressIn(line))
      case "DATA":
        return this.#data()
      case "QUIT":
        return void this.#socket.end("221 bye\r\n")
      default:
        this.#from = null
        this.#to = ""
        return this.#say("250 ok")
    }
  }

  #recipient(to: string): void {
    this.#attempt = this.#server.named(to)
    if (this.#from === null) return this.#say("503 5.5.1 no sender")
    this.#to = to
    if (!this.#at("rcpt", () => this.#say("250 ok"))) this.#to = ""
  }

  #data(): void {
    if (this.#to === "") return this.#say("503 5.5.1 no recipient")
    this.#inBody = this.#at("data", () => this.#say("354 go"))
    if (!this.#inBody) return
    // A message that is nothing but its final dot follows the line end of the command.
    this.#tail = Buffer.from("\r\n")
    this.#discarding = !this.#at("body", () => undefined)
  }
}

export class FakeSmtp {
  /** Every message whose final dot arrived, in order. */
  readonly messages: Array<Message> = []
  /** Recipients that were named, whether or not a message followed. */
  readonly recipients: Array<string> = []
  readonly commands: Array<string> = []
  connections_count = 0
  /** Messages whose end came with commands of the next one. */
  ahead_count = 0
  behaviour: Behaviour
  readonly keeps: NonNullable<FakeSmtpOptions["keeps"]>
  readonly onEvent: NonNullable<FakeSmtpOptions["onEvent"]>
  readonly #options: FakeSmtpOptions
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #attempts = new Map<string, number>()
  #messages_count = 0
  #served_count = 0
  #free_at_ms = 0

  private constructor(options: FakeSmtpOptions) {
    this.#options = options
    this.behaviour = { ...usual, ...options.behaviour }
    this.keeps = options.keeps ?? "everything"
    this.onEvent = options.onEvent ?? (() => undefined)
    this.#server = createServer((socket) => this.#serve(socket))
  }

  static async start(options: FakeSmtpOptions = {}): Promise<FakeSmtp> {
    const server = new FakeSmtp(options)
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve))
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`
  }

  #serve(socket: Socket): void {
    this.connections_count++
    this.onEvent({ what: "connection" })
    const crowded = this.#served_count >= this.behaviour.connections_max
    if (!crowded) this.#served_count++
    this.#sockets.add(socket)
    socket.on("close", () => {
      this.#sockets.delete(socket)
      if (!crowded) this.#served_count--
    })
    new Conversation(socket, this, crowded)
  }

  /** Undefined: the usual answer. */
  answer(stage: Stage, envelope: { readonly from: string; readonly to: string }, attempt: number): Answer | undefined {
    if (this.keeps === "counts") return undefined
    const own = this.#options.script?.(stage, envelope)
    if (own !== undefined) return typeof own === "object" ? own : { act: own, after_ms: 0 }
    if (stage === "greeting" || stage === "ehlo" || stage === "auth" || stage === "mail") {
      const act = this.behaviour[stage]
      if (act !== null) return { act, after_ms: 0 }
      return stage === "mail" ? answerOfAddress(envelope.from, stage, 1) : undefined
    }
    return answerOfAddress(envelope.to, stage, attempt) ?? answerOfChance(this.behaviour, envelope.to, stage, attempt)
  }

  /** Returns which attempt it is for this address. */
  named(to: string): number {
    if (this.keeps === "counts") return 1
    const attempt = (this.#attempts.get(to) ?? 0) + 1
    this.#attempts.set(to, attempt)
    if (this.keeps === "everything") this.recipients.push(to)
    this.onEvent({ what: "recipient", to })
    return attempt
  }

  received(envelope: Pick<Message, "from" | "to" | "raw">): Message {
    const at_ms = performance.timeOrigin + performance.now()
    const message: Message = { nth: ++this.#messages_count, at_ms, ...envelope, reply: null }
    if (this.keeps === "everything") this.messages.push(message)
    this.onEvent({ what: "message", message })
    return message
  }

  /** How long the next message waits for its answer. */
  pause_ms(): number {
    const now_ms = performance.now()
    this.#free_at_ms = Math.max(this.#free_at_ms, now_ms) + 1000 / (this.#options.per_second_max ?? Infinity)
    return Math.max(this.behaviour.pause_ms, this.#free_at_ms - now_ms)
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      for (const socket of this.#sockets) socket.destroy()
      this.#server.close(() => resolve())
    })
  }
}

/** Listens until the scope ends. */
export const fakeSmtp = (options: FakeSmtpOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => FakeSmtp.start(options)),
    (server) => Effect.promise(() => server.close()),
  )
