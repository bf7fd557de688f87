// TLS to a mail server: required TLS, and self-signed certificates.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SMTPServer } from "smtp-server"
import { fakeSmtp } from "../support/FakeSmtp.ts"
import { mailAt } from "../support/MailAt.ts"

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
    const mail = yield* mailAt(`smtp://127.0.0.1:${server.port}/?requireTLS=true&openTimeout=1`)
    assert.isFalse((yield* Effect.flip(Effect.scoped(mail.open))).permanent)
    assert.isFalse(server.commands.some((line) => line.startsWith("MAIL")))
  }).pipe(Effect.scoped),
)

for (const scheme of ["smtp", "smtps"] as const) {
  it.live(`${scheme}: a self-signed certificate is an error, unless verify=false`, () =>
    Effect.gen(function* () {
      const { mails, port } = yield* selfSigned({ secure: scheme === "smtps" })
      const over = (more: string) =>
        Effect.flatMap(mailAt(`${scheme}://127.0.0.1:${port}/?openTimeout=60${more}`), (mail) => mail.open)
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
