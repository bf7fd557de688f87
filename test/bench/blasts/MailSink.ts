// The mail server of the benchmark, a process of its own: it takes every message, keeps none, and counts what came when for
// which domain. It looks at as few bytes as it can, so that the processors are the sender's.
import { createServer, type Socket } from "node:net"
import type { Arrival, Told } from "./Sink.ts"

/** Arrivals are told in steps of this time. */
const step_ms = 10

let pause_ms = 0
/** By domain, then by the step they came in. */
const arrivals = new Map<string, Map<number, number>>()
let bytes = 0

const arrived = (domain: string): void => {
  const step = Math.floor(Date.now() / step_ms)
  let steps = arrivals.get(domain)
  if (steps === undefined) arrivals.set(domain, (steps = new Map()))
  steps.set(step, (steps.get(step) ?? 0) + 1)
}

const final_dot = "\r\n.\r\n"
/** A message's end may come in two pieces. */
const overlap_bytes = final_dot.length - 1

class Conversation {
  readonly #socket: Socket
  #commands = ""
  #domain = ""
  #inBody = false
  #tail = ""

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on("error", () => undefined)
    socket.on("data", (chunk) => (this.#inBody ? this.#body(chunk) : this.#command(chunk.toString("latin1"))))
    this.#say("220 sink.test ESMTP")
  }

  #say(reply: string): void {
    if (this.#socket.writable) this.#socket.write(`${reply}\r\n`, "latin1")
  }

  /** Whoever sends waits for the reply to its dot: it is the last thing of a chunk. */
  #body(chunk: Buffer): void {
    bytes += chunk.length
    const end = this.#tail + chunk.toString("latin1", Math.max(0, chunk.length - final_dot.length))
    if (!end.endsWith(final_dot)) {
      this.#tail = end.slice(-overlap_bytes)
      return
    }
    this.#inBody = false
    this.#tail = ""
    arrived(this.#domain)
    if (pause_ms > 0) setTimeout(() => this.#say("250 2.0.0 kept"), pause_ms)
    else this.#say("250 2.0.0 kept")
  }

  #command(text: string): void {
    this.#commands += text
    for (;;) {
      const end = this.#commands.indexOf("\r\n")
      if (end < 0) return
      const line = this.#commands.slice(0, end)
      this.#commands = this.#commands.slice(end + 2)
      switch (line.slice(0, 4).toUpperCase()) {
        case "EHLO":
          this.#say("250-sink.test\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SMTPUTF8")
          continue
        case "RCPT":
          this.#domain = line.slice(line.lastIndexOf("@") + 1, line.lastIndexOf(">"))
          this.#say("250 ok")
          continue
        case "DATA":
          this.#inBody = true
          this.#say("354 go on")
          return
        case "QUIT":
          return void this.#socket.end("221 bye\r\n")
        default:
          this.#say("250 ok")
      }
    }
  }
}

const told = (): Told => {
  const all: Array<Arrival> = []
  for (const [domain, steps] of arrivals) {
    for (const [step, count] of steps) all.push({ at_ms: step * step_ms, domain, count })
  }
  const { system, user } = process.cpuUsage()
  return { arrivals: all, bytes, processor_ms: (system + user) / 1000 }
}

process.on("message", (message: { readonly pause_ms?: number; readonly forget?: true }) => {
  pause_ms = message.pause_ms ?? pause_ms
  if (message.forget === true) {
    arrivals.clear()
    bytes = 0
  }
  process.send?.(`told ${JSON.stringify(told())}`)
})
process.once("disconnect", () => process.exit(0))
const server = createServer((socket) => void new Conversation(socket))
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.(`port ${address !== null && typeof address === "object" ? address.port : 0}`)
})
