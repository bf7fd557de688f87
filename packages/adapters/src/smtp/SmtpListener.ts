// A mail server for mailboxes that a function knows. It accepts mail for these only, and accepts a message only after it is
// processed. It relays nothing, has no logins, and stores nothing.
import { Cause, Effect, Schema } from "effect"
import type { Socket } from "node:net"
import { SMTPServer, type SMTPServerDataStream } from "smtp-server"

/** The address can't be listened on; `reason` is a sentence. */
export class SmtpListenFailed extends Schema.TaggedError<SmtpListenFailed>()("SmtpListenFailed", {
  reason: Schema.String,
}) {}

export interface SmtpListenerOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** The host name in its greeting. */
  readonly name: string
  /** A longer message is refused (552). */
  readonly message_bytes_max: number
  /** How many bytes of a message are processed. The rest is dropped. */
  readonly kept_bytes_max: number
  readonly connections_max: number
  /** Time limits on silence and on a whole connection. A slower client is disconnected. */
  readonly idle_ms: number
  readonly connection_ms: number
  /** How long open connections may continue after a stop. */
  readonly grace_ms: number
}

export interface Mailboxes<R> {
  readonly has: (address: string) => boolean
  /** Processes a message. Any defect makes the client try again later. */
  readonly receive: (address: string, message: Uint8Array) => Effect.Effect<void, never, R>
}

/** An error that the library turns into this reply. */
const reply = (code: number, text: string): Error => Object.assign(new Error(text), { responseCode: code })

const noMailbox = reply(550, "5.1.1 No such mailbox here")
const tooLong = reply(552, "5.3.4 The message is too long")
const comeAgain = reply(451, "4.3.0 Not now, please try again later")

/** The beginning of the stream; the rest is read and dropped. Fails when the client disconnects before the end. */
const beginningOf = (stream: SMTPServerDataStream, bytes_max: number): Effect.Effect<Uint8Array, Error> =>
  Effect.callback<Uint8Array, Error>((resume) => {
    const chunks: Array<Buffer> = []
    let length = 0
    stream.on("data", (piece: Buffer) => {
      const wanted = piece.subarray(0, bytes_max - length)
      if (wanted.length > 0) chunks.push(wanted)
      length += wanted.length
    })
    stream.once("error", (error) => resume(Effect.fail(error)))
    stream.once("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
  })

/** Disconnects connections that last too long, even active ones. */
const cutLongConnections = (server: SMTPServer, connection_ms: number): void => {
  server.server.on("connection", (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), connection_ms)
    timer.unref()
    socket.once("close", () => clearTimeout(timer))
  })
}

/** Listens until the scope closes. Returns the port. */
export const listen = Effect.fnUntraced(function* <R>(options: SmtpListenerOptions, mailboxes: Mailboxes<R>) {
  const run = Effect.runForkWith(yield* Effect.context<R>())

  const take = (stream: SMTPServerDataStream, addresses: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const message = yield* beginningOf(stream, options.kept_bytes_max)
      if (stream.sizeExceeded) return yield* Effect.fail(tooLong)
      for (const address of addresses) yield* mailboxes.receive(address, message)
    })

  const server = new SMTPServer({
    name: options.name,
    banner: "Tentpole",
    size: options.message_bytes_max,
    // There are no logins. A mail server in front can provide encryption.
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    hideDSN: true,
    hideREQUIRETLS: true,
    disableReverseLookup: true,
    maxClients: options.connections_max,
    maxRecipients: 10,
    socketTimeout: options.idle_ms,
    closeTimeout: options.grace_ms,
    onRcptTo: ({ address }, _session, callback) => callback(mailboxes.has(address) ? null : noMailbox),
    onData: (stream, { envelope }, callback) => {
      const addresses = envelope.rcptTo.map(({ address }) => address)
      run(
        Effect.matchCauseEffect(take(stream, addresses), {
          onSuccess: () => Effect.sync(() => callback(null, "2.0.0 Taken")),
          onFailure: (cause) => {
            const error = Cause.squash(cause)
            if (error === tooLong) return Effect.sync(() => callback(tooLong))
            const logged = stream.destroyed
              ? Effect.void
              : Effect.logWarning("Returned mail was not processed. The client will send it again", cause)
            return Effect.andThen(
              logged,
              Effect.sync(() => callback(comeAgain)),
            )
          },
        }),
      )
    },
  })
  cutLongConnections(server, options.connection_ms)
  return yield* Effect.acquireRelease(opened(server, options), () => closed(server))
})

const opened = (server: SMTPServer, { host, port }: SmtpListenerOptions) =>
  Effect.callback<number, SmtpListenFailed>((resume) => {
    const refuse = (error: Error) =>
      resume(
        Effect.fail(
          new SmtpListenFailed({ reason: `Nothing can listen for mail on ${host}:${port}: ${error.message}` }),
        ),
      )
    server.once("error", refuse)
    server.listen(port, host, () => {
      server.off("error", refuse)
      // An error on a connection ends that connection only.
      server.on("error", () => undefined)
      const address = server.server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

/** Refuses new connections. Open ones may finish within `grace_ms`. */
const closed = (server: SMTPServer): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
  })
