// A local server with the wire formats of AI providers, and requests to it.
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Ai, type EmailRequest, type PageRequest } from "@tentpole/core/ports/Ai"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Provider, Seen } from "./Providers.ts"

export interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  /** Sent as JSON, or unchanged if it is text. */
  readonly body?: unknown
  /** Server-sent events, written one after the other. */
  readonly events?: ReadonlyArray<string>
  /** The connection breaks after the body or the events. */
  readonly ending?: "breaks"
}

/** The workspace of all requests. */
export const workspace = WorkspaceId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11")

const piece_bytes = 37

/** A scoped server that sends these replies in order and repeats the last one. */
export const server = (...replies: ReadonlyArray<Reply>) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly baseUrl: string; readonly seen: Array<Seen>; readonly close: () => void }>((resume) => {
      const seen: Array<Seen> = []
      const http = createServer((request, response) => {
        let text = ""
        request.setEncoding("utf8").on("data", (part: string) => (text += part))
        request.on("end", () => {
          const reply = replies[Math.min(seen.length, replies.length - 1)] ?? { body: "" }
          seen.push({ url: request.url ?? "", headers: request.headers, body: JSON.parse(text) })
          const type = reply.events === undefined ? "application/json" : "text/event-stream; charset=utf-8"
          response.writeHead(reply.status ?? 200, { "content-type": type, ...reply.headers })
          if (reply.body !== undefined)
            response.write(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body))
          // A piece may end within an event and within a character.
          const bytes = Buffer.from((reply.events ?? []).join(""))
          for (let at = 0; at < bytes.length; at += piece_bytes) response.write(bytes.subarray(at, at + piece_bytes))
          if (reply.ending === "breaks") return setImmediate(() => request.socket.destroy())
          response.end()
        })
      })
      http.listen(0, "127.0.0.1", () => {
        const { port } = http.address() as AddressInfo
        const close = () => {
          http.closeAllConnections()
          http.close()
        }
        resume(Effect.succeed({ baseUrl: `http://127.0.0.1:${port}/v1`, seen, close }))
      })
    }),
    ({ close }) => Effect.sync(close),
  )

export const html = "<!doctype html><html><body><h1>Hi</h1></body></html>"
export const request: PageRequest = { prompt: "a page", name: "N", brand: null, template: null }

export const emailRequest: EmailRequest = { prompt: "an email", name: "N", brand: null, basis: null }
export const email = `<!DOCTYPE html><html><body><h1>Hi {{contact.first_name|there}}</h1></body></html>`

/** Requests to a provider that sends these replies. */
export const asking = (provider: Provider) => {
  /** The result of a page request when the server sends these replies. */
  const ask = Effect.fnUntraced(function* (...replies: ReadonlyArray<Reply>) {
    const { baseUrl, seen } = yield* server(...replies)
    const options = { apiKey: Redacted.make("key-1"), baseUrl, model: "m-1", retryFrom_ms: 5 }
    const ai = yield* Effect.provide(Ai, provider.layer(options).pipe(Layer.provide(FetchHttpClient.layer)))
    return { ai, seen }
  })
  const refusal = Effect.fnUntraced(function* (...replies: ReadonlyArray<Reply>) {
    const { ai, seen } = yield* ask(...replies)
    const error = yield* Effect.flip(ai.generatePage(workspace, request))
    return { tag: error._tag, reason: error.reason, times: seen.length }
  })
  return { ask, refusal }
}
