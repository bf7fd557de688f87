// Contacts whose date a slot may mean, by an index: that of their birth here, or that of the column lent to the field. A date
// stands there as epoch milliseconds, so that a day is a stretch of it, and an anniversary as many stretches as there are years.
import type { PgClient } from "@effect/sql-pg"
import type { DateSlot } from "@tentpole/core/flows/engine/DateSlots"
import type { DatedContact } from "@tentpole/core/flows/engine/FlowQueue"
import { ContactId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import type { Statement } from "effect/sql"
import { texts } from "../kernel/Arrays.ts"
import { numberColumn } from "../contacts/NumberColumns.ts"

type Sql = PgClient.PgClient

interface Asked {
  /** `createdAt`, or the `api_name` of a custom field. */
  readonly field: string
  readonly slot: DateSlot
  readonly after: ContactId | null
  readonly limit: number
}

export const datedContacts = Effect.fnUntraced(function* (sql: Sql, ws: WorkspaceId, asked: Asked) {
  const dates = yield* datesOf(sql, ws, asked)
  if (dates === null) return []
  const rows = yield* sql<{ readonly contact_id: string; readonly date: string }>`
    select f.contact_id, f.date
    from (${dates}) as f
    where ${asked.after}::uuid is null or f.contact_id > ${asked.after}::uuid
    order by f.contact_id
    limit ${asked.limit}`
  return rows.map(({ contact_id, date }): DatedContact => ({ contactId: ContactId.make(contact_id), date }))
})

/** `select contact_id, date …`; null where there is no such field. */
const datesOf = Effect.fnUntraced(function* (sql: Sql, ws: WorkspaceId, { field, slot }: Asked) {
  if (field === "createdAt") {
    const wall = sql.literal("to_char(c.created_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')")
    const stretches = yield* stretchesOf(sql, ws, slot, sql`extract(epoch from created_at) * 1000`)
    return sql`
      select c.contact_id, ${wall} as date from (${stretches}) as s
      join contact c on c.workspace_id = ${ws} and c.created_at >= to_timestamp(s.from_ms / 1000)
        and c.created_at < to_timestamp(s.until_ms / 1000)`
  }
  const [known] = yield* sql<{ readonly number_column: number | null }>`
    select number_column from contact_field
    where workspace_id = ${ws} and api_name = ${field} and value_type = 'date' and status = 'active'`
  if (known === undefined) return null
  const text = sql`(c.custom_fields ->> ${field}::text)`
  if (known.number_column === null) {
    return sql`select c.contact_id, ${text} as date from contact c where c.workspace_id = ${ws} and ${startsSo(sql, slot, text)}`
  }
  const column = numberColumn(known.number_column)
  const stretches = yield* stretchesOf(sql, ws, slot, sql.literal(column))
  return sql`
    select c.contact_id, ${text} as date from (${stretches}) as s
    join contact c on c.workspace_id = ${ws} and c.${sql.literal(column)} >= s.from_ms and c.${sql.literal(column)} < s.until_ms
    where ${text} is not null`
})

/** `select from_ms, until_ms …`: the UTC days that the slot asks for, in every year from the first date that there is. */
const stretchesOf = Effect.fnUntraced(function* (
  sql: Sql,
  ws: WorkspaceId,
  { day, prefixes }: DateSlot,
  value: Statement.Fragment,
) {
  const stretch = (date: Statement.Fragment) => sql`
    extract(epoch from ${date}) * 1000 as from_ms, extract(epoch from ${date} + interval '1 day') * 1000 as until_ms`
  if ("days" in prefixes) {
    return sql`select ${stretch(sql`(g.day::date)::timestamp`)} from unnest(${texts(prefixes.days)}::text[]) as g (day)`
  }
  const [first] = yield* sql<{ readonly year: number | null }>`
    select extract(year from to_timestamp(min(${value}) / 1000) at time zone 'UTC')::int as year
    from contact where workspace_id = ${ws}`
  const last = Number(day.slice(0, 4)) + 1
  return sql`
    select ${stretch(sql`make_timestamp(y.year, left(g.day, 2)::int, right(g.day, 2)::int, 0, 0, 0)`)}
    from generate_series(${first?.year ?? last}::int, ${last}::int) as y (year)
    cross join unnest(${texts(prefixes.monthDays)}::text[]) as g (day)
    where g.day <> '02-29' or (y.year % 4 = 0 and y.year % 100 <> 0) or y.year % 400 = 0`
})

/** There are more fields than columns: the others are read through. */
const startsSo = (sql: Sql, { prefixes }: DateSlot, text: Statement.Fragment): Statement.Fragment =>
  "days" in prefixes
    ? sql`left(${text}, 10) = any(${texts(prefixes.days)}::text[])`
    : sql`substr(${text}, 6, 5) = any(${texts(prefixes.monthDays)}::text[])`
