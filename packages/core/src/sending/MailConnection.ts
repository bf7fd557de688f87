// The port to a mail server, in two steps, so that the intent can be committed between them: `begin` brings the server to
// its 354, `release` gives it the body. Only then may the message be on its way.
import { Context, type Effect, Schema, type Scope } from "effect"

/**
 * No connection: nothing was sent. `permanent` when trying again can't help (authentication refused); `crowded` when the
 * server asked for fewer connections (421).
 */
export class ConnectFailed extends Schema.TaggedError<ConnectFailed>()("ConnectFailed", {
  reason: Schema.String,
  permanent: Schema.Boolean,
  crowded: Schema.Boolean,
}) {}

/**
 * Refused, or the connection broke, before any body was released: nothing was sent. `code` is the SMTP reply's, null when
 * there was none; `stage` says what the reply answered.
 */
export class NotSent extends Schema.TaggedError<NotSent>()("NotSent", {
  stage: Schema.Literals(["connection", "sender", "recipient", "data"]),
  code: Schema.NullOr(Schema.Int),
  reply: Schema.String,
}) {}

export interface Envelope {
  /** The return path. */
  readonly from: string
  readonly to: string
}

/** Only `inDoubt` leaves the question open whether the server has the message. */
export type Outcome =
  | { readonly _tag: "accepted"; readonly reply: string }
  | { readonly _tag: "refused"; readonly code: number; readonly reply: string }
  | { readonly _tag: "notSent" }
  | { readonly _tag: "inDoubt" }

/** The server waits for the body. Exactly one of the two is called, once. */
export interface Ready {
  /**
   * Gives the body and waits for the reply. It does not fail and is not to be interrupted: closing the connection's scope
   * ends the waiting, with `inDoubt` once the last byte may have gone. However it ends, nothing reads `message` any more:
   * another one may be written in its memory.
   */
  readonly release: (message: Uint8Array) => Effect.Effect<Outcome>
  readonly abandon: Effect.Effect<void>
}

/** `alive` is false after `abandon`, `notSent`, `inDoubt`, a 421 and whenever the server hung up: open another. */
export interface Connection {
  readonly begin: (envelope: Envelope) => Effect.Effect<Ready, NotSent>
  readonly alive: Effect.Effect<boolean>
}

export class MailConnections extends Context.Service<
  MailConnections,
  { readonly open: Effect.Effect<Connection, ConnectFailed, Scope.Scope> }
>()("tentpole/MailConnections") {}
