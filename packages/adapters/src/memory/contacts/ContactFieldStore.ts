// The store of custom contact fields in memory.
import { ContactFieldStore } from "@tentpole/core/contacts/ContactFieldStore"
import type { CustomField, FieldChange } from "@tentpole/core/contacts/CustomField"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer } from "effect"
import { MemoryDatabase, type Rows, table } from "../kernel/MemoryDatabase.ts"

export const contactFields = table<CustomField>("contact_field")

/** Writes a change in the caller's transaction. */
export const writeFields = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: FieldChange) {
  for (const field of [...change.creates, ...change.updates.map((update) => update.after)]) {
    yield* db.put(contactFields, workspace, field.id, field)
  }
})

export const layer = Layer.effect(
  ContactFieldStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const list = (workspace: WorkspaceId) =>
      Effect.map(db.all(contactFields, workspace), (fields) =>
        [...fields].sort(
          (left, right) =>
            left.createdAt.epochMilliseconds - right.createdAt.epochMilliseconds || (left.id < right.id ? -1 : 1),
        ),
      )
    return ContactFieldStore.of({
      list,
      get: (workspace, id) =>
        Effect.flatMap(db.find(contactFields, workspace, id), (field) =>
          field === undefined ? Effect.fail(new NotFound({ resource: "contact field" })) : Effect.succeed(field),
        ),
      lock: (workspace) => Effect.andThen(Transaction, list(workspace)),
      apply: (workspace, change) => Effect.andThen(Transaction, writeFields(db, workspace, change)),
    })
  }),
)
