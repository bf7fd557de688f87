import * as Smtp from "@tentpole/adapters/smtp/SmtpConnections"
import type { Session } from "@tentpole/adapters/smtp/SmtpConnections"
import { parseSmtpUrl } from "@tentpole/adapters/smtp/SmtpUrl"
import { SmtpTransaction } from "@tentpole/adapters/smtp/SmtpTransaction"
import { until } from "@tentpole/core/contract"
import { type Connection, MailConnections, type NotSent, type Ready } from "@tentpole/core/sending/MailConnection"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Result, Scope, Exit } from "effect"
import SMTPConnection from "nodemailer/lib/smtp-connection"
import { Socket } from "node:net"
import { Readable } from "node:stream"
import { type Sink, sink, type SinkOptions } from "../fixtures/SmtpSink.ts"

const message = Buffer.from("Subject: x\r\n\r\nline\r\nwith a . in the middle\r\nend\r\n")
/** They go two ways: the library's stream looks for dots, and what has none goes past it. */
const messages = {
  plain: message,
  dotted: Buffer.from("Subject: x\r\n\r\nline\r\n.dot at the beginning\r\n..two\r\nend\r\n"),
  "open at its end": Buffer.from("Subject: x\r\n\r\nline\r\nend"),
} as const

/** A busy machine may take long to do its work: one time is short, if any, for the silence that a test is about. */
const patience_s = { openTimeout: 60, commandTimeout: 60, replyTimeout: 60 }
const times = (short: Partial<typeof patience_s> = {}) =>
  Object.entries({ ...patience_s, ...short })
    .map(([name, seconds]) => `${name}=${seconds}`)
    .join("&")

const connected = Effect.fnUntraced(function* (to: Sink, trick = "") {
  const options = Result.getOrThrow(parseSmtpUrl(`smtp://127.0.0.1:${to.port}/?ignoreTLS=true&${timesFor(trick)}`))
  const mail = yield* MailConnections.pipe(Effect.provide(Smtp.layer(options)))
  return yield* mail.open
})

/** Only a server that says nothing is waited for in vain. */
const timesFor = (trick: string): string => {
  if (trick === "silent-dot") return times({ replyTimeout: 1 })
  return trick.startsWith("silent-") ? times({ commandTimeout: 1 }) : times()
}

const begun = Effect.fnUntraced(function* (options?: SinkOptions, trick = "") {
  const server = yield* sink(options)
  return { server, connection: yield* connected(server, trick) }
})

/** A socket that has something to write, and nobody who reads it. */
class Stuck extends Socket {
  override readonly writableLength = 1
}

const accepted = {
  accepted: [],
  rejected: [],
  ehlo: [],
  envelopeTime: 0,
  messageTime: 0,
  messageSize: 0,
}

/**
 * One message to its end, in words; the intent takes `intent_ms` and is granted. In several pauses, between which this
 * process hears what the server has said, also when all of them are over at once.
 */
const sent = (connection: Connection, to: string, from = "back@x.test", intent_ms = 10, what = message) =>
  Effect.gen(function* () {
    const ready = yield* connection.begin({ from, to: `${to}@sink.test` })
    yield* Effect.repeat(Effect.sleep(intent_ms / 10), { times: 9 })
    const end = yield* ready.release(what)
    return end._tag === "refused" ? `refused ${end.code}` : end._tag
  }).pipe(Effect.catchTag("NotSent", (error) => Effect.succeed(`not sent: ${error.stage} ${error.code}`)))

/** The server has read a message. */
const seenBy = (server: Sink) => until(() => server.seen.length > 0)

describe("SMTP connections", () => {
  it.live.each(Object.entries(messages))(
    "%s: accepted, it arrives byte for byte, and the connection takes the next one",
    ([, what]) =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun()
        assert.strictEqual(yield* sent(connection, "one", "back@x.test", 0, what), "accepted")
        assert.strictEqual(yield* sent(connection, "two"), "accepted")
        assert.isTrue(yield* connection.alive)
        assert.strictEqual(server.connections(), 1)
        assert.deepStrictEqual(
          server.seen.map(({ from, to }) => [from, to]),
          [
            ["back@x.test", "one@sink.test"],
            ["back@x.test", "two@sink.test"],
          ],
        )
        assert.strictEqual(
          `${server.seen[0]?.body.replace(/^\.\./gm, ".")}\r\n`,
          `${what.toString().trimEnd()}\r\n`,
          "dots are stuffed on the way and only there",
        )
      }).pipe(Effect.scoped),
  )

  it.live("a message of several megabytes arrives whole", () =>
    Effect.gen(function* () {
      const server = yield* sink()
      const connection = yield* connected(server)
      const big = Buffer.from(`Subject: big\r\n\r\n${"0123456789abcdef\r\n".repeat(200_000)}`)
      const ready = yield* connection.begin({ from: "back@x.test", to: "big@sink.test" })
      assert.strictEqual((yield* ready.release(big))._tag, "accepted")
      assert.strictEqual(`${server.seen[0]?.body}\r\n`.length, big.length)
    }).pipe(Effect.scoped),
  )

  for (const [to, end] of [
    ["rcpt-450", "not sent: recipient 450"],
    ["rcpt-550", "not sent: recipient 550"],
    ["data-451", "not sent: data 451"],
    ["data-554", "not sent: data 554"],
  ] as const) {
    it.live(`${to}: refused before the body, and the connection still serves`, () =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun(undefined, to)
        assert.strictEqual(yield* sent(connection, to), end)
        assert.isTrue(yield* connection.alive)
        assert.strictEqual(yield* sent(connection, "next"), "accepted")
        assert.deepStrictEqual(
          server.seen.map((each) => each.to),
          ["next@sink.test"],
        )
        assert.include(server.commands, "RSET")
      }).pipe(Effect.scoped),
    )
  }

  for (const [from, end] of [
    ["mail-451", "not sent: sender 451"],
    ["mail-530", "not sent: sender 530"],
    ["cut-mail", "not sent: connection null"],
    ["silent-mail", "not sent: connection null"],
    ["garbage-mail", "not sent: sender null"],
  ] as const) {
    it.live(`${from}: nothing was sent`, () =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun({ extensions: ["sink.test"] }, from)
        assert.strictEqual(yield* sent(connection, "someone", `${from}@x.test`), end)
        assert.isEmpty(server.seen)
      }).pipe(Effect.scoped),
    )
  }

  for (const to of ["cut-rcpt", "silent-rcpt", "cut-data", "silent-data"]) {
    it.live(`${to}: nothing was sent, and the connection is dead`, () =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun(undefined, to)
        assert.strictEqual(yield* sent(connection, to), "not sent: connection null")
        assert.isFalse(yield* connection.alive)
        assert.strictEqual(yield* sent(connection, "next"), "not sent: connection null")
        assert.isEmpty(server.seen)
      }).pipe(Effect.scoped),
    )
  }

  for (const to of ["cut-after-354", "421-while-waiting", "250-too-soon"]) {
    it.live(`${to}: the connection did not outlive the intent, and nothing was sent`, () =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun(undefined, to)
        // Long beyond the server's word, also on a machine that has no time.
        assert.strictEqual(yield* sent(connection, to, "back@x.test", 600), "notSent")
        assert.isFalse(yield* connection.alive)
        assert.isEmpty(server.seen)
      }).pipe(Effect.scoped),
    )
  }

  for (const [to, end, alive] of [
    ["dot-452", "refused 452", true],
    ["dot-554", "refused 554", true],
    ["dot-421", "refused 421", false],
  ] as const) {
    it.live(
      `${to}: refused after the body, ${alive ? "and the connection still serves" : "and the server hangs up"}`,
      () =>
        Effect.gen(function* () {
          const { server, connection } = yield* begun(undefined, to)
          assert.strictEqual(yield* sent(connection, to), end)
          assert.strictEqual(yield* connection.alive, alive)
          if (alive) assert.strictEqual(yield* sent(connection, "next"), "accepted")
          assert.strictEqual(server.seen.length, alive ? 2 : 1)
        }).pipe(Effect.scoped),
    )
  }

  for (const [to, what] of [
    ["cut-after-dot", messages.plain],
    ["cut-after-dot", messages.dotted],
    ["silent-dot", messages.plain],
    ["half-250", messages.dotted],
    ["half-450", messages.plain],
    ["multi-cut", messages.plain],
  ] as const) {
    it.live(`${to}: without a whole reply the message is in doubt (${what.length} bytes)`, () =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun(undefined, to)
        assert.strictEqual(yield* sent(connection, to, "back@x.test", 30, what), "inDoubt")
        assert.isFalse(yield* connection.alive)
        yield* seenBy(server)
        assert.strictEqual(server.seen.length, 1)
      }).pipe(Effect.scoped),
    )
  }

  for (const [to, end, bytes] of [
    ["cut-in-body", "notSent", 15_999_999],
    ["cut-in-body", "notSent", 16_000_000],
    ["552-in-body", "refused 552", 15_999_999],
    ["552-in-body", "refused 552", 16_000_000],
  ] as const) {
    // Of the one length it ends with a whole line, and of the other it does not: they go different ways.
    it.live(`${to}: a message of ${bytes} bytes cut before its last one left was not sent`, () =>
      Effect.gen(function* () {
        const { server, connection } = yield* begun(undefined, to)
        const ready = yield* connection.begin({ from: "back@x.test", to: `${to}@sink.test` })
        const outcome = yield* ready.release(Buffer.alloc(bytes, "x\r\n"))
        assert.strictEqual(outcome._tag === "refused" ? `refused ${outcome.code}` : outcome._tag, end)
        assert.isFalse(yield* connection.alive)
        assert.isEmpty(server.seen)
      }).pipe(Effect.scoped),
    )
  }

  it.live("a server that replies before it has read everything is not given the rest", () =>
    Effect.gen(function* () {
      const smtp = new SMTPConnection({ socketCloseTimeout: 0 })
      const socket = new Stuck()
      smtp._socket = socket
      smtp.send = (_, body, done) => {
        if (body instanceof Readable) body.resume().once("end", () => done(null, { ...accepted, response: "250 read" }))
      }
      const options = Result.getOrThrow(parseSmtpUrl("smtp://127.0.0.1/?ignoreTLS=true"))
      const session: Session = { smtp, options, extensions: "", stale: false, current: undefined }
      const ready = yield* Effect.callback<Ready, NotSent>((resume) => {
        new SmtpTransaction(session, { from: "back@x.test", to: "early@sink.test" }, resume).start()
      })
      assert.isFalse(socket.destroyed)
      assert.strictEqual((yield* ready.release(messages.dotted))._tag, "accepted")
      assert.isTrue(socket.destroyed, "the memory of the message may hold another one now")
    }),
  )

  it.live("an abandoned message is never sent, and ends its connection", () =>
    Effect.gen(function* () {
      const { server, connection } = yield* begun()
      const ready = yield* connection.begin({ from: "back@x.test", to: "fine@sink.test" })
      yield* ready.abandon
      assert.isFalse(yield* connection.alive)
      assert.strictEqual((yield* ready.release(message))._tag, "notSent")
      yield* Effect.sleep(50)
      assert.isEmpty(server.seen)
    }).pipe(Effect.scoped),
  )

  it.live("interrupted before the 354, nothing is sent", () =>
    Effect.gen(function* () {
      const { server, connection } = yield* begun()
      const asking = yield* Effect.forkChild(sent(connection, "silent-rcpt"))
      yield* until(() => server.commands.some((line) => line.startsWith("RCPT")))
      yield* Fiber.interrupt(asking)
      assert.isFalse(yield* connection.alive)
      assert.isEmpty(server.seen)
    }).pipe(Effect.scoped),
  )

  it.live("closing the connection ends the waiting for a reply, in doubt", () =>
    Effect.gen(function* () {
      const server = yield* sink()
      const scope = yield* Scope.make()
      const connection = yield* Scope.provide(connected(server), scope)
      const ready = yield* connection.begin({ from: "back@x.test", to: "silent-dot@sink.test" })
      const waiting = yield* Effect.forkChild(Effect.uninterruptible(ready.release(message)))
      yield* seenBy(server)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "inDoubt")
    }).pipe(Effect.scoped),
  )

  const mailCommands = ({ commands }: Sink) => commands.filter((line) => line.startsWith("MAIL"))

  for (const extensions of [[], ["SMTPUTF8"], ["8BITMIME"], ["X-SMTPUTF8", "8BITMIME"]]) {
    it.live(`an address beyond ASCII is refused for good where there is ${extensions.join(", ") || "nothing"}`, () =>
      Effect.gen(function* () {
        const { connection, server } = yield* begun({ extensions: ["sink.test", ...extensions, "PIPELINING"] })
        const refused = yield* Effect.flip(connection.begin({ from: "back@x.test", to: "ü@sink.test" }))
        assert.deepStrictEqual([refused.stage, refused.code], ["recipient", 553])
        assert.include(refused.reply, "5.6.7")
        assert.deepStrictEqual(mailCommands(server), [])
        assert.strictEqual(yield* sent(connection, "plain"), "accepted", "the connection takes other messages")
      }).pipe(Effect.scoped),
    )
  }

  it.live("an address beyond ASCII is sent with SMTPUTF8 and 8BITMIME, and no other is", () =>
    Effect.gen(function* () {
      const { connection, server } = yield* begun({ extensions: ["sink.test", "SMTPUTF8", "8BITMIME", "PIPELINING"] })
      assert.strictEqual(yield* sent(connection, "plain"), "accepted")
      assert.strictEqual(yield* sent(connection, "ü"), "accepted")
      assert.deepStrictEqual(mailCommands(server), [
        "MAIL FROM:<back@x.test>",
        "MAIL FROM:<back@x.test> SMTPUTF8 BODY=8BITMIME",
      ])
      assert.strictEqual(server.seen[1]?.to, Buffer.from("ü@sink.test").toString("latin1"))
    }).pipe(Effect.scoped),
  )

  const refusedBy = (options: SinkOptions, login = "", openTimeout = patience_s.openTimeout) =>
    Effect.gen(function* () {
      const server = yield* sink(options)
      const parsed = parseSmtpUrl(`smtp://${login}127.0.0.1:${server.port}/?ignoreTLS=true&openTimeout=${openTimeout}`)
      const mail = yield* MailConnections.pipe(Effect.provide(Smtp.layer(Result.getOrThrow(parsed))))
      return yield* Effect.flip(Effect.scoped(mail.open))
    }).pipe(Effect.scoped)

  it.live("a login that is refused is refused for good, one that is put off is not", () =>
    Effect.gen(function* () {
      const extensions = ["sink.test", "AUTH PLAIN"]
      assert.isTrue((yield* refusedBy({ extensions, auth: () => "535 5.7.8 no" }, "user:wrong@")).permanent)
      assert.isFalse((yield* refusedBy({ extensions, auth: () => "454 4.7.0 later" }, "user:pass@")).permanent)
    }),
  )

  it.live("a server that greets with 421 is crowded", () =>
    Effect.gen(function* () {
      const error = yield* refusedBy({ greeting: "421 4.7.0 too many connections" })
      assert.isTrue(error.crowded)
      assert.isFalse(error.permanent)
    }),
  )

  it.live("a server that says nothing, or that isn't there, is a failure that may pass", () =>
    Effect.gen(function* () {
      const silent = yield* refusedBy({ extensions: [] }, "", 1)
      assert.deepInclude(silent, { permanent: false, crowded: false })
      const options = Result.getOrThrow(parseSmtpUrl("smtp://127.0.0.1:1"))
      const mail = yield* MailConnections.pipe(Effect.provide(Smtp.layer(options)))
      const absent = yield* Effect.flip(Effect.scoped(mail.open))
      assert.deepInclude(absent, { permanent: false, crowded: false })
    }),
  )
})

describe("SMTP_URL", () => {
  const parsed = (text: string) => Result.getOrThrow(parseSmtpUrl(text))
  const refused = (text: string) => Result.getOrThrow(Result.flip(parseSmtpUrl(text))).message

  it("names host, port, login and how TLS is used", () => {
    const options = parsed("smtp://ann%40x.test:p%25w@mail.example.com:2525/?name=sender.example.com&replyTimeout=700")
    assert.deepInclude(options, { host: "mail.example.com", port: 2525, secure: false, name: "sender.example.com" })
    assert.strictEqual(options.login?.user, "ann@x.test")
    assert.strictEqual(options.login && Redacted.value(options.login.password), "p%w")
    assert.strictEqual(options.reply_timeout_ms, 700_000)
  })

  it("takes the ports of submission when it names none", () => {
    assert.strictEqual(parsed("smtp://mail.example.com").port, 587)
    assert.deepInclude(parsed("smtps://mail.example.com"), { port: 465, secure: true, requireTls: false })
    assert.strictEqual(parsed("smtp://[::1]:25").host, "::1")
  })

  it("does not send a password in the clear over a network, unless told to", () => {
    assert.isTrue(parsed("smtp://a:b@mail.example.com").requireTls)
    assert.isFalse(parsed("smtp://a:b@mail.example.com?requireTLS=false").requireTls)
    assert.isFalse(parsed("smtp://a:b@localhost:1025").requireTls)
    assert.isFalse(parsed("smtp://mail.example.com").requireTls)
  })

  it("asks for a good certificate of everybody but this machine itself", () => {
    assert.isTrue(parsed("smtp://mail.example.com").verifyCertificate)
    assert.isFalse(parsed("smtp://127.0.0.1").verifyCertificate)
    assert.isFalse(parsed("smtp://mail.example.com?verify=false").verifyCertificate)
  })

  it.each([
    ["", "no URL"],
    ["mail.example.com:25", "instead of smtp://"],
    ["http://mail.example.com", "instead of smtp://"],
    ["smtp://", "no host"],
    ["smtp://mail.example.com:99999", "no URL"],
    ["smtp://user@mail.example.com", "both a user and a password"],
    ["smtp://us%er:x@mail.example.com", "percent-encoded"],
    ["smtp://mail.example.com/path", "path"],
    ["smtp://mail.example.com?starttls=1", "parameter starttls"],
    ["smtp://mail.example.com?requireTLS=yes", "true or false"],
    ["smtp://mail.example.com?replyTimeout=0", "whole seconds"],
    ["smtps://mail.example.com?ignoreTLS=true", "contradicts"],
  ])("%j is refused with a sentence that says why", (text, why) => {
    assert.include(refused(text), why)
    assert.include(refused(text), "SMTP_URL")
    assert.notInclude(refused(text), "us%er")
  })
})
