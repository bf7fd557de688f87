// The mail server of the campaign, a process of its own: it outlives whatever is killed, and writes every final dot and every
// reply into a file before the other side can know of it. Its parent tells it its mood.
import { openSync, writeSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { type Act, calm, type Deed, drawn, type Logged, type Mood, replyOf, scripted, type Stage } from "./Script.ts"

const file = openSync(process.env["SINK_LOG"] ?? "", "a")
const log = (line: Logged): void => void writeSync(file, `${JSON.stringify(line)}\n`)
const now_ms = (): number => performance.timeOrigin + performance.now()

let mood: Mood = calm
let dots = 0
const connections = new Set<Conversation>()
/** How often each address came to each stage. */
const tries = new Map<string, number>()

class Conversation {
  readonly #socket: Socket
  #pending = ""
  #from = ""
  #to = ""
  #nth = 0
  #messages = 0
  #inData = false
  /** After silence nothing more is said. */
  #mute = false

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on("error", () => undefined)
    socket.on("close", () => connections.delete(this))
    socket.on("data", (bytes) => this.#read(bytes.toString("latin1")))
    log({ what: "connection", at_ms: now_ms(), to: "" })
    const crowded = connections.size >= mood.connections_max
    if (!crowded) connections.add(this)
    this.#do(crowded ? 421 : mood.greeting, () => this.#say("220 sink.test ESMTP"))
  }

  /** The reply of a mood or script, or what it does instead; `otherwise` when it wants nothing. */
  #do(act: Act | null, otherwise: () => void): void {
    if (act === null) return otherwise()
    switch (act) {
      case "cut":
        return void this.#socket.destroy()
      case "silent":
        this.#mute = true
        return
      case "half":
        return void this.#socket.end("25")
      case "garbage":
        this.#say(`\u0000\u001B[31m what?\u00ff\n250${"x".repeat(70_000)}`)
        return void this.#socket.end()
      default:
        this.#say(replyOf(act))
        if (act === 421) this.#socket.end()
    }
  }

  #say(reply: string): void {
    if (!this.#mute && this.#socket.writable) this.#socket.write(`${reply}\r\n`, "latin1")
  }

  #read(text: string): void {
    this.#pending += text
    for (;;) {
      if (this.#inData && this.#wanted("body") !== undefined) return void this.#socket.destroy()
      const end = this.#pending.indexOf(this.#inData ? "\r\n.\r\n" : "\r\n")
      if (end < 0 || this.#socket.destroyed) return
      const part = this.#pending.slice(0, end)
      this.#pending = this.#pending.slice(end + (this.#inData ? 5 : 2))
      if (this.#inData) {
        this.#inData = false
        this.#dot(part)
      } else this.#command(part)
    }
  }

  #wanted(stage: Stage): Deed | undefined {
    return scripted(this.#to, stage, this.#nth) ?? drawn(mood, this.#to, stage, this.#nth)
  }

  #command(line: string): void {
    switch (line.slice(0, 4).toUpperCase()) {
      case "EHLO":
        return this.#do(mood.ehlo, () =>
          this.#say(
            ["sink.test", ...mood.extensions]
              .map((each, at, all) => `250${at === all.length - 1 ? " " : "-"}${each}`)
              .join("\r\n"),
          ),
        )
      // Whoever is refused an EHLO falls back to it (RFC 5321 §3.2), and fares no better.
      case "HELO":
        return this.#do(mood.ehlo, () => this.#say("250 sink.test"))
      case "AUTH":
        return this.#do(mood.auth, () => this.#say("235 2.7.0 welcome"))
      case "MAIL":
        this.#from = /<(.*)>/.exec(line)?.[1] ?? ""
        this.#to = ""
        if (++this.#messages > mood.messages_max)
          return void this.#socket.end("421 4.7.0 enough for this connection\r\n")
        return this.#do(mood.mail, () => this.#say("250 ok"))
      case "RCPT":
        return this.#recipient(/<(.*)>/.exec(line)?.[1] ?? "")
      case "DATA":
        if (this.#to === "") return this.#say("503 5.5.1 no recipient")
        return this.#do(this.#wanted("data")?.act ?? null, () => {
          this.#inData = true
          this.#say("354 go")
        })
      case "QUIT":
        return void this.#socket.end("221 bye\r\n")
      default:
        this.#to = ""
        return this.#say("250 ok")
    }
  }

  #recipient(to: string): void {
    this.#nth = (tries.get(to) ?? 0) + 1
    tries.set(to, this.#nth)
    log({ what: "recipient", at_ms: now_ms(), to })
    this.#to = to
    const act = this.#wanted("rcpt")?.act ?? null
    if (act !== null) this.#to = ""
    this.#do(act, () => this.#say("250 ok"))
  }

  #dot(message: string): void {
    const nth = ++dots
    const header = (name: string) =>
      new RegExp(`^${name}: *([^]*?)\r\n(?![ \t])`, "im").exec(message)?.[1]?.replace(/\r\n[ \t]+/g, " ") ?? ""
    const messageId = header("Message-ID").replace(/^<|>$/g, "")
    const [delivery = ""] = messageId.split("@")
    const [from, to] = [this.#from, this.#to]
    log({ what: "dot", at_ms: now_ms(), nth, delivery, messageId, from, to, unsubscribe: header("List-Unsubscribe") })
    const { act, after_ms } = this.#wanted("dot") ?? { act: 250, after_ms: mood.pause_ms }
    if (typeof act !== "number") log({ what: "withheld", at_ms: now_ms(), nth })
    const answer = () => {
      // Whoever hung up meanwhile can't be told.
      if (this.#socket.destroyed) return
      if (typeof act === "number") log({ what: "reply", at_ms: now_ms(), nth, code: act })
      this.#do(act, () => undefined)
    }
    if (after_ms > 0) setTimeout(answer, after_ms)
    else answer()
  }
}

process.on("message", (told: Mood) => {
  mood = told
  process.send?.("set")
})
process.once("disconnect", () => process.exit(0))
const server = createServer((socket) => void new Conversation(socket))
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.(`port ${address !== null && typeof address === "object" ? address.port : 0}`)
})
