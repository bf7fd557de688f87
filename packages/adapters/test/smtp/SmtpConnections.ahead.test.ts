// Commands that are sent ahead: those of the next message leave with the end of the body (RFC 2920 §3.1).
import type { Connection } from "@tentpole/core/sending/MailConnection"
import { until } from "@tentpole/core/contract"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"
import { type FakeSmtp, fakeSmtp, type FakeSmtpOptions } from "../support/FakeSmtp.ts"
import type { Act, Stage } from "../support/FakeSmtpScript.ts"
import { mailAt } from "../support/MailAt.ts"

const body = (to: string) => Buffer.from(`Subject: ${to}\r\n\r\n.a dot\r\nend\r\n`)
const envelope = (to: string) => ({ from: "back@x.test", to: `${to}@sink.test` })

/** `begin_s`: how long it waits for an answer to MAIL. */
const mailTo = ({ port }: { readonly port: number }, begin_s = 60) =>
  mailAt(`smtp://127.0.0.1:${port}/?ignoreTLS=true&openTimeout=60&commandTimeout=${begin_s}`)

const connected = Effect.fnUntraced(function* (options?: FakeSmtpOptions) {
  const server = yield* fakeSmtp(options)
  return { server, connection: yield* (yield* mailTo(server)).open }
})

/** Sends the messages in this order, each with the envelope of the next, and describes how each ended. */
const chain = (connection: Connection, ...all: ReadonlyArray<string>) =>
  Effect.forEach(all, (to, at) =>
    Effect.gen(function* () {
      const ready = yield* connection.begin(envelope(to))
      const next = all[at + 1]
      const end = yield* ready.release(body(to), next === undefined ? undefined : envelope(next))
      return end._tag === "refused" ? `refused ${end.code}` : end._tag
    }).pipe(Effect.catchTag("NotSent", (error) => Effect.succeed(`not sent: ${error.stage} ${error.code}`))),
  )

const arrived = ({ messages }: FakeSmtp) => messages.map(({ to }) => to.replace("@sink.test", ""))

describe("the next envelope", () => {
  it.live("leaves with the end of the body, and every message arrives as it is", () =>
    Effect.gen(function* () {
      const { connection, server } = yield* connected()
      assert.deepStrictEqual(yield* chain(connection, "one", "two-dot250hold30", "three"), [
        "accepted",
        "accepted",
        "accepted",
      ])
      assert.deepStrictEqual(
        server.messages.map(({ from, raw, to }) => ({ from, raw, to })),
        ["one", "two-dot250hold30", "three"].map((to) => ({ ...envelope(to), raw: body(to).toString() })),
      )
      assert.deepStrictEqual([server.ahead_count, server.connections_count], [2, 1])
    }).pipe(Effect.scoped),
  )

  it.live.each([
    ["ann-rcpt550", "not sent: recipient 550"],
    ["ann-rcpt450", "not sent: recipient 450"],
  ] as const)("%s: of a refused recipient is not sent again, and the message after it is sent", ([to, end]) =>
    Effect.gen(function* () {
      const { connection, server } = yield* connected()
      assert.deepStrictEqual(yield* chain(connection, "one", to, "three", "four"), [
        "accepted",
        end,
        "accepted",
        "accepted",
      ])
      assert.deepStrictEqual(arrived(server), ["one", "three", "four"])
      assert.lengthOf(
        server.recipients.filter((named) => named === `${to}@sink.test`),
        1,
      )
      assert.strictEqual(server.ahead_count, 2, "the server still gets commands ahead")
    }).pipe(Effect.scoped),
  )

  it.live("is understood by smtp-server, another implementation", () =>
    Effect.gen(function* () {
      const got: Array<string> = []
      const server = new SMTPServer({
        authOptional: true,
        disabledCommands: ["AUTH", "STARTTLS"],
        onData: (stream, { envelope: { rcptTo } }, done) => {
          let raw = ""
          stream.on("data", (piece) => (raw += String(piece)))
          stream.once("end", () => {
            got.push(`${rcptTo.map(({ address }) => address).join()} ${raw}`)
            done()
          })
        },
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => server.close()),
      )
      const connection = yield* (yield* mailTo(server.server.address() as AddressInfo)).open
      const names = Array.from({ length: 20 }, (_, at) => `ann${at}`)
      assert.deepStrictEqual(new Set(yield* chain(connection, ...names)), new Set(["accepted"]))
      assert.deepStrictEqual(
        got,
        names.map((to) => `${envelope(to).to} ${body(to).toString()}`),
      )
    }).pipe(Effect.scoped),
  )

  /** Acts at the second message of all connections, the first that is sent ahead. */
  const atSecond = (stage: Stage, act: Act) => {
    let count = 0
    return (at: Stage) => (at === stage && ++count === 2 ? act : undefined)
  }

  it.live.each(["mail", "data"] as const)(
    "a refusal of %s counts only when it is repeated, and nothing more is sent ahead",
    (stage) =>
      Effect.gen(function* () {
        const { connection, server } = yield* connected({ script: atSecond(stage, 503) })
        assert.deepStrictEqual(yield* chain(connection, "one", "two", "three"), ["accepted", "accepted", "accepted"])
        assert.deepStrictEqual(arrived(server), ["one", "two", "three"])
        assert.deepStrictEqual([server.ahead_count, server.connections_count], [1, 1])
      }).pipe(Effect.scoped),
  )

  it.live("after silence, no connection sends ahead any more", () =>
    Effect.gen(function* () {
      const server = yield* fakeSmtp({ script: atSecond("mail", "silent") })
      const mail = yield* mailTo(server, 1)
      assert.deepStrictEqual(yield* chain(yield* mail.open, "one", "two"), ["accepted", "not sent: connection null"])
      assert.deepStrictEqual(yield* chain(yield* mail.open, "two", "three"), ["accepted", "accepted"])
      assert.deepStrictEqual(arrived(server), ["one", "two", "three"])
      assert.strictEqual(server.ahead_count, 1)
    }).pipe(Effect.scoped),
  )

  it.live("if another message begins instead, the connection ends, and neither of the two is sent", () =>
    Effect.gen(function* () {
      const { connection, server } = yield* connected()
      const ready = yield* connection.begin(envelope("one"))
      assert.strictEqual((yield* ready.release(body("one"), envelope("two")))._tag, "accepted")
      assert.isTrue(yield* connection.alive)
      const refused = yield* Effect.flip(connection.begin(envelope("other")))
      assert.deepStrictEqual([refused.code, refused.reply], [null, "The connection is closed"])
      assert.isFalse(yield* connection.alive)
      assert.deepStrictEqual(arrived(server), ["one"])
    }).pipe(Effect.scoped),
  )

  it.live("is not followed by a message if the connection is closed", () =>
    Effect.gen(function* () {
      const server = yield* fakeSmtp()
      const scope = yield* Scope.make()
      const connection = yield* Scope.provide((yield* mailTo(server)).open, scope)
      const ready = yield* connection.begin(envelope("one"))
      yield* ready.release(body("one"), envelope("two"))
      yield* until(() => server.recipients.length === 2)
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(yield* connection.alive)
      assert.deepStrictEqual(arrived(server), ["one"])
    }).pipe(Effect.scoped),
  )

  it.live.each([
    ["one-dotcut", "inDoubt"],
    ["one-dot421", "refused 421"],
  ] as const)("%s: is lost with the connection, and its message is not sent", ([to, end]) =>
    Effect.gen(function* () {
      const { connection, server } = yield* connected()
      assert.deepStrictEqual(yield* chain(connection, to, "two"), [end, "not sent: connection null"])
      assert.deepStrictEqual(arrived(server), [to])
      assert.notInclude(server.recipients, "two@sink.test")
    }).pipe(Effect.scoped),
  )

  it.live("counts also if the server refuses the message before", () =>
    Effect.gen(function* () {
      const { connection, server } = yield* connected()
      assert.deepStrictEqual(yield* chain(connection, "one-dot452", "two"), ["refused 452", "accepted"])
      assert.strictEqual(server.connections_count, 1)
    }).pipe(Effect.scoped),
  )

  it.live.each([
    ["two", [], "accepted"],
    ["ü", ["PIPELINING"], "not sent: recipient 553"],
    ["t>wo", ["PIPELINING"], "not sent: recipient 553"],
  ] as const)("%s waits for the reply where the server has only the extensions %j", ([to, extensions, end]) =>
    Effect.gen(function* () {
      const { connection, server } = yield* connected({ behaviour: { extensions } })
      const [, second, third] = yield* chain(connection, "one", to, "three")
      assert.deepStrictEqual([second, third, server.ahead_count], [end, "accepted", 0])
    }).pipe(Effect.scoped),
  )
})
