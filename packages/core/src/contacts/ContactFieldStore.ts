// The port to the definitions of custom contact fields.
import { Context, type Effect } from "effect"
import type { FieldDefinitionId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { CustomField, FieldChange } from "./CustomField.ts"
import type { FieldUses } from "./FieldUse.ts"

export class ContactFieldStore extends Context.Service<
  ContactFieldStore,
  {
    /** All fields, archived ones included, oldest first. Fields of one request are in the order of the request. */
    readonly list: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<CustomField>>
    readonly get: (workspace: WorkspaceId, id: FieldDefinitionId) => Effect.Effect<CustomField, NotFound>
    readonly uses: (workspace: WorkspaceId, field: CustomField) => Effect.Effect<FieldUses>
    /** Like `list`, and blocks other callers of `lock` until the transaction ends, so that the limit and the names hold. */
    readonly lock: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<CustomField>, never, Transaction>
    readonly apply: (workspace: WorkspaceId, change: FieldChange) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/ContactFieldStore") {}
