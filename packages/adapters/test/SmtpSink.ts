// A mail server that misbehaves as the recipient's address tells it: `cut-after-dot@sink.test`. It keeps what it was told.
import { Effect } from "effect"
import { createServer, type AddressInfo, type Socket } from "node:net"

export interface SeenMessage {
  readonly from: string
  readonly to: string
  readonly body: string
  /** The reply that it was given; null when there was none. */
  reply: string | null
}

export interface Sink {
  readonly port: number
  readonly seen: ReadonlyArray<SeenMessage>
  readonly commands: ReadonlyArray<string>
  readonly connections: () => number
}

export interface SinkOptions {
  readonly greeting?: string
  /** The answer to EHLO, line by line, without codes. */
  readonly extensions?: ReadonlyArray<string>
  readonly auth?: (command: string) => string
}

/** What the script makes of each stage. `cut` closes the connection, `silent` says nothing. */
const scripts: Readonly<Record<string, string>> = {
  "mail-451": "451 4.3.0 later",
  "mail-530": "530 5.7.0 Authentication required",
  "rcpt-450": "450 4.2.1 greylisted",
  "rcpt-550": "550 5.1.1 no such user",
  "data-451": "451 4.3.0 no",
  "data-554": "554 5.7.1 no",
  "dot-421": "421 4.3.2 closing",
  "dot-452": "452 4.2.2 full",
  "dot-554": "554 5.7.1 spam",
}

class Conversation {
  readonly #socket: Socket
  readonly #sink: { readonly seen: Array<SeenMessage>; readonly commands: Array<string> }
  readonly #options: SinkOptions
  #pending = ""
  #from = ""
  #to = ""
  #inData = false

  constructor(
    socket: Socket,
    sink: { readonly seen: Array<SeenMessage>; readonly commands: Array<string> },
    options: SinkOptions,
  ) {
    this.#socket = socket
    this.#sink = sink
    this.#options = options
    socket.on("error", () => undefined)
    socket.on("data", (bytes) => this.#read(bytes.toString("latin1")))
    this.#say(options.greeting ?? "220 sink.test ESMTP")
  }

  #say(reply: string): void {
    if (!this.#socket.destroyed) this.#socket.write(`${reply}\r\n`)
  }

  #read(text: string): void {
    this.#pending += text
    for (;;) {
      if (this.#inData) {
        if (this.#to.startsWith("cut-in-body")) return void this.#socket.destroy()
        if (this.#to.startsWith("552-in-body")) {
          this.#say("552 5.3.4 too big")
          this.#inData = false
          this.#to = ""
          return
        }
        const end = this.#pending.startsWith(".\r\n") ? 0 : this.#pending.indexOf("\r\n.\r\n")
        if (end < 0) return
        const body = this.#pending.slice(0, end)
        this.#pending = this.#pending.slice(end + (end === 0 ? 3 : 5))
        this.#inData = false
        this.#dot(body)
        continue
      }
      const end = this.#pending.indexOf("\r\n")
      if (end < 0) return
      const line = this.#pending.slice(0, end)
      this.#pending = this.#pending.slice(end + 2)
      this.#sink.commands.push(line)
      this.#command(line)
      if (this.#socket.destroyed) return
    }
  }

  #dot(body: string): void {
    const message: SeenMessage = { from: this.#from, to: this.#to, body, reply: null }
    this.#sink.seen.push(message)
    const answer = (reply: string) => {
      message.reply = reply
      this.#say(reply)
    }
    const name = this.#to.split("@")[0] ?? ""
    if (name === "cut-after-dot") return void this.#socket.destroy()
    if (name === "silent-dot") return
    if (name === "half-250") return void this.#socket.end("25")
    if (name === "half-450") return void this.#socket.end("450 not a whole li")
    if (name === "multi-cut") return void this.#socket.end("250-first\r\n")
    answer(name.startsWith("dot-") ? (scripts[name] ?? "250 ok") : `250 2.0.0 queued ${this.#sink.seen.length}`)
  }

  #stage(stage: string, otherwise: string): void {
    const who = (stage === "mail" ? this.#from : this.#to).split("@")[0] ?? ""
    if (who === `cut-${stage}`) return void this.#socket.destroy()
    if (who === `silent-${stage}`) return
    if (who === `garbage-${stage}`) return this.#say("\u0000\u0001 what?")
    this.#say(who.startsWith(`${stage}-`) ? (scripts[who] ?? otherwise) : otherwise)
  }

  #command(line: string): void {
    const verb = line.slice(0, 4).toUpperCase()
    switch (verb) {
      case "EHLO":
        return (this.#options.extensions ?? ["sink.test", "PIPELINING"]).forEach((each, at, all) =>
          this.#say(`250${at === all.length - 1 ? " " : "-"}${each}`),
        )
      case "AUTH":
        return this.#say(this.#options.auth?.(line) ?? "503 no")
      case "MAIL":
        this.#from = /<(.*)>/.exec(line)?.[1] ?? ""
        this.#to = ""
        return this.#stage("mail", "250 ok")
      case "RCPT":
        if (this.#from.startsWith("mail-")) return this.#say("503 no sender")
        this.#to = /<(.*)>/.exec(line)?.[1] ?? ""
        return this.#stage("rcpt", "250 ok")
      case "DATA":
        if (this.#to === "" || this.#to.startsWith("rcpt-")) return this.#say("503 no recipient")
        if (/^(data-|cut-data|silent-data|garbage-data)/.test(this.#to)) return this.#stage("data", "354 go")
        this.#inData = true
        this.#say("354 go")
        if (this.#to.startsWith("cut-after-354")) this.#socket.destroy()
        if (this.#to.startsWith("421-while-waiting")) setTimeout(() => this.#socket.end("421 4.4.2 timed out\r\n"), 20)
        if (this.#to.startsWith("250-too-soon")) setTimeout(() => this.#say("250 2.0.0 queued"), 20)
        return
      case "QUIT":
        return void this.#socket.end("221 bye\r\n")
      default:
        this.#from = ""
        this.#to = ""
        return this.#say("250 ok")
    }
  }
}

/** Listens on a port of its own until the scope ends. */
export const sink = (options: SinkOptions = {}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly sink: Sink; readonly close: () => void }>((resume) => {
      const kept = { seen: [] as Array<SeenMessage>, commands: [] as Array<string> }
      const sockets = new Set<Socket>()
      let connections = 0
      const server = createServer((socket) => {
        connections++
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
        new Conversation(socket, kept, options)
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const close = () => {
          server.close()
          for (const socket of sockets) socket.destroy()
        }
        resume(Effect.succeed({ sink: { port, ...kept, connections: () => connections }, close }))
      })
    }),
    ({ close }) => Effect.sync(close),
  ).pipe(Effect.map((made) => made.sink))
