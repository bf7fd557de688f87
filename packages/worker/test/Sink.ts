// A mail server for tests of sending: it keeps every final dot and every reply it gave, and misbehaves on request.
import { Effect } from "effect"
import { createServer, type AddressInfo, type Socket } from "node:net"

export interface Dot {
  readonly to: string
  readonly messageId: string
  /** Null: none was given. */
  readonly reply: string | null
}

/** What to do when a message is there. `after_ms`: the reply comes late. */
export type Answer = { readonly reply: string; readonly after_ms?: number } | "cut" | "silence"

export interface SinkScript {
  /** The reply to RCPT; null: yes. */
  readonly recipient?: (to: string) => string | null
  readonly dot?: (to: string, nth: number) => Answer
  /** More connections than this are greeted with 421. */
  readonly connections_max?: number
  /** After so many messages on one connection: 421. */
  readonly messages_max?: number
}

export interface Sink {
  readonly port: number
  readonly dots: ReadonlyArray<Dot>
  /** Recipients that were named, whether or not a message followed. */
  readonly named: ReadonlyArray<string>
  readonly open: () => number
}

class Service {
  readonly dots: Array<Dot> = []
  readonly named: Array<string> = []
  readonly sockets = new Set<Socket>()
  readonly #script: SinkScript
  #port = 0

  constructor(script: SinkScript) {
    this.#script = script
  }

  serve(socket: Socket): void {
    const { connections_max = Infinity, messages_max = Infinity } = this.#script
    socket.on("error", () => undefined)
    socket.on("close", () => this.sockets.delete(socket))
    if (this.sockets.size >= connections_max) return void socket.end("421 4.7.0 too many connections\r\n")
    this.sockets.add(socket)
    let pending = ""
    let to = ""
    let messages = 0
    let inData = false
    const say = (line: string) => void (socket.destroyed || socket.write(`${line}\r\n`))
    say("220 sink.test ESMTP")
    const command = (line: string) => {
      switch (line.slice(0, 4).toUpperCase()) {
        case "EHLO":
          return say("250-sink.test\r\n250 PIPELINING")
        case "MAIL":
          to = ""
          if (messages++ >= messages_max) return void socket.end("421 4.7.0 enough for this connection\r\n")
          return say("250 ok")
        case "RCPT": {
          const name = /<(.*)>/.exec(line)?.[1] ?? ""
          this.named.push(name)
          const refusal = this.#script.recipient?.(name) ?? null
          if (refusal === null) to = name
          return say(refusal ?? "250 ok")
        }
        case "DATA":
          inData = to !== ""
          return say(inData ? "354 go" : "503 no recipient")
        case "QUIT":
          return void socket.end("221 bye\r\n")
        default:
          return say("250 ok")
      }
    }
    socket.on("data", (bytes) => {
      pending += bytes.toString("latin1")
      for (;;) {
        const end = inData ? pending.indexOf("\r\n.\r\n") : pending.indexOf("\r\n")
        if (end < 0 || socket.destroyed) return
        const text = pending.slice(0, end)
        pending = pending.slice(end + (inData ? 5 : 2))
        if (inData) {
          inData = false
          this.#dot(socket, to, text, say)
        } else command(text)
      }
    })
  }

  #dot(socket: Socket, to: string, message: string, say: (line: string) => void): void {
    const messageId = /^Message-ID: <(.*)>/im.exec(message)?.[1] ?? ""
    const answer = this.#script.dot?.(to, this.dots.length) ?? { reply: "250 2.0.0 ok" }
    this.dots.push({ to, messageId, reply: typeof answer === "string" ? null : answer.reply })
    if (answer === "cut") socket.destroy()
    else if (answer !== "silence") {
      if (answer.after_ms === undefined) say(answer.reply)
      else setTimeout(() => say(answer.reply), answer.after_ms)
    }
  }

  get port(): number {
    return this.#port
  }

  listen(resume: (service: Service, close: () => void) => void): void {
    const server = createServer((socket) => this.serve(socket))
    server.listen(0, "127.0.0.1", () => {
      this.#port = (server.address() as AddressInfo).port
      resume(this, () => {
        server.close()
        for (const socket of this.sockets) socket.destroy()
      })
    })
  }
}

/** Listens until the scope ends. */
export const sink = (script: SinkScript = {}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly service: Service; readonly close: () => void }>((resume) =>
      new Service(script).listen((service, close) => resume(Effect.succeed({ service, close }))),
    ),
    ({ close }) => Effect.sync(close),
  ).pipe(
    Effect.map(({ service }): Sink => ({
      port: service.port,
      dots: service.dots,
      named: service.named,
      open: () => service.sockets.size,
    })),
  )
