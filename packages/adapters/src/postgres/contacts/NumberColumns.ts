// The columns of `contact` that are lent to custom fields. A number or a date stands in the JSON of its contact, which no
// index orders; the first fields of a workspace have a column besides, as epoch milliseconds or as it is. Which field has
// which is written beside its definition, and is nobody's business but this adapter's.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { number_columns_count } from "../migrations/0010_audience.ts"

/** The column at a place, from 1. */
export const numberColumn = (place: number): string => `number_${place}`

/** Lends free columns to new fields of numbers and dates, in their order. Within the lock of the workspace's fields. */
export const lendColumns = (sql: PgClient.PgClient, workspace: WorkspaceId) => sql`
  with free as (
    select place, row_number() over (order by place) as turn
    from generate_series(1, ${number_columns_count}) as place
    where not exists (
      select from contact_field f where f.workspace_id = ${workspace} and f.number_column = place
    )
  ),
  asking as (
    select field_definition_id, row_number() over (order by created_at, field_definition_id) as turn
    from contact_field
    where workspace_id = ${workspace} and number_column is null and value_type in ('number', 'date')
  )
  update contact_field f set number_column = free.place
  from asking join free using (turn)
  where f.workspace_id = ${workspace} and f.field_definition_id = asking.field_definition_id`

/**
 * The names of the fields in the columns, each in its place, null where none is: one row under the alias `lent`. Their count
 * stands in the text: as a parameter it would be guessed at a thousand, and the statement planned anew each time for that.
 */
export const lentColumns = (sql: PgClient.PgClient, workspace: WorkspaceId) => sql`(
  select array_agg(f.api_name order by place) as names, array_agg(f.value_type order by place) as types
  from generate_series(1, ${sql.literal(String(number_columns_count))}) as place
  left join contact_field f on f.workspace_id = ${workspace} and f.number_column = place
) as lent`

/** Each column with what it holds of the JSON in `u.custom_fields`, beside `lentColumns`. */
export const numberValues = Array.from({ length: number_columns_count }, (_, index) => ({
  name: numberColumn(index + 1),
  value: `contact_number(u.custom_fields, lent.names[${index + 1}], lent.types[${index + 1}])`,
}))
