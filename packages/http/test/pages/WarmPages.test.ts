// Tests of the fast path for cached pages.
import { withFastPath } from "@tentpole/http/edge/FastPath"
import { type Visit, warmPages } from "@tentpole/http/pages/WarmPages"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import { listening, published, rawHead } from "../fixtures/Listening.ts"

const browser = "User-Agent: Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0"

it.live("the fast path and the router return identical bytes", () =>
  Effect.gen(function* () {
    const { context, pages, workspace } = yield* listening
    const unpublish = yield* Effect.provide(published(workspace, "bakery"), context)
    const host = `Host: default.pages.test:${pages}`
    const asked = (path: string, method: string, more: ReadonlyArray<string>) =>
      rawHead(pages, `${method} ${path} HTTP/1.1`, host, browser, ...more)
    const etag = /^etag: (.*)\r$/im.exec(yield* asked("/bakery", "GET", []))?.[1] ?? "none"
    for (const [status, method, ...more] of [
      ["200", "GET"],
      ["200", "GET", "Accept-Encoding: gzip"],
      ["200", "GET", "Accept-Encoding: gzip, deflate, br"],
      ["200", "GET", "Accept-Encoding: br;q=0"],
      ["304", "GET", `If-None-Match: ${etag}`],
      ["200", "GET", 'If-None-Match: "another"'],
      ["403", "GET", "Service-Worker: script"],
      ["200", "HEAD"],
      ["405", "POST", "Content-Length: 0"],
    ] as const) {
      const what = [method, ...more].join(" ")
      const ready = yield* asked("/bakery", method, more)
      // A query string disables the fast path.
      assert.strictEqual(ready, yield* asked("/bakery?from=somewhere", method, more), what)
      assert.match(ready, new RegExp(`^HTTP/1.1 ${status} `), what)
    }
    yield* Effect.provide(unpublish, context)
    assert.match(yield* asked("/bakery", "GET", []), /^HTTP\/1.1 404 /)
  }).pipe(Effect.scoped),
)

/** A server whose router answers `routed`, with the given page cache. */
const behind = (visit: Visit) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const routed = createServer((_, response) => response.end("routed"))
      withFastPath(routed, warmPages(visit)).listen(0, "127.0.0.1", () => {
        const address = routed.address()
        const port = address !== null && typeof address === "object" ? address.port : 0
        resume(Effect.succeed({ port, close: () => void routed.close() }))
      })
    }),
    ({ close }) => Effect.sync(close),
  )

const ready = Effect.succeed(HttpServerResponse.text("ready"))

it.live("the fast path answers cached pages and leaves others to the router", () =>
  Effect.gen(function* () {
    let interrupted = 0
    const reading = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted++))
    for (const [expected, visit] of [
      ["ready", () => ready],
      ["routed", () => Effect.succeed(null)],
      ["routed", () => Effect.die("the database is away")],
      ["routed", () => reading],
    ] satisfies ReadonlyArray<readonly [string, Visit]>) {
      const { port } = yield* behind(visit)
      assert.include(yield* rawHead(port, "GET /a HTTP/1.1", "Host: a.test"), `\r\n\r\n${expected}`)
    }
    assert.strictEqual(interrupted, 1, "the fast path does not wait for the router's read")
  }).pipe(Effect.scoped),
)

it.live("the fast path handles only plain GETs of one path segment", () =>
  Effect.gen(function* () {
    const { port } = yield* behind(() => ready)
    const answered = (...lines: ReadonlyArray<string>) =>
      Effect.map(rawHead(port, ...lines), (text) => (text.includes("ready") ? "ready" : "routed"))
    assert.strictEqual(yield* answered("GET / HTTP/1.1", "Host: a.test"), "ready")
    for (const lines of [
      ["GET /a?b HTTP/1.1", "Host: a.test"],
      ["GET /c/token HTTP/1.1", "Host: a.test"],
      ["GET http://a.test/a HTTP/1.1", "Host: a.test"],
      ["HEAD /a HTTP/1.1", "Host: a.test"],
      ["POST /a HTTP/1.1", "Host: a.test", "Content-Length: 0"],
      ["GET /a HTTP/1.1", "Host: a.test", "Content-Length: 0"],
      ["GET /a HTTP/1.1", "Host: a b"],
      ["GET /a HTTP/1.1", "Host: a.test", "Service-Worker: script"],
    ]) {
      assert.strictEqual(yield* answered(...lines), "routed", lines.join(" | "))
    }
  }).pipe(Effect.scoped),
)
