// Tests of `tentpole listen`: the events of a feed arrive at a local program, signed and in order.
import { connect, verifyWebhook } from "@tentpole/client"
import { until } from "@tentpole/core/contract"
import { secretOf } from "@tentpole/core/webhooks/Signature"
import { follow } from "@tentpole/http/cli/commands/webhooks/Listen"
import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { listening } from "../../../fixtures/Listening.ts"
import { testKey } from "../../../fixtures/World.ts"

/** A program that verifies each request. Its answer to the first one is 500. */
const receiver = (secret: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const types: Array<string> = []
      const server = createServer((request, response) => {
        void (async () => {
          let body = ""
          for await (const piece of request) body += String(piece)
          const { type } = await verifyWebhook({ body, headers: request.headers, secrets: [secret] })
          types.push(type)
          response.writeHead(types.length === 1 ? 500 : 204).end()
        })()
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, types, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks` }
    }),
    ({ server }) => Effect.sync(() => server.close().closeAllConnections()),
  )

it.live("sends the events from now on, signed, each once and in order, whatever the program answers", () =>
  Effect.gen(function* () {
    const { api } = yield* listening
    const client = connect({ url: `http://127.0.0.1:${api}`, apiKey: testKey })
    const create = (email: string) => Effect.promise(() => client.contacts.upsert({ payload: { items: [{ email }] } }))
    yield* Effect.promise(() => client.events.list())
    yield* create("before@example.org")
    const key = randomBytes(32)
    const { server, types, url } = yield* receiver(secretOf(key))
    const lines: Array<string> = []
    const say = (line: string): void => void lines.push(line)
    const recorded: Console.Console = { ...console, log: say, error: say }
    const options = { url, key, type: undefined }
    yield* Effect.forkScoped(Effect.provideService(follow(client.events, options), Console.Console, recorded))
    yield* until(() => lines.length === 1)

    yield* create("ann@example.org")
    yield* Effect.promise(() => client.lists.create({ payload: { name: "News", kind: "static" } }))
    yield* until(() => lines.length === 3)
    assert.deepStrictEqual(types, ["contact.created", "list.created"])
    assert.match(lines[1] ?? "", /^\d\d:\d\d:\d\d contact\.created [0-9a-f-]{36}: 500 in \d+ ms$/)
    assert.match(lines[2] ?? "", / list\.created [0-9a-f-]{36}: 204 in \d+ ms$/)

    server.close().closeAllConnections()
    yield* create("late@example.org")
    yield* until(() => lines.length === 4)
    assert.match(lines[3] ?? "", / contact\.created [0-9a-f-]{36}: connect_failed in \d+ ms$/)
  }).pipe(Effect.scoped),
)
