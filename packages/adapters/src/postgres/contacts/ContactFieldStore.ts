// `ContactFieldStore` on PostgreSQL: definitions of custom fields.
import type { PgClient } from "@effect/sql-pg"
import { ContactFieldStore } from "@tentpole/core/contacts/ContactFieldStore"
import type { CustomField, FieldChange } from "@tentpole/core/contacts/CustomField"
import { field_users_max, type FieldUser, type FieldUses } from "@tentpole/core/contacts/FieldUse"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect, Struct } from "effect"
import { lockName } from "../kernel/AdvisoryLocks.ts"
import { texts } from "../kernel/Arrays.ts"
import { fromRow, requireRow, type RowOf } from "../kernel/Instants.ts"
import { flowsUsingField } from "../flows/FlowUses.ts"
import { assignColumns } from "./NumberColumns.ts"
import { storeLayer } from "../StoreLayer.ts"

/** The column of each property, and its type. */
const columns: { readonly [Key in keyof CustomField]: readonly [name: string, type: string] } = {
  id: ["field_definition_id", "uuid"],
  apiName: ["api_name", "text"],
  displayName: ["display_name", "text"],
  valueType: ["value_type", "text"],
  isEditable: ["is_editable", "boolean"],
  description: ["description", "text"],
  status: ["status", "text"],
  managementMode: ["management_mode", "text"],
  provenanceKind: ["provenance_kind", "text"],
  provenanceProvider: ["provenance_provider", "text"],
  provenanceReference: ["provenance_reference", "text"],
  createdByUserId: ["created_by_user_id", "text"],
  createdFromImportSessionId: ["created_from_import_session_id", "uuid"],
  showInPeopleListDefault: ["show_in_people_list_default", "boolean"],
  createdAt: ["created_at", "timestamptz"],
  updatedAt: ["updated_at", "timestamptz"],
}
const keys = Struct.keys(columns)
const fieldColumns = keys.map((key) => `f.${columns[key][0]} as "${key}"`).join(", ")

const allFields = (sql: PgClient.PgClient, workspace: WorkspaceId) =>
  Effect.map(
    sql<RowOf<CustomField>>`
      select ${sql.literal(fieldColumns)} from contact_field f where f.workspace_id = ${workspace}
      order by f.created_at, f.field_definition_id`,
    (rows) => rows.map(fromRow<CustomField>),
  )

interface UserRow extends FieldUser {
  readonly total: number
}

/** Lists are searched by their rules; there are few, and the answer is for a person. */
const fieldUses = (sql: PgClient.PgClient, workspace: WorkspaceId, { apiName, id }: CustomField) =>
  Effect.map(
    sql<UserRow>`
      select u.type, u.id, u.name, (count(*) over ())::int as total
      from (
        select 'contact_list' as type, l.list_id as id, l.name, l.name_folded
        from list l
        where l.workspace_id = ${workspace} and l.rules is not null
          and jsonb_path_exists(l.rules, '$.**.fieldDefinitionId ? (@ == $id)', jsonb_build_object('id', ${id}::text))
        union all
        select 'flow', f.flow_id, f.name, f.name_folded from flow f where ${flowsUsingField(sql, workspace, id, apiName)}
      ) as u
      order by u.type, u.name_folded, u.id
      limit ${field_users_max}`,
    (rows): FieldUses => ({
      users: rows.map(({ type, id: user, name }) => ({ type, id: user, name })),
      count: rows[0]?.total ?? 0,
    }),
  )

/** A new field has no row to lock, so one advisory lock covers all fields of the workspace. */
const lockFields = (sql: PgClient.PgClient, workspace: WorkspaceId) =>
  Effect.andThen(lockName(sql, "contact_fields", workspace), allFields(sql, workspace))

const asText = (value: CustomField[keyof CustomField]): string | null => {
  if (value === null) return null
  return DateTime.isDateTime(value) ? DateTime.formatIso(value) : String(value)
}

/** Inserts new fields and updates the mutable columns of existing ones in one statement. */
const writeRows = (sql: PgClient.PgClient, workspace: WorkspaceId, fields: ReadonlyArray<CustomField>) => sql`
  insert into contact_field as f (workspace_id, ${sql.literal(keys.map((key) => columns[key][0]).join(", "))})
  select ${workspace}, * from unnest(${sql.csv(
    keys.map((key) => sql`${texts(fields.map((field) => asText(field[key])))}::${sql.literal(columns[key][1])}[]`),
  )})
  on conflict (workspace_id, field_definition_id) do update set display_name = excluded.display_name,
    is_editable = excluded.is_editable, description = excluded.description, status = excluded.status,
    created_from_import_session_id = excluded.created_from_import_session_id,
    show_in_people_list_default = excluded.show_in_people_list_default, updated_at = excluded.updated_at`

/** Writes a change in the caller's fence and transaction. */
export const writeFields = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  change: FieldChange,
) {
  const fields = [...change.creates, ...change.updates.map((update) => update.after)]
  if (fields.length > 0) yield* writeRows(sql, workspace, fields)
  if (change.creates.length > 0) yield* assignColumns(sql, workspace)
})

export const layer = storeLayer(ContactFieldStore, ({ sql, within, write }) => ({
  list: (workspace) => within(workspace, allFields(sql, workspace)),
  get: (workspace, id) =>
    within(
      workspace,
      sql<RowOf<CustomField>>`
        select ${sql.literal(fieldColumns)} from contact_field f
        where f.workspace_id = ${workspace} and f.field_definition_id = ${id}`,
    ).pipe(Effect.flatMap(requireRow("contact field")), Effect.map(fromRow<CustomField>)),
  uses: (workspace, field) => within(workspace, fieldUses(sql, workspace, field)),
  lock: (workspace) => write(workspace, lockFields(sql, workspace)),
  apply: (workspace, change) => write(workspace, writeFields(sql, workspace, change)),
}))
