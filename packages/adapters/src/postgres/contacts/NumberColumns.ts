// Number columns of `contact`, assigned to custom fields. Numbers and dates are stored in the contact's JSON, which no index
// can order. The first fields of a workspace also have a column: dates as epoch milliseconds, numbers unchanged. The assignment
// is stored with the field's definition and is private to this adapter.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"

/** The columns `number_1` to `number_12` of the table. */
const number_columns_count = 12

/** The name of the column at a position, from 1. */
export const numberColumn = (place: number): string => `number_${place}`

/** Assigns free columns to new number and date fields, in their order. The caller has locked the workspace's fields. */
export const assignColumns = (sql: PgClient.PgClient, workspace: WorkspaceId) => sql`
  with free as (
    select place, row_number() over (order by place) as turn
    from generate_series(1, ${number_columns_count}) as place
    where not exists (
      select from contact_field f where f.workspace_id = ${workspace} and f.number_column = place
    )
  ),
  unassigned as (
    select field_definition_id, row_number() over (order by created_at, field_definition_id) as turn
    from contact_field
    where workspace_id = ${workspace} and number_column is null and value_type in ('number', 'date')
  )
  update contact_field f set number_column = free.place
  from unassigned join free using (turn)
  where f.workspace_id = ${workspace} and f.field_definition_id = unassigned.field_definition_id`

/**
 * The names and types of the fields in the columns, by position, null where a column is free: one row under the alias `assigned`.
 * The number of columns is a literal: as a parameter it would be estimated as a thousand, and the statement planned each time.
 */
export const assignedColumns = (sql: PgClient.PgClient, workspace: WorkspaceId) => sql`(
  select array_agg(f.api_name order by place) as names, array_agg(f.value_type order by place) as types
  from generate_series(1, ${sql.literal(String(number_columns_count))}) as place
  left join contact_field f on f.workspace_id = ${workspace} and f.number_column = place
) as assigned`

/** Each column with its value from the JSON in `u.custom_fields`. Needs `lentColumns`. */
export const numberValues = Array.from({ length: number_columns_count }, (_, index) => ({
  name: numberColumn(index + 1),
  value: `contact_number(u.custom_fields, assigned.names[${index + 1}], assigned.types[${index + 1}])`,
}))
