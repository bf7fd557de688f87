// What failures say of other contacts: of the one that has the address a write wanted to set, and of a merge.
import { ApiError } from "@tentpole/client/Failures"

export interface ConflictingContact {
  readonly contactId: string
  readonly name: string
}

interface ExistingContact {
  readonly contact_id: string
  readonly display_name: string | null
  readonly email: string | null
  readonly phone: string | null
}

const isExisting = (value: unknown): value is ExistingContact =>
  typeof value === "object" && value !== null && "contact_id" in value && typeof value.contact_id === "string"

/** Null: the failure is another one, or a merge does not solve it. */
export const conflictingContact = (failure: unknown): ConflictingContact | null => {
  if (!(failure instanceof ApiError) || failure.details["merge"] !== true) return null
  const existing: unknown = failure.body["existing_contact"]
  if (!isExisting(existing)) return null
  const { contact_id, display_name, email, phone } = existing
  return { contactId: contact_id, name: display_name ?? email ?? phone ?? contact_id }
}

/** The contact that the requested one was merged into; null: it was not merged. */
export const mergedContact = (failure: unknown): string | null => {
  const id = failure instanceof ApiError ? failure.body["merged_into"] : undefined
  return typeof id === "string" ? id : null
}
