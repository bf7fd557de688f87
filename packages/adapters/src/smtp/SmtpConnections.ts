// The mail connection port over SMTP.
import { ConnectFailed, type Connection, type Envelope, MailConnections } from "@tentpole/core/sending/MailConnection"
import { Effect, Layer } from "effect"
import { connect } from "node:net"
import { connect as connectTls } from "node:tls"
import { handshake, HandshakeRefused, tlsOptions } from "./SmtpHandshake.ts"
import { SmtpSocket } from "./SmtpSocket.ts"
import { SmtpTransaction } from "./SmtpTransaction.ts"
import type { SmtpOptions } from "./SmtpUrl.ts"

export const layer = (options: SmtpOptions) =>
  Layer.succeed(
    MailConnections,
    MailConnections.of({ open: Effect.map(open(options, { takesAhead: true }), connection) }),
  )

export interface Session {
  readonly socket: SmtpSocket
  readonly options: SmtpOptions
  /** The server's answer to EHLO. */
  readonly extensions: string
  readonly server: ServerFacts
  /** A refusal left an unfinished transaction on the server: RSET comes first. */
  stale: boolean
  /** The message in progress. */
  current: SmtpTransaction | undefined
  /** The next message, whose commands were sent with the end of the one before. */
  ahead: SmtpTransaction | undefined
}

/** What all connections have learned about the mail server. */
interface ServerFacts {
  /** Whether it answers commands that were sent with the end of a body (RFC 2920 §3.1). */
  takesAhead: boolean
}

const failed = (error: Error): ConnectFailed =>
  error instanceof HandshakeRefused
    ? new ConnectFailed({
        reason: error.message,
        permanent: error.step === "login" && error.code !== null && error.code >= 500,
        crowded: error.code === 421,
      })
    : new ConnectFailed({ reason: error.message, permanent: false, crowded: false })

const connectTo = (options: SmtpOptions): SmtpSocket => {
  const { host, port, secure, begin_timeout_ms, reply_timeout_ms } = options
  const socket = secure ? connectTls({ ...tlsOptions(options), host, port }) : connect({ host, port })
  // The timers of a message come first: the socket is idle while the intent is committed.
  return new SmtpSocket(socket, begin_timeout_ms + reply_timeout_ms)
}

/** Connects and logs in. */
const open = (options: SmtpOptions, server: ServerFacts) =>
  Effect.acquireRelease(
    Effect.callback<Session, ConnectFailed>((resume) => {
      const socket = connectTo(options)
      const timer = setTimeout(() => socket.close(new Error("The login took too long")), options.open_timeout_ms)
      const opened = (extensions: string) =>
        Effect.succeed<Session>({
          socket,
          options,
          extensions,
          server,
          stale: false,
          current: undefined,
          ahead: undefined,
        })
      const refused = (error: Error) => {
        socket.close()
        return Effect.fail(failed(error))
      }
      void handshake(socket, options)
        .then(opened, refused)
        .then((result) => {
          clearTimeout(timer)
          resume(result)
        })
      return Effect.sync(() => {
        clearTimeout(timer)
        socket.close()
      })
    }),
    leave,
  )

const goodbye_ms = 1000

/** Sends QUIT if no message is in progress; else the message fails, and its sender gets that outcome. */
const leave = ({ ahead, current, socket }: Session): Effect.Effect<void> =>
  Effect.sync(() => {
    const message = current ?? ahead
    if (message !== undefined) return message.cut()
    if (socket.destroyed) return
    socket.hear(() => socket.close())
    socket.write("QUIT\r\n")
    setTimeout(() => socket.close(), goodbye_ms).unref()
  })

const connection = (session: Session): Connection => ({
  begin: (envelope: Envelope) =>
    Effect.callback((resume) => {
      const transaction = session.ahead?.isFor(envelope) ? session.ahead : new SmtpTransaction(session, envelope)
      transaction.start(resume)
      return Effect.sync(() => transaction.cut())
    }),
  alive: Effect.sync(() => !session.socket.destroyed && session.current === undefined),
})
