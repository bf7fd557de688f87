// Load on an HTTP server from this process. Each connection stays open and sends the next request after each answer. Bare
// sockets take little of the machine.
import { connect, type Socket } from "node:net"
import { type Compared, rateSpreadOf } from "./Timing.ts"

export interface Target {
  readonly port: number
  /** The Host header; the address unless it is set. */
  readonly host?: string
  readonly headers: Readonly<Record<string, string>>
  /** Requested in turn. */
  readonly paths: ReadonlyArray<string>
}

const requestOf = ({ headers, host, port }: Target, path: string): Buffer =>
  Buffer.from(
    [
      `GET ${path} HTTP/1.1`,
      `Host: ${host ?? `127.0.0.1:${port}`}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      "",
      "",
    ].join("\r\n"),
  )

const head_end = "\r\n\r\n"

/** The length of the first answer; undefined while bytes are missing. */
const answerLength = (received: Buffer): number | undefined => {
  const at = received.indexOf(head_end)
  if (at < 0) return undefined
  const head = received.toString("latin1", 0, at)
  if (!head.startsWith("HTTP/1.1 200")) throw new Error(`the server answered ${head.split("\r\n")[0]}`)
  const length = /^content-length: *(\d+)$/im.exec(head)?.[1]
  if (length === undefined) throw new Error("the server answered without Content-Length")
  const whole = at + head_end.length + Number(length)
  return received.length >= whole ? whole : undefined
}

/** One connection, until the time is over; returns the number of answers. */
const converse = (socket: Socket, next: () => Buffer, until_ms: number): Promise<number> =>
  new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    let answers = 0
    const ask = () => void socket.write(next())
    socket.setNoDelay(true)
    socket.once("error", reject)
    socket.once("close", () => reject(new Error("the server closed the connection")))
    socket.on("data", (chunk: Buffer) => {
      try {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        const length = answerLength(received)
        if (length === undefined) return
        received = received.subarray(length)
      } catch (error) {
        reject(error)
        socket.destroy()
        return
      }
      answers++
      if (performance.now() < until_ms) return ask()
      resolve(answers)
      socket.destroy()
    })
    socket.once("connect", ask)
  })

/** Returns the requests a second. */
const load = async (target: Target, connections: number, duration_ms: number): Promise<number> => {
  const requests = target.paths.map((path) => requestOf(target, path))
  let turn = 0
  const next = (): Buffer => requests[turn++ % requests.length] ?? Buffer.alloc(0)
  const began = performance.now()
  const conversations = Array.from({ length: connections }, () =>
    converse(connect(target.port, "127.0.0.1"), next, began + duration_ms),
  )
  const answers = (await Promise.all(conversations)).reduce((sum, each) => sum + each, 0)
  return answers / ((performance.now() - began) / 1000)
}

/** Windows of load on both servers in turn: requests a second. */
export const compareLoads = async (
  targets: { readonly reference: Target; readonly ours: Target },
  options: { readonly connections: number; readonly windows: number; readonly window_ms: number },
) => {
  const all = [targets.reference, targets.ours]
  for (const each of [...all, ...all]) await load(each, options.connections, options.window_ms)
  const seen = { reference: Array.of<number>(), ours: Array.of<number>() }
  for (let window = 0; window < options.windows; window++) {
    for (const which of window % 2 === 0 ? (["reference", "ours"] as const) : (["ours", "reference"] as const)) {
      seen[which].push(await load(targets[which], options.connections, options.window_ms))
    }
  }
  return { reference: rateSpreadOf(seen.reference), ours: rateSpreadOf(seen.ours) } satisfies Compared
}
