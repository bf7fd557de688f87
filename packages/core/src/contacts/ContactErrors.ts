// Errors of operations on a single contact. They correspond to the errors of items of a batch.
import { Schema } from "effect"
import type { ErrorCode } from "../kernel/ErrorCode.ts"
import { Invalid, type Issue, NotFound } from "../kernel/Refusal.ts"
import type { ItemErrorCode, ItemRefusal } from "./batch/ContactItem.ts"

/** Issues of values with their own error codes. */
const valueCodes = [
  "invalid_email",
  "invalid_phone",
  "unknown_custom_field",
  "invalid_custom_field_value",
  "field_not_editable",
] as const
type ValueCode = (typeof valueCodes)[number]

const IssueSchema = Schema.Struct({ path: Schema.String, message: Schema.String })

const sentence = (issues: ReadonlyArray<Issue>): string =>
  `The request is not valid: ${issues.map(({ path, message }) => `${path} ${message}`).join("; ")}`

/** All issues have the same error code. Mixed issues are `Invalid`. */
export class ValueRefused extends Schema.TaggedError<ValueRefused>()("ValueRefused", {
  code: Schema.Literals(valueCodes),
  issues: Schema.Array(IssueSchema),
}) {
  override get message(): string {
    return sentence(this.issues)
  }
  get details(): { readonly issues: ReadonlyArray<Issue> } {
    return { issues: this.issues }
  }
}

/** The email or the phone belongs to another contact of the workspace. */
export class ContactConflict extends Schema.TaggedError<ContactConflict>()("ContactConflict", {
  existing: Schema.Struct({
    contactId: Schema.String,
    displayName: Schema.NullOr(Schema.String),
    email: Schema.NullOr(Schema.String),
    phone: Schema.NullOr(Schema.String),
  }),
  issues: Schema.Array(IssueSchema),
}) {
  readonly code = "conflict" satisfies ErrorCode
  override get message(): string {
    return sentence(this.issues)
  }
  get details(): { readonly issues: ReadonlyArray<Issue> } {
    return { issues: this.issues }
  }
  get extras() {
    const { contactId, displayName, email, phone } = this.existing
    return { existing_contact: { contact_id: contactId, display_name: displayName, email, phone } }
  }
}

export type ContactRefusal = NotFound | Invalid | ValueRefused | ContactConflict

const valueCodeOf = (codes: ReadonlySet<ItemErrorCode>): ValueCode | undefined =>
  codes.size === 1 ? valueCodes.find((code) => codes.has(code)) : undefined

/** Converts the refusal of a single item to an error of the operation. */
export const refusalOfOne = ({ code, existing, issues: faults }: ItemRefusal): ContactRefusal => {
  const issues = faults.map(({ path, message }) => ({ path, message }))
  if (existing !== null) return new ContactConflict({ existing, issues })
  if (code === "NOT_FOUND") return new NotFound({ resource: "contact" })
  const valueCode = valueCodeOf(new Set(faults.map((fault) => fault.code)))
  return valueCode === undefined ? new Invalid({ issues }) : new ValueRefused({ code: valueCode, issues })
}
