// The opening of an SMTP connection: login, TLS, and replies before TLS.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:net"
import { SMTPServer } from "smtp-server"
import { mailAt } from "../support/MailAt.ts"

/** Connects to a server on a free port, and closes both. */
const opened = (
  server: { listen: (port: number, host: string, up: () => void) => unknown; close: () => unknown },
  port: () => number,
  more = "",
) =>
  Effect.gen(function* () {
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => void server.close()),
    )
    const url = `smtp://user:pass@127.0.0.1:${port()}/?openTimeout=20&${more}`
    const mail = yield* mailAt(url)
    return yield* mail.open
  })

describe("MailConnections.open", () => {
  it.live.each(["PLAIN", "LOGIN", "CRAM-MD5"])("logs in by %s", (method) =>
    Effect.gen(function* () {
      const logins: Array<string> = []
      const server = new SMTPServer({
        authMethods: [method],
        allowInsecureAuth: true,
        hideSTARTTLS: true,
        onAuth: (auth, _, done) => {
          const isRight = auth.method === "CRAM-MD5" ? auth.validatePassword("pass") : auth.password === "pass"
          logins.push(`${auth.method} ${auth.username} ${isRight}`)
          done(null, { user: auth.username })
        },
        onData: (stream, _, done) => void stream.resume().once("end", () => done()),
      })
      const connection = yield* opened(server, () => addressOf(server.server.address()))
      assert.deepStrictEqual(logins, [`${method} user true`])
      const ready = yield* connection.begin({ from: "back@x.test", to: "ann@sink.test" })
      assert.strictEqual((yield* ready.release(Buffer.from("Subject: x\r\n\r\nhello\r\n")))._tag, "accepted")
    }).pipe(Effect.scoped),
  )

  it.live("refuses replies that arrive in the clear behind the one to STARTTLS", () =>
    Effect.gen(function* () {
      const commands: Array<string> = []
      const server = createServer((socket) => {
        socket.on("error", () => undefined)
        socket.write("220 sink.test\r\n")
        socket.on("data", (bytes) => {
          commands.push(bytes.toString("latin1").slice(0, 8))
          socket.write(
            bytes.toString().startsWith("EHLO")
              ? "250-sink.test\r\n250 STARTTLS\r\n"
              : "220 go\r\n250-added by another\r\n250 AUTH PLAIN\r\n",
          )
        })
      })
      const error = yield* Effect.flip(opened(server, () => addressOf(server.address()), "requireTLS=true"))
      assert.include(error.reason, "replied to no command")
      assert.strictEqual(commands.length, 2, "no command follows STARTTLS")
    }).pipe(Effect.scoped),
  )

  it.live("falls back to HELO where EHLO is unknown", () =>
    Effect.gen(function* () {
      const commands: Array<string> = []
      const server = createServer((socket) => {
        socket.on("error", () => undefined)
        socket.write("220-sink.test\r\n220 ready\r\n")
        socket.on("data", (bytes) => {
          const verb = bytes.toString().slice(0, 4)
          commands.push(verb)
          socket.write(verb === "EHLO" ? "502 5.5.1 unknown\r\n" : "250 ok\r\n")
        })
      })
      const connection = yield* opened(server, () => addressOf(server.address()), "requireTLS=false")
      assert.isTrue(yield* connection.alive)
      assert.deepStrictEqual(commands, ["EHLO", "HELO"])
    }).pipe(Effect.scoped),
  )
})

const addressOf = (address: ReturnType<ReturnType<typeof createServer>["address"]>): number =>
  address !== null && typeof address === "object" ? address.port : 0
