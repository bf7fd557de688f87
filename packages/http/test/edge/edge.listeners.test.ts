// Tests of the separation of the two listeners.
import { assert, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect } from "effect"
import { request } from "node:http"
import { postmarkCall } from "../fixtures/HookCalls.ts"
import { sent } from "../fixtures/HookWorld.ts"
import { listening, listeningOver, published } from "../fixtures/Listening.ts"
import { testKey } from "../fixtures/World.ts"

/** The status of a GET with the host `default.pages.test` and the API key. */
const get = (port: number, path: string) =>
  Effect.callback<number>((resume) => {
    const headers = { host: `default.pages.test:${port}`, authorization: `Bearer ${testKey}` }
    request({ port, path, headers, host: "127.0.0.1" }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode ?? 0))
    }).end()
  })

const originsTest = tagged(it.live, "attack/origins")
originsTest("the pages' listener serves no API, and the API's listener no pages", () =>
  Effect.gen(function* () {
    const { api, context, pages, workspace } = yield* listening
    yield* Effect.provide(published(workspace, "bakery"), context)
    assert.deepStrictEqual([yield* get(pages, "/bakery"), yield* get(api, "/v1/tents")], [200, 200])
    assert.deepStrictEqual([yield* get(api, "/bakery"), yield* get(pages, "/v1/tents")], [404, 404])
    assert.deepStrictEqual([yield* get(api, "/healthz"), yield* get(pages, "/healthz")], [200, 404])
  }).pipe(Effect.scoped),
)

/** The status of a POST with this number of bytes and no content-length. */
const post = (port: number, path: string, bytes: number, headers: Readonly<Record<string, string>>) =>
  Effect.callback<number>((resume) => {
    const asking = request({ port, path, headers, host: "127.0.0.1", method: "POST" }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode ?? 0))
    })
    asking.on("error", () => resume(Effect.succeed(0)))
    for (let left = bytes; left > 0; left -= 1_000_000) asking.write(" ".repeat(Math.min(left, 1_000_000)))
    asking.end("{}")
  })

it.live("a webhook accepts larger bodies than other endpoints, but only at its secret path", () =>
  Effect.gen(function* () {
    const { context, pathOf } = yield* sent
    const { api, pages } = yield* listeningOver(context)
    const { headers = {} } = postmarkCall({})
    const path = pathOf("postmark")
    assert.strictEqual(yield* post(api, path, 6_000_000, headers), 400, "the body was read, and is not a report")
    assert.strictEqual(yield* post(api, path, 10_000_001, headers), 413)
    assert.strictEqual(yield* post(api, "/hooks/postmark/x", 100, headers), 404)
    assert.strictEqual(yield* post(pages, path, 100, headers), 404, "the pages' origin has no hooks")
  }).pipe(Effect.scoped),
)
