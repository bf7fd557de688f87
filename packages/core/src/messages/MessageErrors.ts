// Refusals of single messages.
import { Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"

export class EmailNotApproved extends refusalClass<EmailNotApproved>()("EmailNotApproved", {
  code: "email_not_approved",
  fields: { path: Schema.String },
  message: () => "The email is not approved. Approve it, and then send messages of it",
  details: ({ path }) => ({ issues: [{ path, message: "is not approved" }] }),
}) {}

/** How many tokens a refusal names. */
export const unresolved_tokens_max = 100

/** Tokens of `data` have neither a value nor a fallback: nothing was sent. */
export class UnresolvedTokens extends refusalClass<UnresolvedTokens>()("UnresolvedTokens", {
  code: "unresolved_tokens",
  fields: { tokens: Schema.Array(Schema.String) },
  message: ({ tokens }) =>
    `The message has tokens without a value: ${tokens.slice(0, 20).join(", ")}. Add the values to data, give the tokens fallbacks, or set allow_unresolved to true`,
  details: ({ tokens }) => ({ tokens: tokens.slice(0, unresolved_tokens_max) }),
}) {}

/** The same key was used with another body. */
export class MessageKeyReused extends refusalClass<MessageKeyReused>()("MessageKeyReused", {
  code: "idempotency_key_reused",
  message: () =>
    "This Idempotency-Key was used with another body. Repeat the same request, or use another key for a new one",
}) {}
