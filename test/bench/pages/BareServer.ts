// The program of a bare server: node:http answers every request with the same bytes and headers, which it reads from its standard
// input. It prints its port.
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

export interface Answer {
  readonly headers: Readonly<Record<string, string>>
  /** In base64. */
  readonly body: string
}

const { headers, body }: Answer = JSON.parse(await text(process.stdin))
const bytes = Buffer.from(body, "base64")

const server = createServer((_, response) => {
  response.writeHead(200, headers)
  response.end(bytes)
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${address !== null && typeof address === "object" ? address.port : 0}\n`)
})
