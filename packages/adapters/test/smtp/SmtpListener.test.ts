import { listen, type SmtpListenerOptions } from "@tentpole/adapters/smtp/SmtpListener"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { assert, it, layer } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect, Layer } from "effect"
import { createTransport } from "nodemailer"
import { connect, type Socket } from "node:net"

/** Patient, as a busy machine needs it: who tests impatience says so. */
const options: SmtpListenerOptions = {
  host: "127.0.0.1",
  port: 0,
  name: "mail.test",
  message_bytes_max: 20_000,
  kept_bytes_max: 10_000,
  connections_max: 4,
  idle_ms: 60_000,
  connection_ms: 60_000,
  grace_ms: 200,
}

const here = "here@mail.test"

/** A listener with one mailbox, and what that got. */
const listening = (
  different: Partial<SmtpListenerOptions> = {},
  receive: (message: Uint8Array) => Effect.Effect<void> = () => Effect.void,
) =>
  Effect.gen(function* () {
    const got: Array<number> = []
    const port = yield* listen(
      { ...options, ...different },
      {
        has: (address) => address === here,
        receive: (_, message) => Effect.tap(receive(message), () => Effect.sync(() => void got.push(message.length))),
      },
    )
    return { port, got }
  })

/** What the server answered at last: 250, or the code of its refusal. */
const send = (port: number, to: string, text = "hello") =>
  Effect.promise(async () => {
    const transport = createTransport({ host: "127.0.0.1", port, ignoreTLS: true })
    try {
      const { response } = await transport.sendMail({
        envelope: { from: "", to },
        raw: `Subject: x\r\n\r\n${text}\r\n`,
      })
      return Number(response.slice(0, 3))
    } catch (error) {
      return typeof error === "object" && error !== null && "responseCode" in error ? error.responseCode : error
    } finally {
      transport.close()
    }
  })

/** A connection that the server has greeted, and that says nothing. */
const greeted = (port: number) =>
  Effect.callback<Socket>((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => undefined)
    socket.once("data", () => resume(Effect.succeed(socket)))
  })

/** All that the server says to these lines, until it hangs up. */
const talk = (port: number, lines: ReadonlyArray<string>) =>
  Effect.callback<string>((resume) => {
    let said = ""
    const left = [...lines]
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => undefined)
    socket.on("data", (bytes) => {
      said += bytes.toString()
      const line = left.shift()
      if (line !== undefined) socket.write(line)
    })
    socket.on("close", () => resume(Effect.succeed(said)))
  })

/** Begins a message and goes on with it, a byte at a time, until the server hangs up. Answers what that said. */
const drip = (port: number) =>
  Effect.callback<string>((resume) => {
    const lines = ["EHLO me\r\n", "MAIL FROM:<>\r\n", `RCPT TO:<${here}>\r\n`, "DATA\r\n"]
    let said = ""
    let dripping: NodeJS.Timeout | undefined
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => undefined)
    socket.on("data", (bytes) => {
      said += bytes.toString()
      const line = lines.shift()
      if (line !== undefined) socket.write(line)
      else dripping ??= setInterval(() => socket.write("x"), 50)
    })
    socket.on("close", () => {
      clearInterval(dripping)
      resume(Effect.succeed(said))
    })
  })

layer(Layer.empty, { excludeTestServices: true })("the listener for returned mail", () => {
  it.live("takes mail for its mailboxes, of a null sender too, and of nobody else", () =>
    Effect.gen(function* () {
      const { got, port } = yield* listening()
      assert.strictEqual(yield* send(port, here), 250)
      assert.strictEqual(yield* send(port, "there@mail.test"), 550)
      assert.strictEqual(got.length, 1)
    }),
  )

  it.live("says yes only after the message has been dealt with, and asks again when that fails", () =>
    Effect.gen(function* () {
      let away = true
      const { got, port } = yield* listening({}, () =>
        away ? Effect.die(new Unavailable({ part: "database" })) : Effect.void,
      )
      assert.strictEqual(yield* send(port, here), 451)
      away = false
      assert.strictEqual(yield* send(port, here), 250)
      assert.strictEqual(got.length, 1)
    }),
  )

  it.live("keeps the beginning of a long message, and refuses one that is too long", () =>
    Effect.gen(function* () {
      const { got, port } = yield* listening()
      assert.strictEqual(yield* send(port, here, "x ".repeat(7_500)), 250)
      assert.deepStrictEqual(got, [options.kept_bytes_max])
      const long = "x".repeat(70).concat("\r\n").repeat(1000)
      const said = yield* talk(port, [
        "EHLO me\r\n",
        "MAIL FROM:<>\r\n",
        `RCPT TO:<${here}>\r\n`,
        "DATA\r\n",
        `${long}.\r\n`,
        "QUIT\r\n",
      ])
      assert.match(said, /^552 /m)
      assert.strictEqual(got.length, 1)
    }),
  )

  it.live("a message that breaks off is none", () =>
    Effect.gen(function* () {
      const { got, port } = yield* listening()
      yield* Effect.callback<void>((resume) => {
        const lines = ["EHLO me\r\n", "MAIL FROM:<>\r\n", `RCPT TO:<${here}>\r\n`, "DATA\r\n", "half a mess"]
        const socket = connect(port, "127.0.0.1")
        socket.on("error", () => undefined)
        socket.on("close", () => resume(Effect.void))
        socket.on("data", () => {
          const line = lines.shift()
          if (line !== undefined) socket.write(line, () => void (lines.length === 0 && socket.destroy()))
        })
      })
      yield* Effect.sleep("50 millis")
      assert.isEmpty(got)
      assert.strictEqual(yield* send(port, here), 250, "the next one is taken")
    }),
  )

  it.live("offers neither login nor encryption, and knows nobody's name", () =>
    Effect.gen(function* () {
      const { port } = yield* listening()
      const said = yield* talk(port, [
        "EHLO me\r\n",
        "STARTTLS\r\n",
        "AUTH PLAIN AGEAYg==\r\n",
        "VRFY root\r\n",
        "QUIT\r\n",
      ])
      assert.notMatch(said, /STARTTLS|AUTH/)
      assert.strictEqual(said.match(/^50[02] /gm)?.length, 2)
    }),
  )

  const forgedReportTest = tagged(it.live, "attack/forged-report")
  forgedReportTest("cuts off who says nothing, who never ends a line, and who takes too long", () =>
    Effect.gen(function* () {
      const idle = yield* listening({ idle_ms: 300 })
      yield* talk(idle.port, [])
      yield* talk(idle.port, ["EHLO me\r\n", `NOOP ${"x".repeat(200_000)}`])
      assert.isEmpty(idle.got)
      // A machine that did not come to the message in this time is given more.
      for (let connection_ms = 1_000, begun = false; !begun; connection_ms *= 3) {
        const slow = yield* listening({ connection_ms })
        begun = /^354 /m.test(yield* drip(slow.port))
        assert.isEmpty(slow.got, "a message that never ends")
      }
    }),
  )

  it.live("greets only so many at a time, and is gone with its scope", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(
        Effect.gen(function* () {
          const { port } = yield* listening({ connections_max: 1 })
          const first = yield* greeted(port)
          assert.match(yield* talk(port, []), /^421 /)
          first.destroy()
          return port
        }),
      )
      const refused = yield* Effect.callback<boolean>((resume) => {
        connect(port, "127.0.0.1")
          .on("error", () => resume(Effect.succeed(true)))
          .on("connect", () => resume(Effect.succeed(false)))
      })
      assert.isTrue(refused)
    }),
  )

  it.live("a port that is taken is refused in a sentence", () =>
    Effect.gen(function* () {
      const { port } = yield* listening()
      assert.include((yield* Effect.flip(listening({ port }))).reason, `127.0.0.1:${port}`)
    }),
  )
})
