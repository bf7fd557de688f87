// How long a caller may take over a request. Node knows one time for all of them; files of imports are uploaded over slow
// lines and take longer than anything else may, as long as they come on.
import { upload_lifetime_ms } from "@tentpole/core/imports/Import"
import { uploads_path } from "@tentpole/core/imports/Imports"
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { byHand } from "./RawErrorResponse.ts"
import { type Front, fronted } from "./FastPath.ts"
import { refusedAmbiguity } from "./HostHeader.ts"

export interface Patience {
  /** For the head of a request. */
  readonly head_ms: number
  /** For the body of a request that is no upload. */
  readonly body_ms: number
  /** For the body of an upload as a whole. */
  readonly upload_ms: number
  /** Each time that this has passed, an upload must have come on. */
  readonly upload_step_ms: number
}

export const patience: Patience = {
  head_ms: 15_000,
  body_ms: 300_000,
  upload_ms: upload_lifetime_ms,
  upload_step_ms: 60_000,
}

/** Less than this in a step is no upload, but somebody who holds a connection. */
const upload_step_bytes_min = 1024

export const headers_bytes_max = 16 * 2 ** 10

/**
 * A server that cuts slow callers off. Its keep-alive outlives a load balancer's. `front` looks at what can be read in one way
 * only, before the router does.
 */
export const patientServer = (limits: Patience, front: Front = () => false): Server => {
  /** The last answer on each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>()
  const server = createServer({
    headersTimeout: limits.head_ms,
    // For all requests alike, so that it is the longest; ours is shorter, and kept for each.
    requestTimeout: limits.head_ms + Math.max(limits.body_ms, limits.upload_ms),
    keepAliveTimeout: 65_000,
    maxHeaderSize: headers_bytes_max,
    // Where node would drop the second of two lines, whoever reads the first would not know that there were two.
    joinDuplicateHeaders: true,
    // Refused with the others that name no host, or two.
    requireHostHeader: false,
  })
    .on("request", (request: IncomingMessage, response: ServerResponse) => {
      answers.set(request.socket, response)
      if (hasBody(request)) watch(request, response, limits)
    })
    .on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(error, socket, answers.get(socket)))
  return fronted(server, (request, response) => refusedAmbiguity(request, response) || front(request, response))
}

const tooSlow = "The request came in too slowly. Send it again, in smaller parts if it is large"

/** What node can't read as a request never comes to us: it is refused here, in the words of every other refusal. */
const refuse = (error: NodeJS.ErrnoException, socket: Duplex, last: ServerResponse | undefined): void => {
  const isAnswering = last !== undefined && last.headersSent && !last.writableFinished
  if (error.code === "ECONNRESET" || !socket.writable || isAnswering) return void socket.destroy()
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return end(socket, "headers_too_large", `The request's headers are larger than ${headers_bytes_max / 2 ** 10} KB`)
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return end(socket, "request_timeout", tooSlow)
    default:
      return end(socket, "validation_failed", "This is no HTTP request that can be read")
  }
}

const end = (socket: Duplex, code: ErrorCode, message: string): void => {
  const { headers, json, status, title } = byHand(code, message)
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`${[`HTTP/1.1 ${status} ${title}`, ...head].join("\r\n")}\r\n\r\n${json}`)
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const isUpload = ({ method, url }: IncomingMessage): boolean =>
  method === "PUT" && url?.startsWith(`${uploads_path}/`) === true

const watch = (request: IncomingMessage, response: ServerResponse, limits: Patience): void => {
  const { socket } = request
  const upload = isUpload(request)
  const step_ms = upload ? limits.upload_step_ms : limits.body_ms
  const steps_max = upload ? Math.ceil(limits.upload_ms / limits.upload_step_ms) : 1
  let steps = 0
  let read_bytes = socket.bytesRead
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer)
    const stands = socket.bytesRead - read_bytes < upload_step_bytes_min
    read_bytes = socket.bytesRead
    if (++steps >= steps_max || stands) cutOff(request, response)
  }, step_ms).unref()
  request.once("close", () => clearInterval(timer))
}

const cutOff = ({ socket }: IncomingMessage, response: ServerResponse): void => {
  if (!response.headersSent) end(socket, "request_timeout", tooSlow)
  // Who drips would go on dripping into a connection that is closed on our side only.
  socket.destroySoon()
}
