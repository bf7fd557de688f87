// Tests of request timeouts.
import { tagged } from "@tentpole/core/contract"
import { type RequestTimeouts, requestTimeouts, serverWithTimeouts } from "@tentpole/http/edge/RequestTimeouts"
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { connect } from "node:net"

/** The unit of all timeouts: eight for a body and for a step of an upload; the limit of a whole upload is a parameter. */
const listening = (upload_beats: number, beat_ms: number) => {
  const [body_ms, upload_ms] = [8 * beat_ms, upload_beats * beat_ms]
  return answering({ head_ms: 60_000, body_ms, upload_step_ms: body_ms, upload_ms })
}

/** A server that answers 200 after it has read a whole request. Scoped. */
const answering = (limits: RequestTimeouts) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = serverWithTimeouts(limits).on("request", (request, response) => {
        request.on("error", () => undefined)
        request.resume().on("end", () => response.end("done"))
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port, close: () => server.close().closeAllConnections() }))
      })
    }),
    ({ close }) => Effect.sync(close),
  )

interface Sending {
  /** `PUT /uploads/x` */
  readonly line: string
  readonly piece_bytes: number
  readonly pieces: number
  readonly every_ms: number
  /** Declares the length at the beginning; not all of it may follow. */
  readonly said_bytes?: number
}

/** Sends a body in pieces and returns the status of the answer, if there is one, and the duration. */
const send = (port: number, { line, piece_bytes, pieces, every_ms, said_bytes }: Sending) =>
  Effect.callback<number | null>((resume) => {
    let [answer, sent] = ["", 0]
    const socket = connect(port, "127.0.0.1")
    const timer = setInterval(() => {
      if (sent++ < pieces) socket.write("x".repeat(piece_bytes))
    }, every_ms)
    const length = said_bytes ?? piece_bytes * pieces
    socket.write(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`)
    socket.on("data", (data) => (answer += data.toString()))
    socket.on("error", () => undefined)
    socket.on("close", () => {
      clearInterval(timer)
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? []
      resume(Effect.succeed(status === undefined ? null : Number(status)))
    })
  })

const upload = "PUT /uploads/token"

type Answers = ReadonlyArray<number | null>

/**
 * A stalled test machine delays requests that are fast enough. An unexpected result is therefore tried again with longer
 * beats, the last of which exceed any such delay.
 */
const inTime = (expected: Answers, trial: (beat_ms: number) => Effect.Effect<Answers, never, Scope.Scope>) =>
  Effect.gen(function* () {
    let answers: Answers = []
    for (const beat_ms of [50, 200, 1_000]) {
      answers = yield* trial(beat_ms)
      if (String(answers) === String(expected)) return
    }
    assert.deepStrictEqual(answers, expected)
  }).pipe(Effect.scoped)

it.live("allows an upload more time than other requests while it makes progress", () =>
  inTime([200, 408, 408, 408, 200], (beat_ms) =>
    Effect.gen(function* () {
      const { port } = yield* listening(1_200, beat_ms)
      const slow = { piece_bytes: 2_000, pieces: 18, every_ms: beat_ms }
      return yield* Effect.all(
        [
          send(port, { ...slow, line: upload }),
          send(port, { ...slow, line: "POST /uploads/token" }),
          send(port, { ...slow, line: "PUT /v1/uploads/token" }),
          send(port, { ...slow, line: "POST /v1/contacts" }),
          send(port, { ...slow, line: "POST /v1/contacts", pieces: 2 }),
        ],
        { concurrency: "unbounded" },
      )
    }),
  ),
)

it.live("cuts off an upload that stalls or is too slow", () =>
  Effect.gen(function* () {
    const { port } = yield* listening(1_200, 50)
    const answers = yield* Effect.all(
      [
        send(port, { line: upload, piece_bytes: 2_000, pieces: 2, every_ms: 50, said_bytes: 1_000_000 }),
        send(port, { line: upload, piece_bytes: 10, pieces: 80, every_ms: 20 }),
      ],
      { concurrency: "unbounded" },
    )
    assert.deepStrictEqual(answers, [408, 408])
  }).pipe(Effect.scoped),
)

it.live("cuts off an upload that outlasts its URL", () =>
  inTime([200, 408], (beat_ms) =>
    Effect.gen(function* () {
      const { port } = yield* listening(12, beat_ms)
      const slow = { line: upload, piece_bytes: 2_000, every_ms: beat_ms }
      return yield* Effect.all([send(port, { ...slow, pieces: 6 }), send(port, { ...slow, pieces: 36 })], {
        concurrency: "unbounded",
      })
    }),
  ),
)

it.live("answers 408 with an error body before it closes the connection", () =>
  Effect.gen(function* () {
    const { port } = yield* listening(1_200, 50)
    const answer = yield* answerTo(port, "POST /v1/contacts HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx")
    assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/)
    const [, id] = /\r\nX-Request-Id: ([0-9a-f-]{36})\r\n/.exec(answer) ?? []
    const { error_code, details, message } = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))
    assert.deepStrictEqual([error_code, details.request_id], ["request_timeout", id])
    assert.include(message, "too slowly")
  }).pipe(Effect.scoped),
)

it("allows seconds for headers, minutes for bodies and an hour for uploads by default", () => {
  assert.deepStrictEqual(requestTimeouts, {
    head_ms: 15_000,
    body_ms: 300_000,
    upload_ms: 3_600_000,
    upload_step_ms: 60_000,
  })
  const server = serverWithTimeouts(requestTimeouts)
  assert.deepStrictEqual([server.headersTimeout, server.timeout], [15_000, 0])
  assert.isAtLeast(server.requestTimeout, requestTimeouts.upload_ms)
})

/** The answer to raw bytes. */
const answerTo = (port: number, bytes: string) =>
  Effect.callback<string>((resume) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    socket.on("data", (data) => (answer += data.toString()))
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.succeed(answer)))
  })

const malformedHttpTest = tagged(it.live, "attack/malformed-http")
malformedHttpTest("answers invalid HTTP and too large headers with an error body and a request id", () =>
  Effect.gen(function* () {
    const { port } = yield* answering(requestTimeouts)
    const large = `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`
    for (const [bytes, status, code] of [
      [large, 431, "headers_too_large"],
      ["nonsense\r\n\r\n", 400, "validation_failed"],
      [
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        400,
        "validation_failed",
      ],
      // Bytes that two parsers could read as two different requests (request smuggling).
      ["POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400, "validation_failed"],
      ["POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\nx", 400, "validation_failed"],
      ["GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400, "validation_failed"],
      ["GET / HTTP/1.1\nHost: x\n\n", 400, "validation_failed"],
    ] as const) {
      const answer = yield* answerTo(port, bytes)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
      const [, id] = /\r\nX-Request-Id: ([0-9a-f-]{36})\r\n/.exec(answer) ?? []
      const json = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))
      assert.deepStrictEqual([json.error_code, json.code, json.details.request_id], [code, code, id])
    }
  }).pipe(Effect.scoped),
)
