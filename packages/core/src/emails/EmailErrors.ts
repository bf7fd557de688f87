// What can be refused about an email.
import { Schema } from "effect"
import type { ErrorCode } from "../kernel/ErrorCode.ts"

export class HtmlTooLarge extends Schema.TaggedError<HtmlTooLarge>()("HtmlTooLarge", {
  size_bytes: Schema.Int,
  bytes_max: Schema.Int,
}) {
  readonly code = "payload_too_large" satisfies ErrorCode
  override get message(): string {
    return `The HTML has ${this.size_bytes} bytes, and ${this.bytes_max} are the most. Link to images instead of embedding them`
  }
}

/** What an approval can lack. */
export const Missing = Schema.Literals(["subject", "from_name", "from_address", "reply_to_email", "sender_domain"])
export type Missing = typeof Missing.Type

export class EmailNotReady extends Schema.TaggedError<EmailNotReady>()("EmailNotReady", {
  missing: Schema.Array(Missing),
  fromAddress: Schema.NullOr(Schema.String),
  /** What it is not ready for, as a gerund. */
  before: Schema.Literals(["approving the email", "sending a test of it"]),
}) {
  readonly code = "email_not_ready" satisfies ErrorCode
  override get message(): string {
    const fields = this.missing.filter((each) => each !== "sender_domain")
    return [
      ...(fields.length === 0 ? [] : [`Set ${fields.join(", ")} before ${this.before}`]),
      ...(this.missing.includes("sender_domain")
        ? [`Verify the domain of ${this.fromAddress} or send from a verified one`]
        : []),
    ].join(". ")
  }
  get details(): { readonly missing: ReadonlyArray<Missing> } {
    return { missing: this.missing }
  }
}

export class ApprovalVersionStale extends Schema.TaggedError<ApprovalVersionStale>()("ApprovalVersionStale", {
  version: Schema.Int,
  current: Schema.Int,
}) {
  readonly code = "approval_version_stale" satisfies ErrorCode
  override get message(): string {
    return `Version ${this.version} is not the newest: that is ${this.current}. Look at it, then approve it`
  }
}

/** Nothing was generated yet. */
export class TemplateNotReady extends Schema.TaggedError<TemplateNotReady>()("TemplateNotReady", {}) {
  readonly code = "template_not_ready" satisfies ErrorCode
  override get message(): string {
    return "There is no HTML yet. Wait for a generation to complete, or set the content"
  }
}

/** Only what is approved can be built on. */
export class TemplateNotApproved extends Schema.TaggedError<TemplateNotApproved>()("TemplateNotApproved", {
  /** Where in the body its id stood. */
  path: Schema.String,
}) {
  readonly code = "template_not_approved" satisfies ErrorCode
  override get message(): string {
    return "The template is a draft. Approve it, or name another one"
  }
  get details() {
    return { issues: [{ path: this.path, message: "must name an approved template" }] }
  }
}

/** How many users a refusal names; all of them are counted. */
export const email_users_max = 20

/** A scheduled or sending blast, or an active flow: it sends by the email's approval. */
export const EmailUser = Schema.Struct({
  type: Schema.Literals(["blast", "flow"]),
  id: Schema.String.annotate({ format: "uuid" }),
  name: Schema.String,
})
export type EmailUser = typeof EmailUser.Type

export interface EmailUses {
  /** Blasts before flows, each by name, at most `email_users_max`. */
  readonly users: ReadonlyArray<EmailUser>
  /** Of all of them. */
  readonly count: number
}

export class EmailInUse extends Schema.TaggedError<EmailInUse>()("EmailInUse", {
  users: Schema.Array(EmailUser),
  count: Schema.Int,
  /** What was asked for, as a participle. */
  move: Schema.String,
}) {
  readonly code = "email_in_use" satisfies ErrorCode
  override get message(): string {
    const more = this.count - this.users.length
    const users = this.users
      .map(({ type, name }) => `the ${type === "blast" ? "email blast" : "flow"} "${name}"`)
      .join(", ")
    return `The email can't be ${this.move} while it is used by ${users}${more > 0 ? ` and ${more} more` : ""}. Unschedule or cancel the blasts, or let them end, and pause the flows`
  }
  get extras() {
    return { used_by: this.users, used_by_count: this.count }
  }
}
