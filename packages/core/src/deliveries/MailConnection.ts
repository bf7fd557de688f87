// The port to a mail server, in two steps, so that the intent can be committed between them: `begin` brings the server to
// its 354, `release` gives it the body. Only then may the message be on its way.
import { Context, type Effect, Schema, type Scope } from "effect"

/** No connection: nothing was sent. `permanent` when trying again can't help (authentication refused). */
export class ConnectFailed extends Schema.TaggedError<ConnectFailed>()("ConnectFailed", {
  reason: Schema.String,
  permanent: Schema.Boolean,
}) {}

/** Refused, or the connection broke, before any body was released: nothing was sent. `code` is the SMTP reply's. */
export class NotSent extends Schema.TaggedError<NotSent>()("NotSent", {
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
  readonly release: (message: Uint8Array) => Effect.Effect<Outcome>
  readonly abandon: Effect.Effect<void>
}

/** Dead after `abandon`, `notSent` and `inDoubt`: open another. */
export interface Connection {
  readonly begin: (envelope: Envelope) => Effect.Effect<Ready, NotSent>
}

export class MailConnections extends Context.Service<
  MailConnections,
  { readonly open: Effect.Effect<Connection, ConnectFailed, Scope.Scope> }
>()("tentpole/MailConnections") {}
