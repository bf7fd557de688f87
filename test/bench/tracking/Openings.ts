// A process that opens messages at a pace, so that whoever measures does not load the processor itself: reads what it is to ask
// from its standard input, and says when it is done how many a second it reached, and how long they took.
import { connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { spreadOf, type Spread } from "../Timing.ts"

export interface Order {
  readonly port: number
  readonly paths: ReadonlyArray<string>
  readonly per_second: number
  readonly connections: number
}

export interface Outcome {
  readonly answered: number
  readonly per_second: number
  readonly times_ms: Spread
}

const userAgent =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"

/** As much of an answer as tells that it is whole: a pixel has 45 bytes, or so. */
const answer_end = /^content-length: *(\d+)/im

const order: Order = JSON.parse(await text(process.stdin))
const times_ms: Array<number> = []
const began = performance.now()
let turn = 0

/** One connection: asks when the next one is due, or at once if it is late. */
const converse = (socket: Socket): Promise<void> =>
  new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    let asked_ms = 0
    const next = () => {
      const nth = turn++
      const path = order.paths[nth]
      if (path === undefined) {
        socket.destroy()
        return resolve()
      }
      const wait_ms = began + (nth * 1000) / order.per_second - performance.now()
      const ask = () => {
        asked_ms = performance.now()
        socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${order.port}\r\nUser-Agent: ${userAgent}\r\n\r\n`)
      }
      if (wait_ms > 1) setTimeout(ask, wait_ms)
      else ask()
    }
    socket.setNoDelay(true)
    socket.once("error", reject)
    socket.on("data", (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const head = received.indexOf("\r\n\r\n")
      if (head < 0) return
      const length = Number(answer_end.exec(received.toString("latin1", 0, head))?.[1] ?? 0)
      if (received.length < head + 4 + length) return
      if (!received.toString("latin1", 0, 12).endsWith("200")) {
        return reject(new Error(`a pixel was answered ${received.toString("latin1", 0, 12)}`))
      }
      received = received.subarray(head + 4 + length)
      times_ms.push(performance.now() - asked_ms)
      next()
    })
    socket.once("connect", next)
  })

await Promise.all(Array.from({ length: order.connections }, () => converse(connect(order.port, "127.0.0.1"))))
const outcome: Outcome = {
  answered: times_ms.length,
  per_second: times_ms.length / ((performance.now() - began) / 1000),
  times_ms: spreadOf(times_ms),
}
process.stdout.write(JSON.stringify(outcome))
