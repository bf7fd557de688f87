// The memory tables of contacts and of the rows that refer to them.
import type { Contact } from "@tentpole/core/contacts/Contact"
import type { Activity } from "@tentpole/core/contacts/Activity"
import type { CustomField, FieldChange } from "@tentpole/core/contacts/CustomField"
import type { Submission } from "@tentpole/core/forms/Submission"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type DateTime, Effect } from "effect"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"

export const contacts = table<Contact>("contact")
/** Undefined: it was deleted, or a single message has none. */
export const contactOf = (db: Rows, workspace: WorkspaceId, id: ContactId | null) =>
  id === null ? Effect.undefined : db.find(contacts, workspace, id)
export const activities = table<Activity & { readonly id: string }>("activity")
export const submissions = table<Submission>("form_submission")
/** A contact that was merged into another one, by its id. */
export const formerIds = table<{
  readonly formerId: ContactId
  readonly contactId: ContactId
  readonly at: DateTime.Utc
}>("contact_former_id")
export const contactFields = table<CustomField>("contact_field")

/** Writes a change of custom fields in the caller's transaction. */
export const writeFields = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: FieldChange) {
  for (const field of [...change.creates, ...change.updates.map((update) => update.after)]) {
    yield* db.put(contactFields, workspace, field.id, field)
  }
})
