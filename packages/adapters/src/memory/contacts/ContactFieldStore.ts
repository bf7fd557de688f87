// The store of custom contact fields in memory.
import { ContactFieldStore } from "@tentpole/core/contacts/ContactFieldStore"
import { field_users_max } from "@tentpole/core/contacts/FieldUse"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { referencesIn } from "@tentpole/core/segments/RuleTree"
import { Effect } from "effect"
import { flowsUsing } from "../flows/FlowTables.ts"
import { storeLayer } from "../kernel/MemoryDatabase.ts"
import { byAge, namesOf } from "../kernel/Slices.ts"
import { lists } from "../segments/SegmentMembers.ts"
import { contactFields, writeFields } from "./ContactTables.ts"

export const layer = storeLayer(ContactFieldStore, (db) => {
  const list = (workspace: WorkspaceId) =>
    Effect.map(db.all(contactFields, workspace), (fields) => fields.toSorted(byAge))
  return ContactFieldStore.of({
    list,
    get: (workspace, id) => db.get(contactFields, workspace, id, "contact field"),
    uses: Effect.fnUntraced(function* (workspace, { apiName, id }) {
      const naming = (yield* db.all(lists, workspace)).filter(
        (each) => each.kind === "dynamic" && referencesIn(each.rules).fields.includes(id),
      )
      const flows = yield* flowsUsing(
        db,
        workspace,
        ({ fieldNames, fields }, { lifecycle }) =>
          lifecycle.status !== "archived" && (fields.includes(id) || fieldNames.includes(apiName)),
      )
      const users = [...namesOf("contact_list", naming), ...namesOf("flow", flows)]
      return { users: users.slice(0, field_users_max), count: users.length }
    }),
    lock: (workspace) => Effect.andThen(Transaction, list(workspace)),
    apply: (workspace, change) => Effect.andThen(Transaction, writeFields(db, workspace, change)),
  })
})
