// A mail server that keeps what it is sent, and can be told to answer otherwise: the judge of "sent at most once".
import { createServer, type Socket } from "node:net"

export interface Mail {
  readonly from: string
  readonly to: string
  readonly raw: string
  readonly at: number
}

export interface SinkOptions {
  /** Whether it lets everybody log in who tries, with whatever password. */
  readonly login?: boolean
  /** A reply for a recipient instead of 250 at RCPT. */
  readonly refuse?: (to: string) => string | undefined
  /** How long it takes to answer a message. */
  readonly pause_ms?: number
  /** How many messages a second it answers at most, over all connections. */
  readonly per_second_max?: number
}

export interface Sink {
  readonly port: number
  readonly url: string
  /** Every message whose final dot arrived, in order. */
  readonly mails: ReadonlyArray<Mail>
  readonly close: () => Promise<void>
}

interface Session {
  buffer: string
  from: string
  to: string
  data: boolean
}

const after = (ms: number, act: () => void): void => {
  if (ms > 0) setTimeout(act, ms)
  else act()
}

const pathOf = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? ""

const command = (session: Session, socket: Socket, line: string, options: SinkOptions): void => {
  const verb = line.slice(0, 4).toUpperCase()
  const say = (reply: string) => void socket.write(`${reply}\r\n`)
  switch (verb) {
    case "EHLO":
      return say(
        `250-sink\r\n${options.login === true ? "250-AUTH PLAIN\r\n" : ""}250-PIPELINING\r\n250-8BITMIME\r\n250 SMTPUTF8`,
      )
    case "AUTH":
      return say("235 2.7.0 come in")
    case "MAIL":
      session.from = pathOf(line)
      return say("250 ok")
    case "RCPT": {
      session.to = pathOf(line)
      const refusal = options.refuse?.(session.to)
      if (refusal !== undefined) session.to = ""
      return say(refusal ?? "250 ok")
    }
    case "DATA":
      if (session.to === "") return say("503 no recipient")
      session.data = true
      session.buffer = `\r\n${session.buffer}`
      return say("354 go on")
    case "QUIT":
      return void socket.end("221 bye\r\n")
    default:
      return say("250 ok")
  }
}

export const startSink = async (options: SinkOptions = {}): Promise<Sink> => {
  const mails: Array<Mail> = []
  const sockets = new Set<Socket>()
  let free_at = 0

  /** How long the next message waits for its answer. */
  const wait_ms = (): number => {
    const now = performance.now()
    free_at = Math.max(free_at, now) + 1000 / (options.per_second_max ?? Infinity)
    return Math.max(options.pause_ms ?? 0, free_at - now)
  }

  const serve = (socket: Socket): void => {
    const session: Session = { buffer: "", from: "", to: "", data: false }
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => undefined)
    // Replies to pipelined commands are written one by one: none waits for the other to be acknowledged.
    socket.setNoDelay(true)
    socket.write("220 sink\r\n")
    socket.on("data", (chunk) => {
      session.buffer += chunk.toString("latin1")
      for (;;) {
        if (session.data) {
          const end = session.buffer.indexOf("\r\n.\r\n")
          if (end < 0) return
          const raw = session.buffer.slice(2, end + 2).replaceAll("\r\n..", "\r\n.")
          session.buffer = session.buffer.slice(end + 5)
          session.data = false
          mails.push({ from: session.from, to: session.to, raw, at: Date.now() })
          after(wait_ms(), () => void socket.write("250 2.0.0 kept\r\n"))
          continue
        }
        const end = session.buffer.indexOf("\r\n")
        if (end < 0) return
        const line = session.buffer.slice(0, end)
        session.buffer = session.buffer.slice(end + 2)
        command(session, socket, line, options)
      }
    })
  }

  const server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    mails,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
