// The use cases of custom contact fields.
import { Context, DateTime, Effect, Layer } from "effect"
import { FieldDefinitionId, Ids, type WorkspaceId } from "../kernel/Ids.ts"
import type { Invalid, NotFound } from "../kernel/Refusal.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { ContactFieldStore } from "./ContactFieldStore.ts"
import {
  type CustomField,
  type FieldCapExceeded,
  FieldChange,
  type FieldCollision,
  type FieldPatch,
  type FieldStatus,
  type NewField,
} from "./CustomField.ts"
import type { FieldUses } from "./FieldUse.ts"

export class CustomFields extends Context.Service<
  CustomFields,
  {
    /** Creates all fields or none. `pathOf` returns the path of a field in the request, for issues. */
    readonly create: (
      workspace: WorkspaceId,
      fields: ReadonlyArray<NewField>,
      pathOf: (index: number) => string,
    ) => Effect.Effect<ReadonlyArray<CustomField>, Invalid | FieldCollision | FieldCapExceeded>
    readonly list: (workspace: WorkspaceId, status: FieldStatus | "any") => Effect.Effect<ReadonlyArray<CustomField>>
    readonly get: (workspace: WorkspaceId, id: FieldDefinitionId) => Effect.Effect<CustomField, NotFound>
    /** The lists and flows that use the field. */
    readonly uses: (workspace: WorkspaceId, id: FieldDefinitionId) => Effect.Effect<FieldUses, NotFound>
    /** `status: "active"` restores the field. The stored values of a field do not depend on its status. */
    readonly update: (
      workspace: WorkspaceId,
      id: FieldDefinitionId,
      patch: FieldPatch,
    ) => Effect.Effect<CustomField, NotFound | FieldCapExceeded>
    readonly archive: (workspace: WorkspaceId, id: FieldDefinitionId) => Effect.Effect<CustomField, NotFound>
  }
>()("tentpole/CustomFields") {
  static readonly layer = Layer.effect(
    CustomFields,
    Effect.gen(function* () {
      const store = yield* ContactFieldStore
      const { transact } = yield* Transactor
      const ids = yield* Ids

      return CustomFields.of({
        create: Effect.fn("CustomFields.create")(function* (workspace, fields, pathOf) {
          const existing = yield* store.lock(workspace)
          const newIds = (yield* ids.many(fields.length)).map((id) => FieldDefinitionId.make(id))
          const facts = { existing, ids: newIds, now: yield* DateTime.now }
          const change = yield* Effect.fromResult(FieldChange.create(fields, facts, { provenanceKind: "api", pathOf }))
          yield* store.apply(workspace, change)
          return change.creates
        }, transact),
        list: Effect.fn("CustomFields.list")((workspace, status) =>
          Effect.map(store.list(workspace), (fields) =>
            fields.filter((field) => status === "any" || field.status === status),
          ),
        ),
        get: store.get,
        uses: Effect.fn("CustomFields.uses")((workspace, id) =>
          Effect.flatMap(store.get(workspace, id), (field) => store.uses(workspace, field)),
        ),
        update: Effect.fn("CustomFields.update")(function* (workspace, id, patch) {
          const facts = { existing: yield* store.lock(workspace), now: yield* DateTime.now }
          const { field, change } = yield* Effect.fromResult(FieldChange.update(id, patch, facts))
          yield* store.apply(workspace, change)
          return field
        }, transact),
        archive: Effect.fn("CustomFields.archive")(function* (workspace, id) {
          const facts = { existing: yield* store.lock(workspace), now: yield* DateTime.now }
          const { field, change } = yield* Effect.fromResult(FieldChange.archive(id, facts))
          yield* store.apply(workspace, change)
          return field
        }, transact),
      })
    }),
  )
}
