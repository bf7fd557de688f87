// Array parameters for `unnest`. The client derives an array's type from its elements and fails when all are null. Nullable
// columns therefore state their type: `unnest(${texts(names)}::text[], ${texts(ids)}::uuid[])`.
import { PgTypes } from "@effect/sql-pg"
import { type DateTime, Result } from "effect"

const array = (oid: number) => (values: ReadonlyArray<unknown>) => Result.getOrThrow(PgTypes.array(values, oid))

/** Text, or with a cast any type that is written as text: `::uuid[]`, `::timestamptz[]`, `::jsonb[]`. */
export const texts: (values: ReadonlyArray<string | null>) => PgTypes.Parameter = array(PgTypes.OID.text)

/** Needs no cast: for columns of ids. */
export const uuids: (values: ReadonlyArray<string | null>) => PgTypes.Parameter = array(PgTypes.OID.uuid)

/** Of instants. */
export const timestamps = (values: ReadonlyArray<DateTime.Utc>): PgTypes.Parameter =>
  array(PgTypes.OID.timestamptz)(values.map((at) => at.epochMilliseconds))

/** `::int[]`; the server rejects values beyond 32 bits. */
export const ints: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = array(PgTypes.OID.int4)

/** `::double precision[]`. */
export const floats: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = array(PgTypes.OID.float8)

/** `::boolean[]`. */
export const booleans: (values: ReadonlyArray<boolean | null>) => PgTypes.Parameter = array(PgTypes.OID.bool)
