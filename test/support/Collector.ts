// Collector: receives traces as OTLP over HTTP in JSON, and stores the spans.
import { createServer, type Server } from "node:http"
import { type Json, listening } from "./Service.ts"

export interface Span {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, string | number | boolean>>
}

const valuesOf = (attributes: ReadonlyArray<Attribute>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? ""]))

export class Collector {
  readonly spans: Array<Span> = []
  /** The raw requests. */
  text = ""
  readonly #server: Server
  #port = 0

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
      request.once("end", () => {
        if (request.url === "/v1/traces") this.#take(body)
        response.writeHead(request.url === "/v1/traces" ? 200 : 404).end("{}")
      })
    })
  }

  static async listen(): Promise<Collector> {
    const collector = new Collector()
    collector.#port = await listening(collector.#server)
    return collector
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** The ancestors of a span, from its parent to the first one of another process. */
  above(span: Span): ReadonlyArray<Span> {
    const parent = this.spans.find(({ spanId }) => spanId === span.parentSpanId)
    return parent === undefined ? [] : [parent, ...this.above(parent)]
  }

  #take(body: string): void {
    this.text += body
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      const service = String(valuesOf(resource.attributes)["service.name"])
      for (const { attributes, name, parentSpanId, spanId, traceId } of scopeSpans.flatMap(
        ({ spans }: Json) => spans,
      )) {
        this.spans.push({ service, traceId, spanId, parentSpanId, name, attributes: valuesOf(attributes) })
      }
    }
  }
}
