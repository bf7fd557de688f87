import { listen, type SmtpListenerOptions } from "@tentpole/adapters/smtp/SmtpListener"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { assert, it, layer } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect, Layer } from "effect"
import { createTransport } from "nodemailer"
import { connect, type Socket } from "node:net"

/** Long time limits for a busy machine. Tests of time limits set shorter ones. */
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

/** A listener with one mailbox, and the messages it received. */
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

/** The server's last answer: 250, or the code of its refusal. */
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

/** A greeted, silent connection. */
const greeted = (port: number) =>
  Effect.callback<Socket>((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => undefined)
    socket.once("data", () => resume(Effect.succeed(socket)))
  })

/** Everything the server sends in reply to these lines until it disconnects. */
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

/** Sends a message one byte at a time until the server disconnects. Returns the server's output. */
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

layer(Layer.empty, { excludeTestServices: true })("SmtpListener", () => {
  it.live("accepts mail for its mailboxes only, also from a null sender", () =>
    Effect.gen(function* () {
      const { got, port } = yield* listening()
      assert.strictEqual(yield* send(port, here), 250)
      assert.strictEqual(yield* send(port, "there@mail.test"), 550)
      assert.strictEqual(got.length, 1)
    }),
  )

  it.live("accepts a message only after processing it, and requests a retry when that fails", () =>
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

  it.live("processes the beginning of a long message, and refuses one that is too long", () =>
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

  it.live("ignores an incomplete message", () =>
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

  it.live("offers no login and no encryption, and confirms no user names", () =>
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
  forgedReportTest("disconnects silent clients, endless lines and connections that last too long", () =>
    Effect.gen(function* () {
      const idle = yield* listening({ idle_ms: 300 })
      yield* talk(idle.port, [])
      yield* talk(idle.port, ["EHLO me\r\n", `NOOP ${"x".repeat(200_000)}`])
      assert.isEmpty(idle.got)
      // A slow machine gets more time for the message.
      for (let connection_ms = 1_000, begun = false; !begun; connection_ms *= 3) {
        const slow = yield* listening({ connection_ms })
        begun = /^354 /m.test(yield* drip(slow.port))
        assert.isEmpty(slow.got, "a message that never ends")
      }
    }),
  )

  it.live("limits the number of connections, and stops with its scope", () =>
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

  it.live("fails with a sentence when the port is in use", () =>
    Effect.gen(function* () {
      const { port } = yield* listening()
      assert.include((yield* Effect.flip(listening({ port }))).reason, `127.0.0.1:${port}`)
    }),
  )
})
