// What can be refused about a template besides what emails and generations refuse too.
import { Schema } from "effect"
import type { ErrorCode } from "../ErrorCode.ts"
import type { Issue } from "../Refusal.ts"

/** Only what is approved can be built on. */
export class TemplateNotApproved extends Schema.TaggedError<TemplateNotApproved>()("TemplateNotApproved", {}) {
  readonly code = "template_not_approved" satisfies ErrorCode
  override get message(): string {
    return "The template is a draft. Approve it, or name another one"
  }
  get details(): { readonly issues: ReadonlyArray<Issue> } {
    return { issues: [{ path: "template_id", message: "names a template that is not approved" }] }
  }
}

/** Something that builds on the template. */
export const TemplateUse = Schema.Struct({ kind: Schema.Literals(["email flow"]), name: Schema.String })
export type TemplateUse = typeof TemplateUse.Type

export class TemplateInUse extends Schema.TaggedError<TemplateInUse>()("TemplateInUse", {
  uses: Schema.Array(TemplateUse),
  /** What was asked for, as a participle. */
  move: Schema.String,
}) {
  readonly code = "email_in_use" satisfies ErrorCode
  override get message(): string {
    const users = this.uses.map(({ kind, name }) => `the ${kind} "${name}"`).join(", ")
    return `The template can't be ${this.move} while it is used by ${users}`
  }
}
