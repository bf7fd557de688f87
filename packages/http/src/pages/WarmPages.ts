// Pages that lie ready, past the router: it costs a visit twice what the visit itself does. What is asked for otherwise, or is
// not ready, goes on to the router, whose answer to the same request is the same.
import { readHost } from "@tentpole/core/tents/PageAddress"
import { Effect, Exit, Fiber } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import type { Answering, Front } from "../Front.ts"

/** Finds a page and takes note of its visit; null where there is none. */
export type Visit = (
  host: string,
  path: string,
  request: IncomingMessage,
) => Effect.Effect<HttpServerResponse.HttpServerResponse | null>

/** A visit that would have to wait for anything is left to the router. */
export const warmPages =
  (visit: Visit): Front =>
  (request, response) => {
    const { headers, method, url: path = "" } = request
    if (method !== "GET" || !isPagePath(path) || isMore(request)) return false
    const host = readHost(headers.host ?? "")
    if (host === null) return false
    const fiber = Effect.runFork(visit(host, path, request))
    const exit = fiber.pollUnsafe()
    if (exit === undefined) {
      Effect.runFork(Fiber.interrupt(fiber))
      return false
    }
    if (Exit.isFailure(exit) || exit.value === null) return false
    write(response, exit.value)
    return true
  }

/** One segment without a query: other addresses are of other rooms as well. */
const isPagePath = (path: string): boolean => path.charCodeAt(0) === slash && !/[/?#]/.test(path.slice(1))
const slash = 0x2f

/** Whoever installs something, brings something, or wants another protocol, is no mere visitor. */
const isMore = ({ headers }: IncomingMessage): boolean =>
  headers["service-worker"] !== undefined ||
  headers["transfer-encoding"] !== undefined ||
  headers["content-length"] !== undefined ||
  headers.expect !== undefined ||
  headers.upgrade !== undefined

const write = (to: Answering, { body, headers, status }: HttpServerResponse.HttpServerResponse): void => {
  to.writeHead(status, headers)
  if (body._tag === "Uint8Array") to.end(body.body)
  else to.end()
}
