// What can be refused about a template besides what emails and generations refuse too.
import { Schema } from "effect"
import type { ErrorCode } from "../kernel/ErrorCode.ts"

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
