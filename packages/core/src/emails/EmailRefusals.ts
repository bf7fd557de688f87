// What can be refused about an email.
import { Schema } from "effect"
import type { ErrorCode } from "../ErrorCode.ts"
import { html_size_bytes_max } from "./EmailFields.ts"

export class HtmlTooLarge extends Schema.TaggedError<HtmlTooLarge>()("HtmlTooLarge", { size_bytes: Schema.Int }) {
  readonly code = "payload_too_large" satisfies ErrorCode
  override get message(): string {
    return `The HTML has ${this.size_bytes} bytes, and ${html_size_bytes_max} are the most. Link to images instead of embedding them`
  }
}

/** What an approval can lack. */
export const Missing = Schema.Literals(["subject", "from_name", "from_address", "reply_to_email", "sender_domain"])
export type Missing = typeof Missing.Type

export class EmailNotReady extends Schema.TaggedError<EmailNotReady>()("EmailNotReady", {
  missing: Schema.Array(Missing),
  fromAddress: Schema.NullOr(Schema.String),
}) {
  readonly code = "email_not_ready" satisfies ErrorCode
  override get message(): string {
    const fields = this.missing.filter((each) => each !== "sender_domain")
    return [
      ...(fields.length === 0 ? [] : [`Set ${fields.join(", ")} before approving the email`]),
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

/** Something that will send by the email's approval. */
export const EmailUse = Schema.Struct({ kind: Schema.Literals(["email blast"]), name: Schema.String })
export type EmailUse = typeof EmailUse.Type

export class EmailInUse extends Schema.TaggedError<EmailInUse>()("EmailInUse", {
  uses: Schema.Array(EmailUse),
  /** What was asked for, as a participle. */
  move: Schema.String,
}) {
  readonly code = "email_in_use" satisfies ErrorCode
  override get message(): string {
    const users = this.uses.map(({ kind, name }) => `the ${kind} "${name}"`).join(", ")
    return `The email can't be ${this.move} while it is used by ${users}`
  }
}
