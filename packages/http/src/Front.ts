// What looks at a request before the router hears of it.
import { Effect } from "effect"
import { IncomingMessage, type Server, ServerResponse } from "node:http"

/** Looks at a request first: true when it is answered. */
export type Front = (request: IncomingMessage, response: Answering) => boolean

export type Answering = ServerResponse<IncomingMessage>

/** Stands open from when the pages are there to when they end. */
export class FrontDoor {
  #front: Front | null = null

  readonly answers: Front = (request, response) => this.#front?.(request, response) ?? false

  readonly openFor = (front: Front) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        this.#front = front
      }),
      () =>
        Effect.sync(() => {
          this.#front = null
        }),
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
