// Array parameters for `unnest`. The client derives an array's type from its elements and fails when all are null. Nullable
// columns therefore state their type: `unnest(${texts(names)}::text[], ${texts(ids)}::uuid[])`.
import { type PgClient, PgTypes } from "@effect/sql-pg"
import { type DateTime, Result } from "effect"
import type { Statement } from "effect/sql"

const array = (oid: number) => (values: ReadonlyArray<unknown>) => Result.getOrThrow(PgTypes.array(values, oid))

/** Text, or with a cast any type that is written as text: `::uuid[]`, `::timestamptz[]`, `::jsonb[]`. */
export const texts: (values: ReadonlyArray<string | null>) => PgTypes.Parameter = array(PgTypes.OID.text)

/** Needs no cast: for columns of ids. */
export const uuids: (values: ReadonlyArray<string | null>) => PgTypes.Parameter = array(PgTypes.OID.uuid)

/** Needs no cast. */
export const byteas: (values: ReadonlyArray<Uint8Array>) => PgTypes.Parameter = array(PgTypes.OID.bytea)

/** Of instants. */
export const timestamps = (values: ReadonlyArray<DateTime.Utc>): PgTypes.Parameter =>
  array(PgTypes.OID.timestamptz)(values.map((at) => at.epochMilliseconds))

/** `::int[]`; the server rejects values beyond 32 bits. */
export const ints: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = array(PgTypes.OID.int4)

/** `::double precision[]`. */
export const floats: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = array(PgTypes.OID.float8)

/** `::boolean[]`. */
export const booleans: (values: ReadonlyArray<boolean | null>) => PgTypes.Parameter = array(PgTypes.OID.bool)

/**
 * Whether a column has one of the values. One value is no array: because arrays have several lengths, PostgreSQL would make a new
 * plan for each call, which takes longer than to find a row.
 */
export const isAnyOf = (
  sql: PgClient.PgClient,
  column: string,
  type: "text" | "uuid",
  values: ReadonlyArray<string>,
): Statement.Fragment => {
  const [first, ...others] = values
  return first !== undefined && others.length === 0
    ? sql`${sql.literal(column)} = ${first}::${sql.literal(type)}`
    : sql`${sql.literal(column)} = any(${texts(values)}::${sql.literal(type)}[])`
}
