// Proxy: a TCP proxy that delays, holds back, cuts and refuses connections, or loses what one side sends.
import { connect, createServer, type Socket } from "node:net"
import type { Ending } from "../support/Ending.ts"
import { listening } from "../support/Service.ts"

interface Link {
  readonly near: Socket
  readonly far: Socket
  /** Drops what the far end sends. */
  deaf: boolean
}

/** What happens to the next connection whose client sends this text. */
interface Ambush {
  readonly text: string
  /** Whether the text still arrives: then only its answer is lost. */
  readonly arrives: boolean
  readonly met: () => void
}

export class Proxy {
  readonly #links = new Set<Link>()
  /** Of new connections. */
  target_port: number
  #port = 0
  #frozen = false
  /** In each direction, for every packet. */
  delay_ms = 0
  /** New connections are refused. */
  refusing = false
  #ambush: Ambush | undefined

  private constructor(target_port: number) {
    this.target_port = target_port
  }

  /** Creates a proxy to this local port, which runs until `ending`. */
  static async to(target_port: number, ending: Ending): Promise<Proxy> {
    const proxy = new Proxy(target_port)
    const server = createServer((near) => proxy.#join(near))
    proxy.#port = await listening(server)
    await ending.with(async () => {
      server.close()
      proxy.cut()
    })
    return proxy
  }

  get port(): number {
    return this.#port
  }

  /** Ends every connection without a goodbye; returns how many there were. */
  cut(): number {
    const links = [...this.#links]
    for (const link of links) this.#end(link)
    return links.length
  }

  /** Delays all bytes, in both directions, until `release`. */
  hold(): void {
    this.#frozen = true
    for (const { near, far } of this.#links) for (const socket of [near, far]) socket.pause()
  }

  release(): void {
    this.#frozen = false
    for (const { near, far } of this.#links) for (const socket of [near, far]) socket.resume()
  }

  /** Drops all further replies on the connection that leaves from this port. */
  deafen(port: number): { readonly cut: () => void } {
    const link = [...this.#links].find(({ far }) => far.localPort === port)
    if (link === undefined) throw new Error(`no connection goes out from port ${port}`)
    link.deaf = true
    return { cut: () => this.#end(link) }
  }

  /** Ends the next connection whose client sends this text, before or after it arrives. Resolves then. */
  ambush(text: string, arrives: boolean): Promise<void> {
    return new Promise((met) => (this.#ambush = { text, arrives, met }))
  }

  disarm(): void {
    this.#ambush = undefined
  }

  #isAmbushed(link: Link, to: Socket, bytes: Buffer): boolean {
    const ambush = this.#ambush
    if (ambush === undefined || to !== link.far || !bytes.includes(ambush.text)) return false
    this.#ambush = undefined
    link.deaf = true
    // The far end has read the text by then.
    if (ambush.arrives) to.write(bytes, () => setTimeout(() => this.#end(link), 50))
    else this.#end(link)
    ambush.met()
    return true
  }

  #join(near: Socket): void {
    if (this.refusing) return void near.destroy()
    const far = connect({ host: "127.0.0.1", port: this.target_port })
    const link: Link = { near, far, deaf: false }
    this.#links.add(link)
    this.#pipe(link, near, far)
    this.#pipe(link, far, near)
    if (this.#frozen) for (const socket of [near, far]) socket.pause()
  }

  #pipe(link: Link, from: Socket, to: Socket): void {
    from.setNoDelay(true)
    from.on("error", () => undefined)
    from.on("close", () => this.#later(() => this.#end(link)))
    from.on("end", () => this.#later(() => to.end()))
    from.on("data", (bytes) => {
      if ((link.deaf && from === link.far) || this.#isAmbushed(link, to, bytes)) return
      this.#later(() => {
        if (to.destroyed || to.write(bytes)) return
        from.pause()
        to.once("drain", () => this.#frozen || from.resume())
      })
    })
  }

  #later(act: () => void): void {
    if (this.delay_ms > 0) setTimeout(act, this.delay_ms)
    else act()
  }

  /** No reset: on a socket that is shutting down, node would never close it. */
  #end(link: Link): void {
    this.#links.delete(link)
    for (const socket of [link.near, link.far]) socket.destroy()
  }
}
