// Tests of the Host and Authorization headers and of paths, on both origins.
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { tagged } from "@tentpole/core/contract"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { listening, listeningOn, published, raw, rawHead, statusOf } from "../fixtures/Listening.ts"
import { postgresWorld } from "../fixtures/PostgresWorld.ts"
import { testKey } from "../fixtures/World.ts"

const key = `Authorization: Bearer ${testKey}`

const foreignHostTest = tagged(it.live, "attack/foreign-host", "attack/malformed-http")
foreignHostTest("both origins refuse several hosts, no host and absolute URLs, also for cached pages", () =>
  Effect.gen(function* () {
    const { api, context, pages, workspace } = yield* listening
    yield* Effect.provide(published(workspace, "bakery"), context)
    const good = "Host: default.pages.test"
    for (const [port, path] of [
      [api, "/v1/tents"],
      [pages, "/bakery"],
    ] as const) {
      const get = (...lines: ReadonlyArray<string>) => rawHead(port, `GET ${path} HTTP/1.1`, key, ...lines)
      // The page is cached from here on.
      assert.deepStrictEqual([statusOf(yield* get(good)), statusOf(yield* get(good))], [200, 200])
      for (const [what, answer] of [
        ["two hosts", yield* get(good, "Host: other.pages.test")],
        ["two hosts, the other first", yield* get("Host: other.pages.test", good)],
        ["one host twice", yield* get(good, good)],
        ["two in one line", yield* get(`${good}, default.pages.test`)],
        ["no host", yield* get()],
        ["an absolute form", yield* rawHead(port, `GET http://default.pages.test${path} HTTP/1.1`, key, good)],
        ["of another host", yield* rawHead(port, `GET http://other.pages.test${path} HTTP/1.1`, key, good)],
        ["neither path nor address", yield* rawHead(port, "OPTIONS default.pages.test HTTP/1.1", key, good)],
      ] as const) {
        assert.strictEqual(statusOf(answer), 400, `${what}: ${answer}`)
        const { details, error_code } = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))
        assert.strictEqual(error_code, "validation_failed", what)
        assert.include(answer, `X-Request-Id: ${details.request_id}\r\n`, what)
      }
      // The refused request closes its connection, so that what follows is ignored.
      const pair = `GET ${path} HTTP/1.1\r\n${good}\r\n${good}\r\n\r\nGET ${path} HTTP/1.1\r\n${key}\r\n${good}\r\n\r\n`
      assert.strictEqual((yield* raw(port, pair)).match(/HTTP\/1\.1 /g)?.length, 1)
    }
  }).pipe(Effect.scoped),
)

const malformedCredentialsTest = tagged(it.live, "attack/malformed-credentials")
malformedCredentialsTest("refuses requests with two Authorization headers", () =>
  Effect.gen(function* () {
    const { api } = yield* listening
    const get = (...lines: ReadonlyArray<string>) =>
      Effect.map(rawHead(api, "GET /v1/tents HTTP/1.1", "Host: api.test", ...lines), statusOf)
    assert.strictEqual(yield* get(key), 200)
    const wrong = "Authorization: Bearer unknown"
    for (const lines of [
      [key, wrong],
      [wrong, key],
      [key, key],
      [`Authorization: Bearer ${"x".repeat(15_000)}`],
      ["Authorization: Bearer \xe9"],
      [`Authorization: Bearer  x`],
    ]) {
      assert.strictEqual(yield* get(...lines), 401, lines.join(" | ").slice(0, 100))
    }
  }).pipe(Effect.scoped),
)

const foreignHostTooTest = tagged(it.live, "attack/foreign-host")
foreignHostTooTest("serves the same alias of two workspaces on their own hosts, also from the cache", () =>
  Effect.gen(function* () {
    const { context, pages, workspace } = yield* listeningOn(postgresWorld)
    const own = "www.example-of-b.test"
    const arranged = Effect.gen(function* () {
      const other = yield* (yield* Workspaces).create({ name: "Other", slug: "other", plan: "max", credits: 9 })
      yield* (yield* Administration).addPageDomain(other.id, own)
      yield* published(workspace, "bakery", "bread")
      yield* published(other.id, "bakery", "tea")
      yield* published(workspace, "mine", "cakes")
    })
    yield* Effect.provide(arranged, context)
    const get = (host: string, path: string) => rawHead(pages, `GET ${path} HTTP/1.1`, `Host: ${host}`)
    for (const time of ["cold", "warm"]) {
      const [a, b] = [yield* get("default.pages.test", "/bakery"), yield* get("other.pages.test", "/bakery")]
      assert.deepStrictEqual([statusOf(a), statusOf(b)], [200, 200], time)
      assert.match(a, /bread/i, time)
      assert.match(b, /tea/i, time)
      for (const host of [own, "OTHER.pages.test", "other.pages.test.", `other.pages.test:${pages}`, `${own}.:80`]) {
        const answer = yield* get(host, "/bakery")
        assert.strictEqual(answer.slice(answer.indexOf("\r\n\r\n")), b.slice(b.indexOf("\r\n\r\n")), `${time} ${host}`)
      }
      assert.strictEqual(statusOf(yield* get("default.pages.test", "/mine")), 200, time)
      for (const host of [
        "other.pages.test",
        own,
        "unknown.pages.test",
        "pages.test",
        "127.0.0.1",
        "[::1]",
        "",
        "a b",
      ]) {
        assert.strictEqual(statusOf(yield* get(host, "/mine")), 404, `${time} "${host}"`)
      }
    }
  }).pipe(Effect.scoped),
)

const pathTraversalTest = tagged(it.live, "attack/path-traversal")
pathTraversalTest("answers 400 or 404 to path traversal, NUL and broken escapes, with and without the fast path", () =>
  Effect.gen(function* () {
    const { api, context, pages, workspace } = yield* listening
    yield* Effect.provide(published(workspace, "bakery"), context)
    yield* rawHead(pages, "GET /bakery HTTP/1.1", "Host: default.pages.test")
    for (const path of [
      "/%00",
      "/bakery%00",
      "/%E0%A4%A",
      "/%",
      "/../../etc/passwd",
      "/..%2f..%2fetc%2fpasswd",
      "/..%5c..%5cetc",
      "/./bakery",
      "/x/../bakery",
      "//default.pages.test/bakery",
      "/\\bakery",
      "/t/../bakery",
      "/f/..%2f/x",
      "/v1/tents/%00",
      "/v1/tents/%E0%A4%A",
      "/v1/tents/..%2f..%2f..%2fetc%2fpasswd/content",
      "/v1/../v1/tents",
      "/uploads/..%2f..%2fetc%2fpasswd",
      "/downloads/%00",
      `/${"a/".repeat(5_000)}`,
    ]) {
      for (const port of [api, pages]) {
        const answer = yield* rawHead(port, `GET ${path} HTTP/1.1`, key, "Host: default.pages.test")
        const origin = port === api ? "API" : "pages"
        assert.include([400, 403, 404], statusOf(answer), `${origin} ${path.slice(0, 60)}: ${answer.slice(0, 200)}`)
      }
    }
  }).pipe(Effect.scoped),
)
