// Fast paths: handlers that answer simple requests before the router, at a fraction of its cost. A request that no fast path
// answers goes to the router, which gives the same answer.
import { Effect, Exit, Fiber } from "effect"
import type { HttpServerResponse } from "effect/http"
import { IncomingMessage, type Server, ServerResponse } from "node:http"

/** Answers a request, or returns false. */
export type FastPath = (request: IncomingMessage, response: Response) => boolean

type Response = ServerResponse<IncomingMessage>

/** Registry of fast paths. Each is registered for the lifetime of its layer. */
export class FastPaths {
  readonly #paths = new Set<FastPath>()

  readonly answer: FastPath = (request, response) => {
    for (const path of this.#paths) if (path(request, response)) return true
    return false
  }

  readonly register = (path: FastPath) =>
    Effect.acquireRelease(
      Effect.sync(() => this.#paths.add(path)),
      () => Effect.sync(() => this.#paths.delete(path)),
    )
}

/** Makes the server try the fast path before its own listeners. */
export const withFastPath = (server: Server, path: FastPath): Server => {
  const emit = server.emit.bind(server)
  return Object.assign(server, {
    emit: (event: string, ...args: ReadonlyArray<unknown>): boolean => {
      const [request, response] = args
      const answered =
        event === "request" && request instanceof IncomingMessage && isResponse(response) && path(request, response)
      return answered || emit(event, ...args)
    },
  })
}

const isResponse = (value: unknown): value is Response => value instanceof ServerResponse

/** The answer to a request, or null to leave it to the router. */
export type Respond = (request: IncomingMessage) => Effect.Effect<HttpServerResponse.HttpServerResponse | null> | null

/** A fast path for plain GETs. If the effect does not complete synchronously, the router answers the request. */
export const respondSync =
  (respond: Respond): FastPath =>
  (request, response) => {
    if (request.method !== "GET" || !isPlain(request)) return false
    const answering = respond(request)
    if (answering === null) return false
    const fiber = Effect.runFork(answering)
    const exit = fiber.pollUnsafe()
    if (exit === undefined) {
      Effect.runFork(Fiber.interrupt(fiber))
      return false
    }
    if (Exit.isFailure(exit) || exit.value === null) return false
    write(response, exit.value)
    return true
  }

/** Whether the request has no body, no upgrade and no service-worker header. */
const isPlain = ({ headers }: IncomingMessage): boolean =>
  headers["service-worker"] === undefined &&
  headers["transfer-encoding"] === undefined &&
  headers["content-length"] === undefined &&
  headers.expect === undefined &&
  headers.upgrade === undefined

const write = (to: Response, { body, headers, status }: HttpServerResponse.HttpServerResponse): void => {
  to.writeHead(status, headers)
  if (body._tag === "Uint8Array") to.end(body.body)
  else to.end()
}
