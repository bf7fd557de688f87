// Errors of operations on a single contact. They correspond to the errors of items of a batch.
import { Schema } from "effect"
import type { ContactId } from "../kernel/Ids.ts"
import { Invalid, invalidMessage, type Issue, IssueSchema, NotFound, refusalClass } from "../kernel/Refusal.ts"
import { ExistingContact, type ItemErrorCode, type ItemRefusal, valueCodes } from "./batch/ContactItem.ts"

/** All issues have the same error code. Mixed issues are `Invalid`. */
export class ValueRefused extends Schema.TaggedError<ValueRefused>()("ValueRefused", {
  code: Schema.Literals(valueCodes),
  issues: Schema.Array(IssueSchema),
}) {
  override get message(): string {
    return invalidMessage(this.issues)
  }
  get details(): { readonly issues: ReadonlyArray<Issue> } {
    return { issues: this.issues }
  }
}

/** The email or the phone belongs to another contact of the workspace. */
export class ContactConflict extends refusalClass<ContactConflict>()("ContactConflict", {
  code: "conflict",
  fields: {
    existing: ExistingContact,
    issues: Schema.Array(IssueSchema),
  },
  message: ({ issues }) => invalidMessage(issues),
  details: ({ issues }) => ({ issues, merge: true as const }),
  extras: ({ existing: { contactId, displayName, email, phone } }) => ({
    existing_contact: { contact_id: contactId, display_name: displayName, email, phone },
  }),
}) {}

/** `mergedInto`: the contact that has taken over the id; null: none. */
export const contactNotFound = (mergedInto: ContactId | null): NotFound =>
  new NotFound({ resource: "contact", ...(mergedInto === null ? {} : { mergedInto }) })

export type ContactRefusal = NotFound | Invalid | ValueRefused | ContactConflict

const valueCodeOf = (codes: ReadonlySet<ItemErrorCode>): (typeof valueCodes)[number] | undefined =>
  codes.size === 1 ? valueCodes.find((code) => codes.has(code)) : undefined

/** Converts the refusal of a single item to an error of the operation. */
export const refusalOfOne = ({ code, existing, issues: faults, mergedInto }: ItemRefusal): ContactRefusal => {
  const issues = faults.map(({ path, message }) => ({ path, message }))
  if (existing !== null) return new ContactConflict({ existing, issues })
  if (code === "NOT_FOUND") return contactNotFound(mergedInto)
  const valueCode = valueCodeOf(new Set(faults.map((fault) => fault.code)))
  return valueCode === undefined ? new Invalid({ issues }) : new ValueRefused({ code: valueCode, issues })
}
