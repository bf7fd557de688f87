// Rows of the database: their timestamps as instants, their columns as properties, and back.
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { DateTime, Effect, Record, String } from "effect"

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

/** The columns of a value, to insert or update: `createdAt` as `created_at`. */
export const toColumns = (value: object): Readonly<Record<string, unknown>> =>
  Record.mapEntries(value as Readonly<Record<string, unknown>>, (property, key) => [
    String.camelToSnake(key),
    DateTime.isDateTime(property) ? DateTime.formatIso(property) : property,
  ])

/** The only row of a statement, or a refusal that names the resource. */
export const requireRow =
  (resource: string) =>
  <Row>([row]: ReadonlyArray<Row>): Effect.Effect<Row, NotFound> =>
    row === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(row)
