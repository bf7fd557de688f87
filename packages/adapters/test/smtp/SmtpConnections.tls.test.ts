// TLS to a mail server: what is asked for is never done without, and a certificate that nobody vouches for is none.
import * as Smtp from "@tentpole/adapters/smtp/SmtpConnections"
import { parseSmtpUrl } from "@tentpole/adapters/smtp/SmtpUrl"
import { MailConnections } from "@tentpole/core/sending/MailConnection"
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SMTPServer } from "smtp-server"
import { sink } from "../fixtures/SmtpSink.ts"

/** A server whose certificate it has signed itself; how each message came. */
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
        // Whoever turns away from a certificate breaks the connection off.
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

it.live("TLS that is asked for is never done without", () =>
  Effect.gen(function* () {
    const server = yield* sink()
    // Its yes to STARTTLS leads to nothing: that is what is waited for.
    const options = Result.getOrThrow(parseSmtpUrl(`smtp://127.0.0.1:${server.port}/?requireTLS=true&openTimeout=1`))
    const mail = yield* MailConnections.pipe(Effect.provide(Smtp.layer(options)))
    assert.isFalse((yield* Effect.flip(Effect.scoped(mail.open))).permanent)
    assert.isFalse(server.commands.some((line) => line.startsWith("MAIL")))
  }).pipe(Effect.scoped),
)

for (const scheme of ["smtp", "smtps"] as const) {
  it.live(
    `${scheme}: a certificate that nobody vouches for is an error that says so; nothing goes over it unless told to`,
    () =>
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
