// Timeouts of requests. Node has one timeout for all requests; uploads of import files get more time, as long as they make
// progress.
import { upload_lifetime_ms } from "@tentpole/core/imports/Import"
import { uploads_path } from "@tentpole/core/imports/Imports"
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { rawErrorResponse } from "./RawErrorResponse.ts"
import { type FastPath, withFastPath } from "./FastPath.ts"
import { refuseAmbiguousHost } from "./HostHeader.ts"

export interface RequestTimeouts {
  /** For the head of a request. */
  readonly head_ms: number
  /** For the body of a request other than an upload. */
  readonly body_ms: number
  /** For the body of an upload as a whole. */
  readonly upload_ms: number
  /** In each such period, an upload must make progress. */
  readonly upload_step_ms: number
}

export const requestTimeouts: RequestTimeouts = {
  head_ms: 15_000,
  body_ms: 300_000,
  upload_ms: upload_lifetime_ms,
  upload_step_ms: 60_000,
}

/** The least progress of an upload in one step. */
const upload_step_bytes_min = 1024

export const headers_bytes_max = 16 * 2 ** 10

/** A server with these timeouts. Its keep-alive is longer than that of load balancers. `fastPath` runs before the router. */
export const serverWithTimeouts = (limits: RequestTimeouts, fastPath: FastPath = () => false): Server => {
  /** The last answer on each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>()
  const server = createServer({
    headersTimeout: limits.head_ms,
    // The longest of all; `watch` enforces the shorter one of each request.
    requestTimeout: limits.head_ms + Math.max(limits.body_ms, limits.upload_ms),
    keepAliveTimeout: 65_000,
    maxHeaderSize: headers_bytes_max,
    // Node would drop a repeated header silently.
    joinDuplicateHeaders: true,
    // `HostHeader.ts` refuses requests without a host.
    requireHostHeader: false,
  })
    .on("request", (request: IncomingMessage, response: ServerResponse) => {
      answers.set(request.socket, response)
      if (hasBody(request)) watch(request, response, limits)
    })
    .on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(error, socket, answers.get(socket)))
  return withFastPath(
    server,
    (request, response) => refuseAmbiguousHost(request, response) || fastPath(request, response),
  )
}

const tooSlow = "The request arrived too slowly. Send it again, in smaller parts if it is large"

/** Answers a request that node can't parse, with the same body as other errors. */
const refuse = (error: NodeJS.ErrnoException, socket: Duplex, last: ServerResponse | undefined): void => {
  const isAnswering = last !== undefined && last.headersSent && !last.writableFinished
  if (error.code === "ECONNRESET" || !socket.writable || isAnswering) return void socket.destroy()
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return end(socket, "headers_too_large", `The headers exceed ${headers_bytes_max / 2 ** 10} KB`)
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return end(socket, "request_timeout", tooSlow)
    default:
      return end(socket, "validation_failed", "The request is not valid HTTP")
  }
}

const end = (socket: Duplex, code: ErrorCode, message: string): void => {
  const { headers, json, status, title } = rawErrorResponse(code, message)
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`${[`HTTP/1.1 ${status} ${title}`, ...head].join("\r\n")}\r\n\r\n${json}`)
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const isUpload = ({ method, url }: IncomingMessage): boolean =>
  method === "PUT" && url?.startsWith(`${uploads_path}/`) === true

const watch = (request: IncomingMessage, response: ServerResponse, limits: RequestTimeouts): void => {
  const { socket } = request
  const upload = isUpload(request)
  const step_ms = upload ? limits.upload_step_ms : limits.body_ms
  const steps_max = upload ? Math.ceil(limits.upload_ms / limits.upload_step_ms) : 1
  let steps = 0
  let read_bytes = socket.bytesRead
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer)
    const isStalled = socket.bytesRead - read_bytes < upload_step_bytes_min
    read_bytes = socket.bytesRead
    if (++steps >= steps_max || isStalled) cutOff(request, response)
  }, step_ms).unref()
  request.once("close", () => clearInterval(timer))
}

const cutOff = ({ socket }: IncomingMessage, response: ServerResponse): void => {
  if (!response.headersSent) end(socket, "request_timeout", tooSlow)
  // Destroy the socket: after `end` a slow sender could keep writing.
  socket.destroySoon()
}
