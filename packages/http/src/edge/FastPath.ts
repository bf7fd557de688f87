// What looks at a request before the router hears of it: what can be answered at once costs a part of what the way through the
// router does. Whatever is not answered here the router answers, and the same request the same.
import { Effect, Exit, Fiber } from "effect"
import type { HttpServerResponse } from "effect/http"
import { IncomingMessage, type Server, ServerResponse } from "node:http"

/** Looks at a request first: true when it is answered. */
export type Front = (request: IncomingMessage, response: Answering) => boolean

type Answering = ServerResponse<IncomingMessage>

/** Stands open for each front from when its room is there to when that ends. */
export class FrontDoor {
  readonly #fronts = new Set<Front>()

  readonly answers: Front = (request, response) => {
    for (const front of this.#fronts) if (front(request, response)) return true
    return false
  }

  readonly openFor = (front: Front) =>
    Effect.acquireRelease(
      Effect.sync(() => this.#fronts.add(front)),
      () => Effect.sync(() => this.#fronts.delete(front)),
    )
}

/** The server, whose requests are looked at before anybody hears of them. */
export const fronted = (server: Server, front: Front): Server => {
  const tell = server.emit.bind(server)
  return Object.assign(server, {
    emit: (event: string, ...told: ReadonlyArray<unknown>): boolean => {
      const [request, response] = told
      const answered =
        event === "request" && request instanceof IncomingMessage && isAnswer(response) && front(request, response)
      return answered || tell(event, ...told)
    },
  })
}

const isAnswer = (told: unknown): told is Answering => told instanceof ServerResponse

/** The answer to a request; null: it is another's, or there is none. */
export type AtOnce = (request: IncomingMessage) => Effect.Effect<HttpServerResponse.HttpServerResponse | null> | null

/** A plain GET that is answered without waiting for anything: who would have to wait is left to the router. */
export const atOnce =
  (answer: AtOnce): Front =>
  (request, response) => {
    if (request.method !== "GET" || isMore(request)) return false
    const answering = answer(request)
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

/** Whoever installs something, brings something, or wants another protocol, wants more than to look. */
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
