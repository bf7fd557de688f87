// Commands that are sent ahead: those of the next message leave with the end of the body (RFC 2920 §3.1).
import * as Smtp from "@tentpole/adapters/smtp/SmtpConnections"
import { parseSmtpUrl } from "@tentpole/adapters/smtp/SmtpUrl"
import { type Connection, MailConnections } from "@tentpole/core/sending/MailConnection"
import { until } from "@tentpole/core/contract"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result, Scope } from "effect"
import { type FakeSmtp, fakeSmtp, type FakeSmtpOptions } from "../support/FakeSmtp.ts"
import type { Act, Stage } from "../support/FakeSmtpScript.ts"

const body = (to: string) => Buffer.from(`Subject: ${to}\r\n\r\n.a dot\r\nend\r\n`)
const envelope = (to: string) => ({ from: "back@x.test", to: `${to}@sink.test` })

/** Opens connections to the server; a short time limit where it stays silent. */
const connections = (server: FakeSmtp, begin_s = 60) =>
  MailConnections.pipe(
    Effect.provide(
      Smtp.layer(
        Result.getOrThrow(
          parseSmtpUrl(`smtp://127.0.0.1:${server.port}/?ignoreTLS=true&openTimeout=60&commandTimeout=${begin_s}`),
        ),
      ),
    ),
  )

const connected = Effect.fnUntraced(function* (options?: FakeSmtpOptions) {
  const server = yield* fakeSmtp(options)
  return { server, connection: yield* (yield* connections(server)).open }
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
  ] as const)("%s: a refused recipient is not named again, and the next message is sent", ([to, end]) =>
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

  it.live("a server that does not answer it gets no more ahead, on any connection", () =>
    Effect.gen(function* () {
      const server = yield* fakeSmtp({ script: atSecond("mail", "silent") })
      const mail = yield* connections(server, 1)
      assert.deepStrictEqual(yield* chain(yield* mail.open, "one", "two"), ["accepted", "not sent: connection null"])
      assert.deepStrictEqual(yield* chain(yield* mail.open, "two", "three"), ["accepted", "accepted"])
      assert.deepStrictEqual(arrived(server), ["one", "two", "three"])
      assert.strictEqual(server.ahead_count, 1)
    }).pipe(Effect.scoped),
  )

  it.live("another message that begins instead ends the connection, and none of the two is sent", () =>
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

  it.live("a connection that is closed sends none that is not released", () =>
    Effect.gen(function* () {
      const server = yield* fakeSmtp()
      const scope = yield* Scope.make()
      const connection = yield* Scope.provide((yield* connections(server)).open, scope)
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
  ] as const)("%s: it is not sent when the connection ends with the message before", ([to, end]) =>
    Effect.gen(function* () {
      const { connection, server } = yield* connected()
      assert.deepStrictEqual(yield* chain(connection, to, "two"), [end, "not sent: connection null"])
      assert.deepStrictEqual(arrived(server), [to])
      assert.notInclude(server.recipients, "two@sink.test")
    }).pipe(Effect.scoped),
  )

  it.live("a server that refuses the message before gets it all the same", () =>
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
