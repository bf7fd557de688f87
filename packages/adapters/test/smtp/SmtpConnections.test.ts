import type { Session } from "@tentpole/adapters/smtp/SmtpConnections"
import { SmtpSocket } from "@tentpole/adapters/smtp/SmtpSocket"
import { parseSmtpUrl } from "@tentpole/adapters/smtp/SmtpUrl"
import { SmtpTransaction } from "@tentpole/adapters/smtp/SmtpTransaction"
import { until } from "@tentpole/core/contract"
import type { Connection, NotSent, Ready } from "@tentpole/core/sending/MailConnection"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, Scope, Exit } from "effect"
import { Socket } from "node:net"
import { type FakeSmtp, fakeSmtp, type FakeSmtpOptions } from "../support/FakeSmtp.ts"
import type { Behaviour } from "../support/FakeSmtpScript.ts"
import { mailAt } from "../support/MailAt.ts"

const message = Buffer.from("Subject: x\r\n\r\nline\r\nwith a . in the middle\r\nend\r\n")
/** Two code paths: the library's stream escapes dots, and messages without any bypass it. */
const messages = {
  plain: message,
  dotted: Buffer.from("Subject: x\r\n\r\nline\r\n.dot at the beginning\r\n..two\r\nend\r\n"),
  "open at its end": Buffer.from("Subject: x\r\n\r\nline\r\nend"),
} as const

/** Long limits for a busy machine; a test of silence shortens one. */
const patience_s = { openTimeout: 60, commandTimeout: 60, replyTimeout: 60 }
const times = (short: Partial<typeof patience_s> = {}) =>
  Object.entries({ ...patience_s, ...short })
    .map(([name, seconds]) => `${name}=${seconds}`)
    .join("&")

const connected = Effect.fnUntraced(function* (to: FakeSmtp, trick = "") {
  const mail = yield* mailAt(`smtp://127.0.0.1:${to.port}/?ignoreTLS=true&${timesFor(trick)}`)
  return yield* mail.open
})

/** A silent server gets a short limit. */
const timesFor = (trick: string): string => {
  if (trick.endsWith("dotsilent")) return times({ replyTimeout: 1 })
  return trick.endsWith("silent") ? times({ commandTimeout: 1 }) : times()
}

const begun = Effect.fnUntraced(function* (options?: FakeSmtpOptions, trick = "") {
  const server = yield* fakeSmtp(options)
  return { server, connection: yield* connected(server, trick) }
})

/** A socket that answers each line at once and never sends what was written. */
class Stuck extends Socket {
  override readonly writableLength = 1

  override write(bytes: Uint8Array | string, written?: unknown): boolean {
    const text = Buffer.from(bytes).toString()
    if (/^(MAIL|RCPT|DATA|\.\r\n)/.test(text)) {
      setImmediate(() => this.emit("data", Buffer.from(text.startsWith("DATA") ? "354 go\r\n" : "250 ok\r\n")))
    }
    if (typeof written === "function") written()
    return true
  }
}

/** Sends a message, and describes how it ended. The intent takes `intent_ms`, in pauses that let this process read replies. */
const sent = (connection: Connection, to: string, from = "back@x.test", intent_ms = 10, what = message) =>
  Effect.gen(function* () {
    const ready = yield* connection.begin({ from, to: `${to}@sink.test` })
    yield* Effect.repeat(Effect.sleep(intent_ms / 10), { times: 9 })
    const end = yield* ready.release(what)
    return end._tag === "refused" ? `refused ${end.code}` : end._tag
  }).pipe(Effect.catchTag("NotSent", (error) => Effect.succeed(`not sent: ${error.stage} ${error.code}`)))

/** Waits until the server has a message. */
const seenBy = (server: FakeSmtp) => until(() => server.messages.length > 0)

describe("SMTP connections", () => {
  it.live.each(Object.entries(messages))(
    "%s: sends a message byte for byte, and the next one on the same connection",
    ([, what]) =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun()
        assert.strictEqual(yield* sent(connection, "one", "back@x.test", 0, what), "accepted")
        assert.strictEqual(yield* sent(connection, "two"), "accepted")
        assert.isTrue(yield* connection.alive)
        assert.strictEqual(server.connections_count, 1)
        assert.deepStrictEqual(
          server.messages.map(({ from, to }) => [from, to]),
          [
            ["back@x.test", "one@sink.test"],
            ["back@x.test", "two@sink.test"],
          ],
        )
        assert.strictEqual(
          server.messages[0]?.raw,
          `${what.toString().trimEnd()}\r\n`,
          "dots are stuffed only on the wire",
        )
      }).pipe(Effect.scoped),
  )

  it.live("sends a message of several megabytes", () =>
    Effect.gen(function* () {
      const server = yield* fakeSmtp()
      const connection = yield* connected(server)
      const big = Buffer.from(`Subject: big\r\n\r\n${"0123456789abcdef\r\n".repeat(200_000)}`)
      const ready = yield* connection.begin({ from: "back@x.test", to: "big@sink.test" })
      assert.strictEqual((yield* ready.release(big))._tag, "accepted")
      assert.strictEqual(server.messages[0]?.raw.length, big.length)
    }).pipe(Effect.scoped),
  )

  for (const [to, end] of [
    ["ann-rcpt450", "not sent: recipient 450"],
    ["ann-rcpt550", "not sent: recipient 550"],
    ["ann-data451", "not sent: data 451"],
    ["ann-data554", "not sent: data 554"],
  ] as const) {
    it.live(`${to}: reports a refusal before the body, and the connection can be used again`, () =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun(undefined, to)
        assert.strictEqual(yield* sent(connection, to), end)
        assert.isTrue(yield* connection.alive)
        assert.strictEqual(yield* sent(connection, "next"), "accepted")
        assert.deepStrictEqual(
          server.messages.map((each) => each.to),
          ["next@sink.test"],
        )
        assert.include(server.commands, "RSET")
      }).pipe(Effect.scoped),
    )
  }

  for (const [from, end] of [
    ["ann-mail451", "not sent: sender 451"],
    ["ann-mail530", "not sent: sender 530"],
    ["ann-mailcut", "not sent: connection null"],
    ["ann-mailsilent", "not sent: connection null"],
    ["ann-mailgarbage", "not sent: sender null"],
  ] as const) {
    it.live(`${from}: reports that nothing was sent`, () =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun({ behaviour: { extensions: [] } }, from)
        assert.strictEqual(yield* sent(connection, "someone", `${from}@x.test`), end)
        assert.isEmpty(server.messages)
      }).pipe(Effect.scoped),
    )
  }

  for (const to of ["ann-rcptcut", "ann-rcptsilent", "ann-datacut", "ann-datasilent"]) {
    it.live(`${to}: reports that nothing was sent, and the connection is dead`, () =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun(undefined, to)
        assert.strictEqual(yield* sent(connection, to), "not sent: connection null")
        assert.isFalse(yield* connection.alive)
        assert.strictEqual(yield* sent(connection, "next"), "not sent: connection null")
        assert.isEmpty(server.messages)
      }).pipe(Effect.scoped),
    )
  }

  for (const to of ["ann-bodycut", "ann-body421hold20", "ann-body250hold20"]) {
    it.live(`${to}: sends nothing when the connection ends during the intent`, () =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun(undefined, to)
        // Much longer than the server waits.
        assert.strictEqual(yield* sent(connection, to, "back@x.test", 600), "notSent")
        assert.isFalse(yield* connection.alive)
        assert.isEmpty(server.messages)
      }).pipe(Effect.scoped),
    )
  }

  for (const [to, end, alive] of [
    ["ann-dot452", "refused 452", true],
    ["ann-dot554", "refused 554", true],
    ["ann-dot421", "refused 421", false],
  ] as const) {
    it.live(
      `${to}: reports a refusal after the body, and the connection ${alive ? "can be used again" : "is dead"}`,
      () =>
        Effect.gen(function* () {
          const { server, connection } = yield* begun(undefined, to)
          assert.strictEqual(yield* sent(connection, to), end)
          assert.strictEqual(yield* connection.alive, alive)
          if (alive) assert.strictEqual(yield* sent(connection, "next"), "accepted")
          assert.strictEqual(server.messages.length, alive ? 2 : 1)
        }).pipe(Effect.scoped),
    )
  }

  for (const [to, what] of [
    ["ann-dotcut", messages.plain],
    ["ann-dotcut", messages.dotted],
    ["ann-dotsilent", messages.plain],
    ["ann-dothalf", messages.dotted],
    ["ann-dothalf450", messages.plain],
    ["ann-dothalflines", messages.plain],
  ] as const) {
    it.live(`${to}: a message of ${what.length} bytes without a whole reply is in doubt`, () =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun(undefined, to)
        assert.strictEqual(yield* sent(connection, to, "back@x.test", 30, what), "inDoubt")
        assert.isFalse(yield* connection.alive)
        yield* seenBy(server)
        assert.strictEqual(server.messages.length, 1)
      }).pipe(Effect.scoped),
    )
  }

  for (const [to, end, bytes] of [
    ["ann-bodycut", "notSent", 15_999_999],
    ["ann-bodycut", "notSent", 16_000_000],
    ["ann-body552", "refused 552", 15_999_999],
    ["ann-body552", "refused 552", 16_000_000],
  ] as const) {
    // One length ends with a whole line and the other does not: two code paths.
    it.live(`${to}: a message of ${bytes} bytes that is cut before its last byte was not sent`, () =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun(undefined, to)
        const ready = yield* connection.begin({ from: "back@x.test", to: `${to}@sink.test` })
        const outcome = yield* ready.release(Buffer.alloc(bytes, "x\r\n"))
        assert.strictEqual(outcome._tag === "refused" ? `refused ${outcome.code}` : outcome._tag, end)
        assert.isFalse(yield* connection.alive)
        assert.isEmpty(server.messages)
      }).pipe(Effect.scoped),
    )
  }

  /** A message on a stuck socket, whose server waits for the body. */
  const begunStuck = Effect.fnUntraced(function* (reply_timeout_s: number) {
    const socket = new Stuck()
    const options = Result.getOrThrow(parseSmtpUrl(`smtp://127.0.0.1/?ignoreTLS=true&replyTimeout=${reply_timeout_s}`))
    const session: Session = {
      socket: new SmtpSocket(socket, 0),
      options,
      extensions: "",
      server: { takesAhead: true },
      stale: false,
      current: undefined,
      ahead: undefined,
    }
    const ready = yield* Effect.callback<Ready, NotSent>((resume) => {
      new SmtpTransaction(session, { from: "back@x.test", to: "early@sink.test" }).start(resume)
    })
    return { ready, socket }
  })

  it.live("a reply before the whole message was written ends the connection", () =>
    Effect.gen(function* () {
      const { ready, socket } = yield* begunStuck(60)
      assert.isFalse(socket.destroyed)
      assert.strictEqual((yield* ready.release(messages.dotted))._tag, "accepted")
      assert.isTrue(socket.destroyed, "the memory of the message may hold another one now")
    }),
  )

  it.live("a reply that came while the process was stopped counts, although its time is up", () =>
    Effect.gen(function* () {
      const { ready } = yield* begunStuck(1)
      const waiting = yield* Effect.forkChild(ready.release(message), { startImmediately: true })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100)
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "accepted")
    }),
  )

  it.live("an abandoned message is never sent and ends its connection", () =>
    Effect.gen(function* () {
      const { server, connection } = yield* begun()
      const ready = yield* connection.begin({ from: "back@x.test", to: "fine@sink.test" })
      yield* ready.abandon
      assert.isFalse(yield* connection.alive)
      assert.strictEqual((yield* ready.release(message))._tag, "notSent")
      yield* Effect.sleep(50)
      assert.isEmpty(server.messages)
    }).pipe(Effect.scoped),
  )

  it.live("an interruption before the 354 sends nothing", () =>
    Effect.gen(function* () {
      const { server, connection } = yield* begun()
      const asking = yield* Effect.forkChild(sent(connection, "ann-rcptsilent"))
      yield* until(() => server.commands.some((line) => line.startsWith("RCPT")))
      yield* Fiber.interrupt(asking)
      assert.isFalse(yield* connection.alive)
      assert.isEmpty(server.messages)
    }).pipe(Effect.scoped),
  )

  it.live("closing the connection while a reply is missing leaves the message in doubt", () =>
    Effect.gen(function* () {
      const server = yield* fakeSmtp()
      const scope = yield* Scope.make()
      const connection = yield* Scope.provide(connected(server), scope)
      const ready = yield* connection.begin({ from: "back@x.test", to: "ann-dotsilent@sink.test" })
      const waiting = yield* Effect.forkChild(Effect.uninterruptible(ready.release(message)))
      yield* seenBy(server)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "inDoubt")
    }).pipe(Effect.scoped),
  )

  const mailCommands = ({ commands }: FakeSmtp) => commands.filter((line) => line.startsWith("MAIL"))

  for (const extensions of [[], ["SMTPUTF8"], ["8BITMIME"], ["X-SMTPUTF8", "8BITMIME"]]) {
    it.live(
      `an address beyond ASCII is refused permanently with the extensions: ${extensions.join(", ") || "none"}`,
      () =>
        Effect.gen(function* () {
          const { connection, server } = yield* begun({ behaviour: { extensions: [...extensions, "PIPELINING"] } })
          const refused = yield* Effect.flip(connection.begin({ from: "back@x.test", to: "ü@sink.test" }))
          assert.deepStrictEqual([refused.stage, refused.code], ["recipient", 553])
          assert.include(refused.reply, "5.6.7")
          assert.deepStrictEqual(mailCommands(server), [])
          assert.strictEqual(yield* sent(connection, "plain"), "accepted", "the connection takes other messages")
        }).pipe(Effect.scoped),
    )
  }

  it.live("only an address beyond ASCII is sent with SMTPUTF8 and 8BITMIME", () =>
    Effect.gen(function* () {
      const { connection, server } = yield* begun()
      assert.strictEqual(yield* sent(connection, "plain"), "accepted")
      assert.strictEqual(yield* sent(connection, "ü"), "accepted")
      assert.deepStrictEqual(mailCommands(server), [
        "MAIL FROM:<back@x.test>",
        "MAIL FROM:<back@x.test> SMTPUTF8 BODY=8BITMIME",
      ])
      assert.strictEqual(server.messages[1]?.to, Buffer.from("ü@sink.test").toString("latin1"))
    }).pipe(Effect.scoped),
  )

  it.live.each([{ extensions: ["PIPELINING"] }, { extensions: [] }])(
    "a refused recipient leaves the connection usable with $extensions",
    ({ extensions }) =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun({ behaviour: { extensions } })
        for (const to of ["one", "ann-rcpt550", "two", "ann-data554", "three"]) yield* sent(connection, to)
        assert.deepStrictEqual(
          server.messages.filter(({ reply }) => reply?.startsWith("250")).map(({ to }) => to),
          ["one@sink.test", "two@sink.test", "three@sink.test"],
        )
        assert.strictEqual(server.connections_count, 1)
      }).pipe(Effect.scoped),
  )

  it.live.each(["a@b.test>\r\nRCPT TO:<c@d.test", "a b>@d.test"])("the address %j reaches no command", (to) =>
    Effect.gen(function* () {
      const { server, connection } = yield* begun()
      const refused = yield* Effect.flip(connection.begin({ from: "back@x.test", to }))
      assert.deepStrictEqual([refused.stage, refused.code], ["recipient", 553])
      assert.deepStrictEqual(mailCommands(server), [])
    }).pipe(Effect.scoped),
  )

  const refusedBy = (behaviour: Partial<Behaviour>, login = "", openTimeout = patience_s.openTimeout) =>
    Effect.gen(function* () {
      const server = yield* fakeSmtp({ behaviour })
      const mail = yield* mailAt(`smtp://${login}127.0.0.1:${server.port}/?ignoreTLS=true&openTimeout=${openTimeout}`)
      return yield* Effect.flip(Effect.scoped(mail.open))
    }).pipe(Effect.scoped)

  it.live("a login with the code 535 fails permanently, and with 454 temporarily", () =>
    Effect.gen(function* () {
      const extensions = ["AUTH PLAIN"]
      assert.isTrue((yield* refusedBy({ extensions, auth: 535 }, "user:wrong@")).permanent)
      assert.isFalse((yield* refusedBy({ extensions, auth: 454 }, "user:pass@")).permanent)
    }),
  )

  it.live("a greeting with 421 reports a crowded server", () =>
    Effect.gen(function* () {
      const error = yield* refusedBy({ connections_max: 0 })
      assert.isTrue(error.crowded)
      assert.isFalse(error.permanent)
    }),
  )

  it.live("a silent or absent server is a temporary failure", () =>
    Effect.gen(function* () {
      const silent = yield* refusedBy({ ehlo: "silent" }, "", 1)
      assert.deepInclude(silent, { permanent: false, crowded: false })
      const mail = yield* mailAt("smtp://127.0.0.1:1")
      const absent = yield* Effect.flip(Effect.scoped(mail.open))
      assert.deepInclude(absent, { permanent: false, crowded: false })
    }),
  )
})
