// The store of custom contact fields in memory.
import { ContactFieldStore } from "@tentpole/core/contacts/ContactFieldStore"
import type { CustomField, FieldChange } from "@tentpole/core/contacts/CustomField"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect } from "effect"
import { type Rows, storeLayer, table } from "../kernel/MemoryDatabase.ts"
import { byAge } from "../kernel/Slices.ts"

export const contactFields = table<CustomField>("contact_field")

/** Writes a change in the caller's transaction. */
export const writeFields = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: FieldChange) {
  for (const field of [...change.creates, ...change.updates.map((update) => update.after)]) {
    yield* db.put(contactFields, workspace, field.id, field)
  }
})

export const layer = storeLayer(ContactFieldStore, (db) => {
  const list = (workspace: WorkspaceId) =>
    Effect.map(db.all(contactFields, workspace), (fields) => fields.toSorted(byAge))
  return ContactFieldStore.of({
    list,
    get: (workspace, id) => db.get(contactFields, workspace, id, "contact field"),
    lock: (workspace) => Effect.andThen(Transaction, list(workspace)),
    apply: (workspace, change) => Effect.andThen(Transaction, writeFields(db, workspace, change)),
  })
})
