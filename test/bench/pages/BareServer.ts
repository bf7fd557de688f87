// The program of a bare server: node:http answers every request with the same bytes and headers, which are its first message.
import { once } from "node:events"
import { createServer } from "node:http"
import { listening } from "../../support/Service.ts"

export interface Answer {
  readonly headers: Readonly<Record<string, string>>
  /** In base64. */
  readonly body: string
}

const [answer] = await once(process, "message")
const { headers, body }: Answer = answer
const bytes = Buffer.from(body, "base64")
const server = createServer((_, response) => {
  response.writeHead(200, headers)
  response.end(bytes)
})
process.send?.(`port ${await listening(server)}`)
process.once("disconnect", () => process.exit(0))
