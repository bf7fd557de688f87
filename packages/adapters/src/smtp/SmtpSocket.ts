// The socket of an SMTP client: commands out, complete replies in, in the order of the commands (RFC 5321 §4.2, RFC 2920).
import type { Socket } from "node:net"
import { StringDecoder } from "node:string_decoder"
import { connect as secured, type ConnectionOptions } from "node:tls"

export interface Reply {
  /** Null for a line that is no SMTP reply. */
  readonly code: number | null
  /** All lines, joined by line feeds. */
  readonly text: string
}

/** Receives a reply, or null when the connection ends before it. */
export type Hear = (reply: Reply | null) => void

const reply_length_max = 64 * 1024

export class SmtpSocket {
  #socket: Socket
  readonly #idle_timeout_ms: number
  #decoder = new StringDecoder("utf8")
  #unread = ""
  #lines: Array<string> = []
  readonly #waiting: Array<Hear> = []
  #failure = new Error("The connection was closed")

  constructor(socket: Socket, idle_timeout_ms: number) {
    this.#socket = socket
    this.#idle_timeout_ms = idle_timeout_ms
    this.#listen()
  }

  get destroyed(): boolean {
    return this.#socket.destroyed
  }

  /** Whether written bytes wait for the operating system. */
  get isWriting(): boolean {
    return this.#socket.writableLength > 0
  }

  #listen(): void {
    const socket = this.#socket
    socket.setNoDelay(true).setKeepAlive(true)
    socket.setTimeout(this.#idle_timeout_ms, () => this.close(new Error("The mail server did not answer in time")))
    socket.on("data", (bytes: Buffer) => this.#read(this.#decoder.write(bytes)))
    socket.on("error", (error) => (this.#failure = error))
    // Destroyed, not ended: unwritten bytes must not be flushed.
    socket.on("end", () => socket.destroy())
    socket.on("close", () => {
      for (const hear of this.#waiting.splice(0)) hear(null)
    })
  }

  #read(text: string): void {
    this.#unread += text
    for (let end = this.#unread.indexOf("\n"); end >= 0; end = this.#unread.indexOf("\n")) {
      const line = this.#unread.slice(0, end).replace(/\r$/, "")
      this.#unread = this.#unread.slice(end + 1)
      this.#lines.push(line)
      if (/^\d{3}-/.test(line)) continue
      const lines = this.#lines.splice(0)
      const hear = this.#waiting.shift()
      // A reply without a command: the server is about to disconnect, or is out of step.
      if (hear === undefined) return this.close(new Error("The mail server replied to no command"))
      hear({ code: /^\d{3}(?: |$)/.test(line) ? Number(line.slice(0, 3)) : null, text: lines.join("\n") })
    }
    if (this.#unread.length + this.#lines.length * 80 > reply_length_max) this.close(new Error("An endless reply"))
  }

  /** The next reply that no other caller waits for. */
  hear(hear: Hear): void {
    if (this.destroyed) hear(null)
    else this.#waiting.push(hear)
  }

  write(bytes: Uint8Array | string, written?: (error?: Error | null) => void): void {
    this.#socket.write(bytes, written)
  }

  /** Writes both in one packet, if they fit. */
  writeTogether(first: Uint8Array, second: string): void {
    this.#socket.cork()
    this.#socket.write(first)
    this.#socket.write(second)
    this.#socket.uncork()
  }

  /** Sends a command and waits for its reply; an empty command waits for the greeting. */
  request(command: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.hear((reply) => (reply === null ? reject(this.#failure) : resolve(reply)))
      if (command !== "") this.write(`${command}\r\n`)
    })
  }

  /** Continues over TLS. Bytes received before the encryption are an error: an attacker on the path may have added them. */
  secure(options: ConnectionOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#unread !== "" || this.#lines.length > 0) this.close(new Error("The mail server spoke before TLS"))
      const hear: Hear = () => reject(this.#failure)
      this.hear(hear)
      if (this.destroyed) return
      const plain = this.#socket
      for (const event of ["data", "end", "close", "timeout"]) plain.removeAllListeners(event)
      plain.setTimeout(0)
      this.#decoder = new StringDecoder("utf8")
      this.#socket = secured({ ...options, socket: plain }).once("secureConnect", () => {
        this.#waiting.splice(this.#waiting.indexOf(hear), 1)
        resolve()
      })
      this.#listen()
    })
  }

  /** Closes at once and permanently. */
  close(reason?: Error): void {
    if (reason !== undefined) this.#failure = reason
    this.#socket.destroy()
  }
}
