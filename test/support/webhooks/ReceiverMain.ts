// The program of `ReceiverProcess`: a server for webhooks. It counts what arrives, or logs every request, and misbehaves on demand.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Behaviour, LoggedRequest, Received, Request } from "./ReceiverProcess.ts"

/** Requests are counted in steps of this time. */
const step_ms = 10
/** By path, then by step. */
const counts = new Map<string, Map<number, { requests: number; events: number }>>()
const log: Array<LoggedRequest> | null = process.env["RECEIVER_LOG"] === "true" ? [] : null
const behaviours = new Map<string, Behaviour>()
/** Requests so far, by path and `webhook-id`. */
const tries = new Map<string, number>()

const eventsIn = (body: string): number => {
  const sequences = body.split('"sequence":').length - 1
  // A batch has a sequence itself.
  return Math.max(1, body.includes('"data":{"events":[') ? sequences - 1 : sequences)
}

const count = (path: string, body: string): void => {
  const steps = counts.get(path) ?? new Map<number, { requests: number; events: number }>()
  counts.set(path, steps)
  const step = Math.floor(Date.now() / step_ms)
  const at = steps.get(step) ?? { requests: 0, events: 0 }
  steps.set(step, { requests: at.requests + 1, events: at.events + eventsIn(body) })
}

const headerOf = ({ headers }: IncomingMessage, name: string): string => String(headers[name] ?? "")

/** What the request meets; null: it is answered. */
const behaviourOf = (path: string, id: string): Behaviour["does"] | null => {
  const behaviour = behaviours.get(path)
  if (behaviour === undefined) return null
  const key = `${path} ${id}`
  const before = tries.get(key) ?? 0
  tries.set(key, before + 1)
  return before < behaviour.times ? behaviour.does : null
}

const misbehave = (does: Behaviour["does"], response: ServerResponse, socket: Socket): void => {
  if (typeof does === "number") {
    response.writeHead(does, does === 302 ? { location: "http://169.254.169.254/" } : {}).end("no")
    return
  }
  switch (does) {
    case "reset":
      socket.resetAndDestroy()
      return
    case "hang":
      return
    case "hang in the head":
      socket.write("HTTP/1.1 200 OK\r\nx-never: ")
      return
    case "garbage":
      socket.end("this is not HTTP\r\n\r\n")
      return
  }
}

const server = createServer((request, response) => {
  const path = request.url ?? ""
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (piece: string) => (body += piece))
  request.on("end", () => {
    count(path, body)
    const id = headerOf(request, "webhook-id")
    const does = behaviourOf(path, id)
    log?.push({
      at_ms: Date.now(),
      path,
      id,
      timestamp: headerOf(request, "webhook-timestamp"),
      signature: headerOf(request, "webhook-signature"),
      body,
      answered: does === null,
    })
    if (does === null) response.writeHead(204).end()
    else misbehave(does, response, request.socket)
  })
})

const received = (): ReadonlyArray<Received> =>
  [...counts].flatMap(([path, steps]) => [...steps].map(([step, at]) => ({ at_ms: step * step_ms, path, ...at })))

process.on("message", ({ behave, reset = false, wants = "counts" }: Request) => {
  process.send?.(`received ${JSON.stringify(wants === "log" ? log : received())}`)
  if (behave !== undefined) behaviours.set(behave.path, behave)
  if (!reset) return
  counts.clear()
  behaviours.clear()
  tries.clear()
  log?.splice(0)
})
process.once("disconnect", () => process.exit(0))
server.keepAliveTimeout = 60_000
server.listen(0, "127.0.0.1", () => process.send?.(`port ${(server.address() as AddressInfo).port}`))
