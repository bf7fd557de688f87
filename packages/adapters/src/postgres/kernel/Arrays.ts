// Array parameters, for `unnest`. The client guesses an array's type from its elements and can't when all are null, so
// nullable columns say what they are: `unnest(${texts(names)}::text[], ${texts(ids)}::uuid[])`.
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

const array = (oid: number) => (values: ReadonlyArray<unknown>) => Result.getOrThrow(PgTypes.array(values, oid))

/** Text, and with a cast behind it whatever is written as text: `::uuid[]`, `::timestamptz[]`, `::jsonb[]`. */
export const texts: (values: ReadonlyArray<string | null>) => PgTypes.Parameter = array(PgTypes.OID.text)

/** Without a cast: for columns of ids. */
export const uuids: (values: ReadonlyArray<string | null>) => PgTypes.Parameter = array(PgTypes.OID.uuid)

/** `::int[]`; beyond 32 bits the server refuses. */
export const ints: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = array(PgTypes.OID.int4)

/** `::double precision[]`. */
export const floats: (values: ReadonlyArray<number | null>) => PgTypes.Parameter = array(PgTypes.OID.float8)

/** `::boolean[]`. */
export const booleans: (values: ReadonlyArray<boolean | null>) => PgTypes.Parameter = array(PgTypes.OID.bool)
