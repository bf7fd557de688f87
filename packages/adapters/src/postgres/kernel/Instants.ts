// Conversion of the database's timestamps to instants and back.
import { DateTime, Record } from "effect"

/** A nullable `timestamptz`. */
export const instant = (date: Date | null): DateTime.Utc | null => (date === null ? null : DateTime.makeUnsafe(date))

/** A parameter for a `timestamptz`. */
export const iso = (at: DateTime.Utc | null): string | null => (at === null ? null : DateTime.formatIso(at))

/** The row of a value, when each column has the name of its property: `select created_at as "createdAt"`. */
export type RowOf<A> = {
  readonly [Key in keyof A]: DateTime.Utc extends A[Key] ? Date | Exclude<A[Key], DateTime.Utc> : A[Key]
}

/** The value of a row: its timestamps as instants. */
export const fromRow = <A>(row: RowOf<A>): A =>
  Record.map(row as Readonly<Record<string, unknown>>, (value) =>
    value instanceof Date ? DateTime.makeUnsafe(value) : value,
  ) as A
