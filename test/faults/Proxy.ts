// A wire between a process of the service and what it talks to, with somebody at it: it delays, holds back, cuts, refuses,
// and lets one side talk into the void.
import { connect, createServer, type Socket } from "node:net"
import type { Ending } from "../support/Ending.ts"

interface Link {
  readonly near: Socket
  readonly far: Socket
  /** What the far end says is lost. */
  deaf: boolean
}

export class Proxy {
  readonly #links = new Set<Link>()
  #port = 0
  #held = false
  /** Each way, for every packet. */
  delay_ms = 0
  /** Whoever comes new is turned away. */
  refusing = false

  /** A wire to this port of this machine, until all ends. */
  static async to(target_port: number, ending: Ending): Promise<Proxy> {
    const proxy = new Proxy()
    const server = createServer((near) => proxy.#join(near, target_port))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    proxy.#port = address !== null && typeof address === "object" ? address.port : 0
    await ending.with(async () => {
      server.close()
      proxy.cut()
    })
    return proxy
  }

  get port(): number {
    return this.#port
  }

  /** Ends every connection, without a word to either side. Answers how many there were. */
  cut(): number {
    const links = [...this.#links]
    for (const link of links) this.#end(link)
    return links.length
  }

  /** A black hole: nothing gets through any more, and nobody is told. What was said meanwhile arrives when it is opened. */
  hold(): void {
    this.#held = true
    for (const { near, far } of this.#links) for (const socket of [near, far]) socket.pause()
  }

  release(): void {
    this.#held = false
    for (const { near, far } of this.#links) for (const socket of [near, far]) socket.resume()
  }

  /** Of the connection that the far end knows by this port: what the far end says from now on is lost. */
  deafen(port: number): Deafened {
    const link = [...this.#links].find(({ far }) => far.localPort === port)
    if (link === undefined) throw new Error(`no connection goes out from port ${port}`)
    link.deaf = true
    return { cut: () => this.#end(link) }
  }

  #join(near: Socket, target_port: number): void {
    if (this.refusing) return void near.destroy()
    const far = connect({ host: "127.0.0.1", port: target_port })
    const link: Link = { near, far, deaf: false }
    this.#links.add(link)
    this.#pipe(link, near, far)
    this.#pipe(link, far, near)
    if (this.#held) for (const socket of [near, far]) socket.pause()
  }

  #pipe(link: Link, from: Socket, to: Socket): void {
    from.setNoDelay(true)
    from.on("error", () => undefined)
    from.on("close", () => this.#later(() => this.#end(link)))
    from.on("end", () => this.#later(() => to.end()))
    from.on("data", (bytes) => {
      if (link.deaf && from === link.far) return
      this.#later(() => {
        if (to.destroyed || to.write(bytes)) return
        from.pause()
        to.once("drain", () => this.#held || from.resume())
      })
    })
  }

  #later(act: () => void): void {
    if (this.delay_ms > 0) setTimeout(act, this.delay_ms)
    else act()
  }

  /** No reset: a socket that is being shut down can't be, and node then never ends. */
  #end(link: Link): void {
    this.#links.delete(link)
    for (const socket of [link.near, link.far]) socket.destroy()
  }
}

export interface Deafened {
  readonly cut: () => void
}
