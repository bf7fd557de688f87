// Contacts whose date a date slot selects, found by an index: of `created_at`, or of the number column of a custom field. A date
// in a number column is in epoch milliseconds. A day is one time range, and an anniversary is one range for each year.
import type { PgClient } from "@effect/sql-pg"
import type { DateSlot } from "@tentpole/core/flows/engine/DateSlots"
import type { DatedContact } from "@tentpole/core/flows/engine/FlowQueue"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { texts } from "../kernel/Arrays.ts"
import { numberColumn } from "../contacts/NumberColumns.ts"

type Sql = PgClient.PgClient

interface DateQuery {
  /** `createdAt`, or the `api_name` of a custom field. */
  readonly field: string
  readonly slot: DateSlot
  readonly after: ContactId | null
  readonly limit: number
}

export const datedContacts = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, query: DateQuery) {
  const dates = yield* datesOf(sql, workspace, query)
  if (dates === null) return []
  return yield* sql<DatedContact>`
    select f.contact_id as "contactId", f.date
    from (${dates}) as f
    where ${query.after}::uuid is null or f.contact_id > ${query.after}::uuid
    order by f.contact_id
    limit ${query.limit}`
})

/** `select contact_id, date …`; null when there is no such field. */
const datesOf = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, { field, slot }: DateQuery) {
  if (field === "createdAt") {
    const createdAt = sql.literal("to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')")
    const ranges = yield* rangesOf(sql, workspace, slot, sql`extract(epoch from created_at) * 1000`)
    return sql`
      select c.contact_id, ${createdAt} as date from (${ranges}) as s
      join contact c on c.workspace_id = ${workspace} and c.created_at >= to_timestamp(s.from_ms / 1000)
        and c.created_at < to_timestamp(s.until_ms / 1000)`
  }
  const [known] = yield* sql<{ readonly number_column: number | null }>`
    select number_column from contact_field
    where workspace_id = ${workspace} and api_name = ${field} and value_type = 'date' and status = 'active'`
  if (known === undefined) return null
  const text = sql`(c.custom_fields ->> ${field}::text)`
  if (known.number_column === null) {
    return sql`select c.contact_id, ${text} as date from contact c where c.workspace_id = ${workspace} and ${matchesSlot(sql, slot, text)}`
  }
  const column = numberColumn(known.number_column)
  const ranges = yield* rangesOf(sql, workspace, slot, sql.literal(column))
  return sql`
    select c.contact_id, ${text} as date from (${ranges}) as s
    join contact c on c.workspace_id = ${workspace} and c.${sql.literal(column)} >= s.from_ms and c.${sql.literal(column)} < s.until_ms
    where ${text} is not null`
})

/** `select from_ms, until_ms …`: the UTC days of the slot. Anniversaries begin with the year of the earliest date. */
const rangesOf = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  { day, prefixes }: DateSlot,
  value: Statement.Fragment,
) {
  const range = (date: Statement.Fragment) => sql`
    extract(epoch from ${date}) * 1000 as from_ms, extract(epoch from ${date} + interval '1 day') * 1000 as until_ms`
  if ("days" in prefixes) {
    return sql`select ${range(sql`(g.day::date)::timestamp`)} from unnest(${texts(prefixes.days)}::text[]) as g (day)`
  }
  const [first] = yield* sql<{ readonly year: number | null }>`
    select extract(year from to_timestamp(min(${value}) / 1000) at time zone 'UTC')::int as year
    from contact where workspace_id = ${workspace}`
  const last = Number(day.slice(0, 4)) + 1
  return sql`
    select ${range(sql`make_timestamp(y.year, left(g.day, 2)::int, right(g.day, 2)::int, 0, 0, 0)`)}
    from generate_series(${first?.year ?? last}::int, ${last}::int) as y (year)
    cross join unnest(${texts(prefixes.monthDays)}::text[]) as g (day)
    where g.day <> '02-29' or (y.year % 4 = 0 and y.year % 100 <> 0) or y.year % 400 = 0`
})

/** For a field without a number column: reads all contacts. */
const matchesSlot = (sql: Sql, { prefixes }: DateSlot, text: Statement.Fragment): Statement.Fragment =>
  "days" in prefixes
    ? sql`left(${text}, 10) = any(${texts(prefixes.days)}::text[])`
    : sql`substr(${text}, 6, 5) = any(${texts(prefixes.monthDays)}::text[])`
