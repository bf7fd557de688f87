// A mail server for mailboxes that a function knows: it takes mail for these and no others, and says yes to a message only when
// it has been dealt with. It relays nothing, logs nobody in, and keeps nothing.
import { Cause, Effect, Schema } from "effect"
import type { Socket } from "node:net"
import { SMTPServer, type SMTPServerDataStream } from "smtp-server"

/** Nothing can listen there; `reason` is a sentence that says so. */
export class SmtpListenFailed extends Schema.TaggedError<SmtpListenFailed>()("SmtpListenFailed", {
  reason: Schema.String,
}) {}

export interface SmtpListenerOptions {
  readonly host: string
  /** 0: any. */
  readonly port: number
  /** What it calls itself. */
  readonly name: string
  /** A longer message is refused (552). */
  readonly message_bytes_max: number
  /** What is handed on of a message; the rest is passed over. */
  readonly kept_bytes_max: number
  readonly connections_max: number
  /** Of silence; and of a whole connection. Who takes longer is cut off. */
  readonly idle_ms: number
  readonly connection_ms: number
  /** How long connections may go on when it is to stop. */
  readonly grace_ms: number
}

export interface Mailboxes<R> {
  readonly has: (address: string) => boolean
  /** Deals with a message. A failure, of whatever kind, asks the client to come again. */
  readonly receive: (address: string, message: Uint8Array) => Effect.Effect<void, never, R>
}

/** An error as this library makes a reply of it. */
const reply = (code: number, text: string): Error => Object.assign(new Error(text), { responseCode: code })

const noMailbox = reply(550, "5.1.1 No such mailbox here")
const tooLong = reply(552, "5.3.4 The message is too long")
const comeAgain = reply(451, "4.3.0 Not now, please try again later")

/** The beginning of the stream; the rest is read and dropped. Fails when the client is gone before the end. */
const beginningOf = (stream: SMTPServerDataStream, bytes_max: number): Effect.Effect<Uint8Array, Error> =>
  Effect.callback<Uint8Array, Error>((resume) => {
    const kept: Array<Buffer> = []
    let length = 0
    stream.on("data", (piece: Buffer) => {
      const wanted = piece.subarray(0, bytes_max - length)
      if (wanted.length > 0) kept.push(wanted)
      length += wanted.length
    })
    stream.once("error", (error) => resume(Effect.fail(error)))
    stream.once("end", () => resume(Effect.succeed(Buffer.concat(kept))))
  })

/** Connections that last too long are cut, however busy they are. */
const cutLongOnes = (server: SMTPServer, connection_ms: number): void => {
  server.server.on("connection", (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), connection_ms)
    timer.unref()
    socket.once("close", () => clearTimeout(timer))
  })
}

/** Listens until the scope ends. Answers the port. */
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
    // Nobody has a name and a password here; who wants the way here encrypted puts a mail server in front.
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
            const told = stream.destroyed ? Effect.void : Effect.logWarning("returned mail is asked for again", cause)
            return Effect.andThen(
              told,
              Effect.sync(() => callback(comeAgain)),
            )
          },
        }),
      )
    },
  })
  cutLongOnes(server, options.connection_ms)
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
      // What goes wrong on a connection ends that connection.
      server.on("error", () => undefined)
      const address = server.server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

/** No new connections; those that are there may end what they are at, within `grace_ms`. */
const closed = (server: SMTPServer): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
  })
