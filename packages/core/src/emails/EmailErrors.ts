// Refusals about emails.
import { Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"

/** What an approval lacks. */
export const Missing = Schema.Literals([
  "subject",
  "from_name",
  "from_address",
  "reply_to_email",
  "sender_domain",
  "confirm_url",
])
export type Missing = typeof Missing.Type

export class EmailNotReady extends refusalClass<EmailNotReady>()("EmailNotReady", {
  code: "email_not_ready",
  fields: {
    missing: Schema.Array(Missing),
    fromAddress: Schema.NullOr(Schema.String),
    /** The action that the email is not ready for, as a gerund. */
    before: Schema.Literals([
      "approving the email",
      "sending a test of it",
      "sending the message",
      "asking people to confirm",
    ]),
  },
  message: (it) => {
    const fields = it.missing.filter((each) => each !== "sender_domain" && each !== "confirm_url")
    // Confirmation mails have the sender of the workspace: the caller names none.
    const place = it.before === "asking people to confirm" ? " in sender_defaults of the workspace" : ""
    return [
      ...(fields.length === 0 ? [] : [`Set ${fields.join(", ")}${place} before ${it.before}`]),
      ...(it.missing.includes("sender_domain")
        ? [`Verify the domain of ${it.fromAddress} or send from a verified one`]
        : []),
      ...(it.missing.includes("confirm_url") ? ["Add the token {{confirm_url}} to the email, and approve it"] : []),
    ].join(". ")
  },
  details: ({ missing }) => ({ missing }),
}) {}

/** An unknown merge token, and the known name that it most likely means. */
export const MisspeltToken = Schema.Struct({ token: Schema.String, nearest: Schema.String })
export type MisspeltToken = typeof MisspeltToken.Type

/** How many misspelt tokens a refusal names. */
const misspelt_tokens_max = 20

export class UnknownTokens extends refusalClass<UnknownTokens>()("UnknownTokens", {
  code: "unknown_token",
  fields: { tokens: Schema.Array(MisspeltToken) },
  message: ({ tokens }) => {
    const named = tokens.slice(0, misspelt_tokens_max).map(({ token, nearest }) => `{{${token}}} is {{${nearest}}}`)
    const more = tokens.length - named.length
    return `The email has tokens without a value. Probably ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}. Correct the email, or approve it with allow_unknown_tokens=true`
  },
  extras: ({ tokens }) => ({ unknown_tokens: tokens.slice(0, misspelt_tokens_max) }),
}) {}

/** How many users a refusal names. Its count includes all. */
export const email_users_max = 20

/** A scheduled or sending blast, or an active flow, that sends the email's approval. */
export const EmailUser = Schema.Struct({
  type: Schema.Literals(["blast", "flow"]),
  id: Schema.String.annotate({ format: "uuid" }),
  name: Schema.String,
})
export type EmailUser = typeof EmailUser.Type

export interface EmailUses {
  /** Blasts before flows, each by name, at most `email_users_max`. */
  readonly users: ReadonlyArray<EmailUser>
  /** The number of all users. */
  readonly count: number
}

export class EmailInUse extends refusalClass<EmailInUse>()("EmailInUse", {
  code: "email_in_use",
  fields: {
    users: Schema.Array(EmailUser),
    count: Schema.Int,
    /** The requested action, as a participle. */
    move: Schema.String,
  },
  message: (it) => {
    const more = it.count - it.users.length
    const users = it.users
      .map(({ type, name }) => `the ${type === "blast" ? "email blast" : "flow"} "${name}"`)
      .join(", ")
    return `The email can't be ${it.move} while it is used by ${users}${more > 0 ? ` and ${more} more` : ""}. Unschedule or cancel the blasts, or let them end, and pause the flows`
  },
  extras: ({ count, users }) => ({ used_by: users, used_by_count: count }),
}) {}
