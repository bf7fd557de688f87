// Mail over SMTP, on nodemailer's connection. Its errors can't tell whether a message may have arrived, so this file keeps
// count itself of how far the body was read: the final dot is written only after the body's stream has ended.
import { ConnectFailed, type Connection, type Envelope, MailConnections } from "@tentpole/core/sending/MailConnection"
import { Effect, Layer, Redacted } from "effect"
import SMTPConnection from "nodemailer/lib/smtp-connection"
import type { SmtpOptions } from "./SmtpUrl.ts"
import { SmtpTransaction } from "./SmtpTransaction.ts"

export const layer = (options: SmtpOptions) =>
  Layer.succeed(MailConnections, MailConnections.of({ open: Effect.map(open(options), connection) }))

/** A connection with what we must know about it. */
export interface Session {
  readonly smtp: SMTPConnection
  readonly options: SmtpOptions
  /** The server's answer to EHLO. */
  readonly extensions: string
  /** A refusal left a half-made transaction behind: RSET comes first. */
  stale: boolean
  /** The message under way. */
  current: SmtpTransaction | undefined
}

interface SmtpError extends Error {
  readonly code?: string | undefined
  readonly responseCode?: number | undefined
}

const failed = (error: SmtpError): ConnectFailed =>
  new ConnectFailed({
    reason: error.message,
    permanent: error.code === "EAUTH" && error.responseCode !== undefined && error.responseCode >= 500,
    crowded: error.responseCode === 421,
  })

const connectTo = (options: SmtpOptions): SMTPConnection =>
  new SMTPConnection({
    host: options.host,
    port: options.port,
    secure: options.secure,
    requireTLS: options.requireTls,
    ignoreTLS: options.ignoreTls,
    tls: { rejectUnauthorized: options.verifyCertificate, minVersion: "TLSv1.2" },
    ...(options.name === null ? {} : { name: options.name }),
    connectionTimeout: options.open_timeout_ms,
    greetingTimeout: options.open_timeout_ms,
    // Our own timers come first: the socket lies idle while the intent is committed.
    socketTimeout: options.begin_timeout_ms + options.reply_timeout_ms,
    // Closing is for good and at once: what was not written yet is never flushed.
    socketCloseTimeout: 0,
  })

/** Connects and logs in. A server that offers no login is used without. */
const open = (options: SmtpOptions) =>
  Effect.acquireRelease(
    Effect.callback<Session, ConnectFailed>((resume) => {
      const smtp = connectTo(options)
      const timer = setTimeout(
        () => give(new ConnectFailed({ reason: "The login took too long", permanent: false, crowded: false })),
        options.open_timeout_ms,
      )
      const give = (result: Session | ConnectFailed) => {
        clearTimeout(timer)
        if (result instanceof ConnectFailed) {
          smtp.close()
          resume(Effect.fail(result))
        } else resume(Effect.succeed(result))
      }
      smtp.on("error", (error: SmtpError) => give(failed(error)))
      smtp.connect((error?: SmtpError | null) => {
        if (error) return give(failed(error))
        const session: Session = {
          smtp,
          options,
          extensions: String(smtp.lastServerResponse),
          stale: false,
          current: undefined,
        }
        if (options.login === null || !smtp.allowsAuth) return give(session)
        const { user, password } = options.login
        smtp.login({ user, pass: Redacted.value(password) }, (refusal?: SmtpError | null) =>
          give(refusal ? failed(refusal) : session),
        )
      })
      return Effect.sync(() => {
        clearTimeout(timer)
        smtp.close()
      })
    }),
    leave,
  )

const goodbye_ms = 1000

/** Says goodbye if nothing is under way; a message under way learns that nobody waits for its reply any more. */
const leave = (session: Session): Effect.Effect<void> =>
  Effect.sync(() => {
    const { smtp, current } = session
    if (current !== undefined) return current.cut()
    if (smtp.destroyed) return
    smtp.quit()
    setTimeout(() => smtp.close(), goodbye_ms).unref()
  })

const connection = (session: Session): Connection => ({
  begin: (envelope: Envelope) =>
    Effect.callback((resume) => {
      const transaction = new SmtpTransaction(session, envelope, resume)
      transaction.start()
      return Effect.sync(() => transaction.cut())
    }),
  alive: Effect.sync(() => !session.smtp.destroyed && session.current === undefined),
})
