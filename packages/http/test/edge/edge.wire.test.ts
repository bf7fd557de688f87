// Tests of unusual HTTP: odd methods, long URLs, pipelining, extreme bodies, and requests from browsers.
import { assert, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect } from "effect"
import { listening, raw, rawHead, statusOf } from "../fixtures/Listening.ts"
import { testKey, unknownId } from "../fixtures/World.ts"

const key = `Authorization: Bearer ${testKey}`
const host = "Host: default.pages.test"

const headerSpoofingTest = tagged(it.live, "attack/header-spoofing")
headerSpoofingTest("refuses TRACE and unknown methods without an echo, and answers 431 to very long URLs", () =>
  Effect.gen(function* () {
    const { api, pages } = yield* listening
    for (const port of [api, pages]) {
      for (const method of ["TRACE", "PROPFIND", "OPTIONS", "LINK"]) {
        for (const path of ["/v1/contact-lists", "/", "*"]) {
          const answer = yield* rawHead(port, `${method} ${path} HTTP/1.1`, host, key, "X-Secret: not-echoed")
          assert.include([400, 404, 405], statusOf(answer), `${method} ${path}: ${answer}`)
          assert.notInclude(answer, "not-echoed", method)
        }
      }
      for (const path of [`/${"x".repeat(300_000)}`, `/v1/contact-lists?search=${"x".repeat(300_000)}`]) {
        assert.include([431, 0], statusOf(yield* rawHead(port, `GET ${path} HTTP/1.1`, host, key)))
      }
      assert.strictEqual(statusOf(yield* rawHead(port, `GET /${"x".repeat(17_000)} HTTP/1.1`, host, key)), 431)
    }
  }).pipe(Effect.scoped),
)

const pageScriptTest = tagged(it.live, "attack/page-script", "attack/origins")
pageScriptTest("sends no CORS headers and no cookies", () =>
  Effect.gen(function* () {
    const { api } = yield* listening
    const origin = "Origin: http://default.pages.test"
    const preflight = ["Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization"]
    for (const lines of [
      ["OPTIONS /v1/contacts HTTP/1.1", ...preflight],
      ["GET /v1/contact-lists HTTP/1.1", key],
      ["GET /v1/contact-lists HTTP/1.1", "Cookie: session=a; key=b"],
      ["GET /openapi.json HTTP/1.1"],
      ["POST /v1/contacts HTTP/1.1", "Content-Type: text/plain", "Content-Length: 0"],
    ]) {
      const answer = yield* rawHead(api, ...lines, host, origin)
      assert.notMatch(answer, /^(access-control-|set-cookie)/im, lines[0])
      if (!lines.includes(key) && !lines[0]?.includes("openapi")) assert.isAtLeast(statusOf(answer), 400, lines[0])
    }
  }).pipe(Effect.scoped),
)

/** Ten thousand only in the campaign, because they take some seconds. */
const requests = process.env["ATTACKS"] === "all" ? 10_000 : 500

headerSpoofingTest("answers pipelined requests in order", () =>
  Effect.gen(function* () {
    const { api } = yield* listening
    const request = (id: number, more = "") =>
      `GET /v1/contacts/${unknownId}?${id % 2 === 0 ? "" : "odd=1"} HTTP/1.1\r\n${host}\r\n${key}\r\nX-Request-Id: ${id}\r\n${more}\r\n`
    const all = Array.from({ length: requests }, (_, id) =>
      request(id, id === requests - 1 ? "Connection: close\r\n" : ""),
    )
    const answers = yield* raw(api, all.join(""))
    const reported = [...answers.matchAll(/HTTP\/1\.1 (\d{3}) [\s\S]*?"request_id":"(\d+)"/g)]
    assert.deepStrictEqual(
      reported.map(([, status, id]) => [Number(status), Number(id)]),
      all.map((_, id) => [id % 2 === 0 ? 404 : 400, id]),
    )
  }).pipe(Effect.scoped),
)

const jsonBombTest = tagged(it.live, "attack/json-bomb")
jsonBombTest("refuses extreme JSON bodies with a message of limited size", () =>
  Effect.gen(function* () {
    const { api } = yield* listening
    const post = (body: string) =>
      raw(
        api,
        `POST /v1/contact-lists HTTP/1.1\r\n${host}\r\n${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body, "latin1")}\r\nConnection: close\r\n\r\n${body}`,
      )
    const keys = Array.from({ length: 11_000 }, (_, each) => `"k${each}":1`).join()
    const ids = Array<string>(70_000).fill("{}").join()
    for (const [what, body, status] of [
      ["five megabytes of brackets", "[".repeat(5_000_000), 400],
      ["brackets that are closed", `${"[".repeat(2_000_000)}${"]".repeat(2_000_000)}`, 400],
      ["braces", `${'{"a":'.repeat(500_000)}1${"}".repeat(500_000)}`, 400],
      ["a list with too many items", `{"name":"x","kind":"static","contact_ids":[${ids}]}`, 400],
      ["thousands of keys", `{"name":"x","kind":"static",${keys}}`, 400],
      ["a byte order mark twice", "\u00ef\u00bb\u00bf\u00ef\u00bb\u00bf{}", 400],
      ["more than there may be", "[".repeat(5_300_000), 413],
    ] as const) {
      const answer = yield* post(body)
      assert.strictEqual(statusOf(answer), status, `${what}: ${answer.slice(0, 300)}`)
      assert.isBelow(answer.length, 200_000, what)
      if (body.includes("k10999")) assert.match(answer, /The body has more than 1000 unknown keys"/)
      // No item was read.
      if (body.includes("contact_ids")) assert.match(answer, /not valid: contact_ids must have at most 500 ids"/)
    }
  }).pipe(Effect.scoped),
)
