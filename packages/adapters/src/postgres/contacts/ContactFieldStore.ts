// `ContactFieldStore` on PostgreSQL: definitions of custom fields.
import { PgClient } from "@effect/sql-pg"
import type { ValueType } from "@tentpole/core/contacts/ContactFields"
import { ContactFieldStore } from "@tentpole/core/contacts/ContactFieldStore"
import {
  type CustomField,
  type FieldChange,
  type FieldStatus,
  type ManagementMode,
  type ProvenanceKind,
} from "@tentpole/core/contacts/CustomField"
import { FieldDefinitionId, ImportSessionId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { booleans, texts } from "../kernel/Arrays.ts"
import { assignColumns } from "./NumberColumns.ts"
import { fenced } from "../kernel/Postgres.ts"

interface FieldRow {
  readonly field_definition_id: string
  readonly api_name: string
  readonly display_name: string
  readonly value_type: ValueType
  readonly is_editable: boolean
  readonly description: string | null
  readonly status: FieldStatus
  readonly management_mode: ManagementMode
  readonly provenance_kind: ProvenanceKind
  readonly provenance_provider: string | null
  readonly provenance_reference: string | null
  readonly created_by_user_id: string | null
  readonly created_from_import_session_id: string | null
  readonly show_in_people_list_default: boolean
  readonly created_at: Date
  readonly updated_at: Date
}

const fieldColumns = `f.field_definition_id, f.api_name, f.display_name, f.value_type, f.is_editable, f.description, f.status,
  f.management_mode, f.provenance_kind, f.provenance_provider, f.provenance_reference, f.created_by_user_id,
  f.created_from_import_session_id, f.show_in_people_list_default, f.created_at, f.updated_at`

const toField = (row: FieldRow): CustomField => ({
  id: FieldDefinitionId.make(row.field_definition_id),
  apiName: row.api_name,
  displayName: row.display_name,
  valueType: row.value_type,
  isEditable: row.is_editable,
  description: row.description,
  status: row.status,
  managementMode: row.management_mode,
  provenanceKind: row.provenance_kind,
  provenanceProvider: row.provenance_provider,
  provenanceReference: row.provenance_reference,
  createdByUserId: row.created_by_user_id,
  createdFromImportSessionId:
    row.created_from_import_session_id === null ? null : ImportSessionId.make(row.created_from_import_session_id),
  showInPeopleListDefault: row.show_in_people_list_default,
  createdAt: DateTime.makeUnsafe(row.created_at),
  updatedAt: DateTime.makeUnsafe(row.updated_at),
})

const allFields = (sql: PgClient.PgClient, workspace: WorkspaceId) =>
  Effect.map(
    sql<FieldRow>`
      select ${sql.literal(fieldColumns)} from contact_field f where f.workspace_id = ${workspace}
      order by f.created_at, f.field_definition_id`,
    (rows) => rows.map(toField),
  )

/** A new field has no row to lock, so one advisory lock covers all fields of the workspace. */
const lockFields = (sql: PgClient.PgClient, workspace: WorkspaceId) =>
  Effect.andThen(
    sql`select pg_advisory_xact_lock(hashtextextended(${`contact fields of ${workspace}`}, 0))`,
    allFields(sql, workspace),
  )

/** Inserts new fields and updates the mutable columns of existing ones in one statement. */
const write = (sql: PgClient.PgClient, workspace: WorkspaceId, fields: ReadonlyArray<CustomField>) => {
  const column = (of: (field: CustomField) => string | null) => texts(fields.map(of))
  const flag = (of: (field: CustomField) => boolean) => booleans(fields.map(of))
  return sql`
    insert into contact_field as f (workspace_id, field_definition_id, api_name, display_name, value_type, is_editable,
      description, status, management_mode, provenance_kind, provenance_provider, provenance_reference, created_by_user_id,
      created_from_import_session_id, show_in_people_list_default, created_at, updated_at)
    select ${workspace}, * from unnest(${column((field) => field.id)}::uuid[], ${column((field) => field.apiName)},
      ${column((field) => field.displayName)}, ${column((field) => field.valueType)}, ${flag((field) => field.isEditable)},
      ${column((field) => field.description)}, ${column((field) => field.status)}, ${column((field) => field.managementMode)},
      ${column((field) => field.provenanceKind)}, ${column((field) => field.provenanceProvider)},
      ${column((field) => field.provenanceReference)}, ${column((field) => field.createdByUserId)},
      ${column((field) => field.createdFromImportSessionId)}::uuid[], ${flag((field) => field.showInPeopleListDefault)},
      ${column((field) => DateTime.formatIso(field.createdAt))}::timestamptz[],
      ${column((field) => DateTime.formatIso(field.updatedAt))}::timestamptz[])
    on conflict (workspace_id, field_definition_id) do update set display_name = excluded.display_name,
      is_editable = excluded.is_editable, description = excluded.description, status = excluded.status,
      created_from_import_session_id = excluded.created_from_import_session_id,
      show_in_people_list_default = excluded.show_in_people_list_default, updated_at = excluded.updated_at`
}

/** Writes a change in the caller's fence and transaction. */
export const writeFields = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  change: FieldChange,
) {
  const fields = [...change.creates, ...change.updates.map((update) => update.after)]
  if (fields.length > 0) yield* write(sql, workspace, fields)
  if (change.creates.length > 0) yield* assignColumns(sql, workspace)
})

export const layer = Layer.effect(
  ContactFieldStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)
    return ContactFieldStore.of({
      list: (workspace) => within(workspace, allFields(sql, workspace)),
      get: (workspace, id) =>
        within(
          workspace,
          sql<FieldRow>`
            select ${sql.literal(fieldColumns)} from contact_field f
            where f.workspace_id = ${workspace} and f.field_definition_id = ${id}`,
        ).pipe(
          Effect.flatMap(([row]) =>
            row === undefined ? Effect.fail(new NotFound({ resource: "contact field" })) : Effect.succeed(toField(row)),
          ),
        ),
      lock: (workspace) => Effect.andThen(Transaction, within(workspace, lockFields(sql, workspace))),
      apply: (workspace, change) => Effect.andThen(Transaction, within(workspace, writeFields(sql, workspace, change))),
    })
  }),
)
