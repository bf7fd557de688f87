// Refusals about templates, besides those of documents.
import { Schema } from "effect"
import type { ErrorCode } from "../kernel/ErrorCode.ts"

/** A flow that uses the template. */
export const TemplateUse = Schema.Struct({ kind: Schema.Literals(["email flow"]), name: Schema.String })
export type TemplateUse = typeof TemplateUse.Type

export class TemplateInUse extends Schema.TaggedError<TemplateInUse>()("TemplateInUse", {
  uses: Schema.Array(TemplateUse),
  /** The requested action, as a participle. */
  move: Schema.String,
}) {
  readonly code = "email_in_use" satisfies ErrorCode
  override get message(): string {
    const users = this.uses.map(({ kind, name }) => `the ${kind} "${name}"`).join(", ")
    return `The template can't be ${this.move} while it is used by ${users}`
  }
}
