// The port to a mail server, in two steps, so that the intent can be committed between them: `begin` leads to the server's
// 354, `release` sends the body. Only after `release` may the message be on its way.
import { Context, type Effect, Schema, type Scope } from "effect"

/**
 * No connection: nothing was sent. `permanent`: another attempt can't help (authentication refused). `crowded`: the server
 * requested fewer connections (421).
 */
export class ConnectFailed extends Schema.TaggedError<ConnectFailed>()("ConnectFailed", {
  reason: Schema.String,
  permanent: Schema.Boolean,
  crowded: Schema.Boolean,
}) {}

/**
 * Refused, or the connection broke, before any body was sent: nothing was sent. `code` is the SMTP reply's; null without a
 * reply. `stage` is the command that the reply answered.
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

/** Only after `inDoubt` is it unknown whether the server has the message. */
export type Outcome =
  | { readonly _tag: "accepted"; readonly reply: string }
  | { readonly _tag: "refused"; readonly code: number; readonly reply: string }
  | { readonly _tag: "notSent" }
  | { readonly _tag: "inDoubt" }

/** The server waits for the body. Callers call exactly one of the two, once. */
export interface Ready {
  /**
   * Sends the body and waits for the reply. It does not fail and must not be interrupted: closing the connection's scope ends
   * the wait, with `inDoubt` once the last byte may have been sent. When it ends, `message` is no longer read, so that its
   * memory can be reused.
   *
   * `next`: the envelope that this connection begins with next. Its commands may leave with the end of the body, which saves
   * a round trip. If another message begins instead, the connection is closed.
   */
  readonly release: (message: Uint8Array, next?: Envelope) => Effect.Effect<Outcome>
  readonly abandon: Effect.Effect<void>
}

/** `alive` is false after `abandon`, `notSent`, `inDoubt`, a 421 and whenever the server closed the connection: open another. */
export interface Connection {
  readonly begin: (envelope: Envelope) => Effect.Effect<Ready, NotSent>
  readonly alive: Effect.Effect<boolean>
}

export class MailConnections extends Context.Service<
  MailConnections,
  { readonly open: Effect.Effect<Connection, ConnectFailed, Scope.Scope> }
>()("tentpole/MailConnections") {}
