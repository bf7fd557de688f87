// TLS to a mail server: required TLS, and self-signed certificates.
import * as Smtp from "@tentpole/adapters/smtp/SmtpConnections"
import { parseSmtpUrl } from "@tentpole/adapters/smtp/SmtpUrl"
import { MailConnections } from "@tentpole/core/sending/MailConnection"
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SMTPServer } from "smtp-server"
import { fakeSmtp } from "../support/FakeSmtp.ts"

/** A server with a self-signed certificate; records whether each message came over TLS. */
const selfSigned = ({ secure }: { readonly secure: boolean }) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly mails: ReadonlyArray<{ secure: boolean }>; close: () => void }>(
      (resume) => {
        const mails: Array<{ secure: boolean }> = []
        const server = new SMTPServer({
          secure,
          authOptional: true,
          onData: (stream, session, done) => {
            stream.resume().once("end", () => {
              mails.push({ secure: session.secure })
              done()
            })
          },
        })
        // A client that rejects the certificate ends the connection.
        server.on("error", () => undefined)
        const listening = server.listen(0, "127.0.0.1", () => {
          const address = listening.address()
          const port = address !== null && typeof address === "object" ? address.port : 0
          resume(Effect.succeed({ port, mails, close: () => server.close() }))
        })
      },
    ),
    ({ close }) => Effect.sync(close),
  )

it.live("sends nothing without the required TLS", () =>
  Effect.gen(function* () {
    const server = yield* fakeSmtp()
    // The server answers STARTTLS but starts no TLS: the client waits in vain.
    const options = Result.getOrThrow(parseSmtpUrl(`smtp://127.0.0.1:${server.port}/?requireTLS=true&openTimeout=1`))
    const mail = yield* MailConnections.pipe(Effect.provide(Smtp.layer(options)))
    assert.isFalse((yield* Effect.flip(Effect.scoped(mail.open))).permanent)
    assert.isFalse(server.commands.some((line) => line.startsWith("MAIL")))
  }).pipe(Effect.scoped),
)

for (const scheme of ["smtp", "smtps"] as const) {
  it.live(`${scheme}: a self-signed certificate is an error, unless verify=false`, () =>
    Effect.gen(function* () {
      const { mails, port } = yield* selfSigned({ secure: scheme === "smtps" })
      const over = (more: string) => {
        const options = Result.getOrThrow(parseSmtpUrl(`${scheme}://127.0.0.1:${port}/?openTimeout=60${more}`))
        return Effect.flatMap(MailConnections, (mail) => mail.open).pipe(Effect.provide(Smtp.layer(options)))
      }
      const failed = yield* Effect.flip(Effect.scoped(over("&verify=true")))
      assert.isFalse(failed.permanent, "a certificate is renewed")
      assert.match(failed.reason, /certificate/)
      assert.isEmpty(mails)
      const connection = yield* over("&verify=false")
      const ready = yield* connection.begin({ from: "back@x.test", to: "ann@sink.test" })
      assert.strictEqual((yield* ready.release(Buffer.from("Subject: x\r\n\r\nhello\r\n")))._tag, "accepted")
      assert.deepStrictEqual(mails, [{ secure: true }])
    }).pipe(Effect.scoped),
  )
}
