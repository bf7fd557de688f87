// Tests of the caller of webhooks against real receivers: what is sent, answers of all kinds, and addresses that are refused.
import { layer, type WebhookCallerOptions } from "@tentpole/adapters/webhooks/HttpWebhookCaller"
import { until } from "@tentpole/core/contract"
import { parseNetwork } from "@tentpole/core/webhooks/NetworkAddress"
import {
  answer_body_bytes_max,
  type WebhookCall,
  WebhookCaller,
} from "@tentpole/core/webhooks/deliveries/WebhookCaller"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readFileSync } from "node:fs"
import { createServer as createSecureServer } from "node:https"
import { createServer, type AddressInfo, type Server, type Socket } from "node:net"
import { gzipSync } from "node:zlib"

const loopback = parseNetwork("127.0.0.0/8") ?? assert.fail()
const fixture = (name: string) =>
  readFileSync(new URL(`../../../../test/fixtures/webhooks/${name}`, import.meta.url), "utf8")

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

interface Receiver {
  readonly port: number
  /** What each connection has sent. */
  readonly received: Array<string>
}

/** A receiver that answers each request by `answer`, once the request has arrived. */
const receiver = (answer: (socket: Socket, request: string) => void) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const sockets = new Set<Socket>()
        const received: Array<string> = []
        const server = createServer((socket) => {
          sockets.add(socket)
          const nth = received.push("") - 1
          socket.on("error", () => undefined)
          socket.on("data", (piece) => {
            received[nth] += piece.toString("latin1")
            const request = received[nth]?.slice(received[nth].lastIndexOf("POST ")) ?? ""
            if (request.endsWith("}")) answer(socket, request)
          })
        })
        return { server, sockets, port: await listening(server), received }
      }),
      ({ server, sockets }) =>
        Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        }),
    ),
    ({ port, received }): Receiver => ({ port, received }),
  )

const ok = "HTTP/1.1 204 No Content\r\n\r\n"
const answering = (text: string | Buffer) => receiver((socket) => socket.write(text))

const called = (url: string, options: Partial<WebhookCallerOptions> = {}, more: Partial<WebhookCall> = {}) =>
  WebhookCaller.use(({ call }) =>
    call({
      endpoint: "e",
      connections_max: 1,
      url,
      headers: { "content-type": "application/json" },
      body: "{}",
      ...more,
    }),
  ).pipe(Effect.provide(layer({ exceptions: [loopback], timeout_ms: 20_000, ownPorts: new Set(), ...options })))

const resultOf = (url: string, options: Partial<WebhookCallerOptions> = {}) =>
  Effect.map(called(url, options), ({ error, statusCode }) => [statusCode, error])

const at = ({ port }: Receiver, path = "/") => `http://127.0.0.1:${port}${path}`
const resultBy = (text: string | Buffer, options: Partial<WebhookCallerOptions> = {}) =>
  Effect.scoped(Effect.flatMap(answering(text), (to) => resultOf(at(to), options)))

describe("HttpWebhookCaller", () => {
  it.live("sends the bytes of the body with their length, and the headers of the call", () =>
    Effect.gen(function* () {
      const to = yield* answering(ok)
      const body = '{"a":"é"}'
      const headers = { "content-type": "application/json", "user-agent": "Tentpole-Webhooks/1", "x-a": "b" }
      const answer = yield* called(at(to, "/hooks?a=b%20c"), {}, { body, headers })
      assert.deepInclude(answer, { statusCode: 204, error: null, retryAfter_s: null, snippet: "" })
      const [head = "", sent] = to.received[0]?.split("\r\n\r\n") ?? []
      assert.strictEqual(Buffer.from(sent ?? "", "latin1").toString("utf8"), body)
      assert.sameMembers(head.split("\r\n"), [
        "POST /hooks?a=b%20c HTTP/1.1",
        `host: 127.0.0.1:${to.port}`,
        "connection: keep-alive",
        "content-type: application/json",
        "user-agent: Tentpole-Webhooks/1",
        "x-a: b",
        "content-length: 10",
      ])
    }).pipe(Effect.scoped),
  )

  it.live("reads the status, Retry-After, and the beginning of the answer without control characters", () =>
    Effect.gen(function* () {
      const text = `a\u0000\u001bb${"é".repeat(2_000)}`
      const answer = yield* Effect.flatMap(
        answering(`HTTP/1.1 503 Busy\r\nretry-after: 120\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`),
        (to) => called(at(to)),
      )
      assert.deepInclude(answer, { statusCode: 503, error: "http_status", retryAfter_s: 120 })
      assert.strictEqual(answer.snippet, `ab${"é".repeat(998)}`)
    }).pipe(Effect.scoped),
  )

  it.live("a redirect fails and is not followed", () =>
    Effect.gen(function* () {
      const elsewhere = yield* answering(ok)
      for (const status of [301, 302, 303, 307, 308]) {
        const head = `HTTP/1.1 ${status} X\r\nlocation: ${at(elsewhere)}\r\ncontent-length: 0\r\n\r\n`
        assert.deepStrictEqual(yield* resultBy(head), [status, "redirect"])
      }
      assert.deepStrictEqual(elsewhere.received, [])
    }).pipe(Effect.scoped),
  )

  it.live("other statuses fail, a switch of protocols too, and hints before the answer are passed over", () =>
    Effect.gen(function* () {
      for (const status of [400, 404, 410, 429, 500]) {
        assert.deepStrictEqual(yield* resultBy(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`), [
          status,
          "http_status",
        ])
      }
      const upgrade = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"
      assert.deepStrictEqual(yield* resultBy(upgrade), [null, "connection_reset"])
      assert.deepStrictEqual(yield* resultBy(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok}`), [204, null])
    }),
  )

  it.live("an answer that is no HTTP, is cut, or is reset fails", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* resultBy("SSH-2.0-x\r\n"), [null, "connection_reset"])
      const ending = (text: string) =>
        Effect.scoped(
          Effect.flatMap(
            receiver((socket) => socket.end(text)),
            (to) => resultOf(at(to)),
          ),
        )
      assert.deepStrictEqual(yield* ending(""), [null, "connection_reset"])
      assert.deepStrictEqual(yield* ending("HTTP/1.1 200 OK\r\ncontent-le"), [null, "connection_reset"])
      assert.deepStrictEqual(yield* ending("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"), [
        null,
        "connection_reset",
      ])
      const reset = yield* receiver((socket) => socket.resetAndDestroy())
      assert.deepStrictEqual(yield* resultOf(at(reset)), [null, "connection_reset"])
    }).pipe(Effect.scoped),
  )

  it.live("hangs, slow bytes and endless hints end with the time of the attempt", () =>
    Effect.gen(function* () {
      const slow = (piece: string, start: string) =>
        receiver((socket) => {
          socket.write(start)
          const timer = setInterval(() => socket.write(piece), 20)
          socket.once("close", () => clearInterval(timer))
        })
      for (const to of [
        yield* receiver(() => undefined),
        yield* slow("x", "HTTP/1.1 200 OK\r\nx: "),
        yield* slow("x", "HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n"),
        yield* slow("HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n"),
      ]) {
        assert.deepStrictEqual(yield* resultOf(at(to), { timeout_ms: 400 }), [null, "timeout"])
      }
    }).pipe(Effect.scoped),
  )

  it.live("a head above 16 KB fails, and of a body without end 64 KB are read", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* resultBy(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(17_000)}\r\n\r\n`), [
        null,
        "response_too_large",
      ])
      let written = 0
      const endless = yield* receiver((socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n")
        const write = (): void => {
          if (socket.destroyed) return
          written += 16_384
          if (socket.write(Buffer.alloc(16_384, "x"))) setImmediate(write)
          else socket.once("drain", write)
        }
        write()
      })
      assert.deepStrictEqual(yield* resultOf(at(endless)), [200, null])
      assert.isBelow(written, 100 * answer_body_bytes_max)
    }).pipe(Effect.scoped),
  )

  it.live("a compressed answer is not unpacked", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(50_000_000))
      const head = `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`
      const answer = yield* Effect.flatMap(answering(Buffer.concat([Buffer.from(head), bomb])), (to) => called(at(to)))
      assert.deepInclude(answer, { statusCode: 200, error: null })
      assert.isBelow(answer.snippet?.length ?? 0, 1_001)
    }).pipe(Effect.scoped),
  )

  it.live("a name that does not exist, or a port that nothing listens on, fails", () =>
    Effect.gen(function* () {
      const gone = Object.assign(new Error("no such name"), { code: "ENOTFOUND" })
      const url = "http://hooks.example.org/"
      assert.deepStrictEqual(yield* resultOf(url, { resolve: () => Promise.reject(gone) }), [null, "dns_failed"])
      assert.deepStrictEqual(yield* resultOf(url, { resolve: () => Promise.resolve([]) }), [null, "dns_failed"])
      const { port } = yield* Effect.scoped(answering(ok))
      assert.deepStrictEqual(yield* resultOf(`http://127.0.0.1:${port}/`), [null, "connect_failed"])
    }),
  )

  it.live("interruption ends the request", () =>
    Effect.gen(function* () {
      let isClosed = false
      const to = yield* receiver((socket) => socket.once("close", () => (isClosed = true)))
      const fiber = yield* Effect.forkChild(called(at(to)))
      yield* until(() => to.received[0]?.endsWith("{}") === true)
      yield* Fiber.interrupt(fiber)
      yield* until(() => isClosed)
    }).pipe(Effect.scoped),
  )
})

describe("HttpWebhookCaller: addresses", () => {
  const refusedHosts = (
    "127.0.0.1 127.1 2130706433 0x7f.0.0.1 0177.0.0.1 0.0.0.0 10.0.0.1 100.64.0.1 169.254.169.254 172.16.0.1 " +
    "192.0.0.1 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 " +
    "[::] [::1] [fc00::1] [fd00:ec2::254] [fe80::1] [fec0::1] [ff02::1] [2001:db8::1] [100::1] [::ffff:127.0.0.1] " +
    "[::ffff:10.0.0.1] [::127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::127.0.0.1] [2002:7f00:1::1] " +
    "[2002:a00:1::1] [2001:0:7f00:1::1] [2001:0:808:808::80ff:fffe] [::ffff:169.254.169.254]"
  ).split(" ")

  it("there are 40 refused addresses", () => assert.strictEqual(refusedHosts.length, 40))

  it.live("a refused address is not called: in the URL, and as what a name means", () =>
    Effect.gen(function* () {
      for (const host of refusedHosts) {
        const url = `http://${host}:9/`
        assert.deepStrictEqual(yield* resultOf(url, { exceptions: [] }), [null, "address_refused"], host)
        const means = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1")
        const resolve = () => Promise.resolve([means])
        const named = yield* resultOf("http://hooks.example.org:9/", { exceptions: [], resolve })
        assert.deepStrictEqual(named, [null, "address_refused"], means)
      }
    }),
  )

  it.live("one refused address among those of a name refuses all, and nothing is sent", () =>
    Effect.gen(function* () {
      const to = yield* answering(ok)
      const url = `http://hooks.example.org:${to.port}/`
      for (const addresses of [
        ["127.0.0.1", "10.0.0.1"],
        ["10.0.0.1", "127.0.0.1"],
        ["127.0.0.1", "fe80::1%lo"],
      ]) {
        assert.deepStrictEqual(yield* resultOf(url, { resolve: () => Promise.resolve(addresses) }), [
          null,
          "address_refused",
        ])
      }
      assert.deepStrictEqual(to.received, [])
    }).pipe(Effect.scoped),
  )

  it.live("the connection goes to the address that was judged: a name is resolved once", () =>
    Effect.gen(function* () {
      const to = yield* answering(ok)
      let asked = 0
      // The second answer would be another address.
      const resolve = () => Promise.resolve([asked++ === 0 ? "127.0.0.1" : "10.0.0.1"])
      assert.deepStrictEqual(yield* resultOf(`http://hooks.example.org:${to.port}/`, { resolve }), [204, null])
      assert.strictEqual(asked, 1)
      assert.include(to.received[0], `host: hooks.example.org:${to.port}\r\n`)
    }).pipe(Effect.scoped),
  )

  it.live("a connection is used again for the same endpoint, and not for another one", () =>
    Effect.gen(function* () {
      const to = yield* answering(ok)
      const headers = {}
      yield* WebhookCaller.use(({ call }) =>
        Effect.gen(function* () {
          for (const endpoint of ["a", "a", "b", "a"]) {
            yield* call({ endpoint, connections_max: 1, url: at(to), headers, body: "{}" })
          }
        }),
      ).pipe(Effect.provide(layer({ exceptions: [loopback], timeout_ms: 20_000, ownPorts: new Set() })))
      assert.deepStrictEqual(
        to.received.map((each) => each.split("POST ").length - 1),
        [3, 1],
      )
    }).pipe(Effect.scoped),
  )

  it.live(
    "the service's own listeners are refused at this machine's addresses, also where the operator permits them",
    () =>
      Effect.gen(function* () {
        const to = yield* answering(ok)
        const own = { ownPorts: new Set([to.port]) }
        assert.deepStrictEqual(yield* resultOf(at(to), own), [null, "address_refused"])
        const named = { ...own, resolve: () => Promise.resolve(["127.0.0.2"]) }
        assert.deepStrictEqual(yield* resultOf(`http://hooks.example.org:${to.port}/`, named), [
          null,
          "address_refused",
        ])
        assert.deepStrictEqual(to.received, [])
      }).pipe(Effect.scoped),
  )
})

describe("HttpWebhookCaller: TLS", () => {
  const ca = fixture("certificate.pem")
  const key = fixture("key.pem").replace(/^[^-].*\n/, "")
  const resolve = () => Promise.resolve(["127.0.0.1"])
  const secure = Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createSecureServer({ cert: ca, key }, (request, response) => {
        request.resume()
        response.writeHead(204).end()
      })
      server.on("tlsClientError", () => undefined)
      return { server, port: await listening(server) }
    }),
    ({ server }) => Effect.sync(() => server.close().closeAllConnections()),
  )

  it.live("the certificate must be valid for the name of the URL", () =>
    Effect.gen(function* () {
      const { port } = yield* secure
      const url = (host: string) => `https://${host}:${port}/`
      assert.deepStrictEqual(yield* resultOf(url("hooks.example.org"), { ca, resolve }), [204, null])
      assert.deepStrictEqual(yield* resultOf(url("other.example.org"), { ca, resolve }), [null, "tls_failed"])
      assert.deepStrictEqual(yield* resultOf(url("127.0.0.1"), { ca, resolve }), [null, "tls_failed"])
      assert.deepStrictEqual(yield* resultOf(url("hooks.example.org"), { resolve }), [null, "tls_failed"])
    }).pipe(Effect.scoped),
  )
})
