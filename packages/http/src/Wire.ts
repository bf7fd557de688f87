// Schemas and helpers that all endpoints share: timestamps, pagination, query parameters, answers.
import {
  encodeCursor,
  type Listed,
  page_limit_default,
  page_limit_max,
  type Paged,
  type PageRequest,
  pagination,
  type Sliced,
} from "@tentpole/core/kernel/Page"
import { DateTime, Effect, Result, Schema, SchemaGetter, String } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { type Body, toBody } from "./edge/Errors.ts"
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { readDate } from "@tentpole/core/contacts/values/FieldValue"
import type { Refusal } from "@tentpole/core/kernel/Refusal"

/** A timestamp in an answer: ISO 8601, UTC, with milliseconds and `Z`. */
export const InstantWire = Schema.String.annotate({
  format: "date-time",
  description: "ISO 8601, UTC",
  examples: ["2026-05-01T09:30:00.000Z"],
})

export const iso = (instant: DateTime.Utc): string => DateTime.formatIso(instant)
export const isoOrNull = (instant: DateTime.Utc | null): string | null => (instant === null ? null : iso(instant))

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name

type WireValue<Value> = Value extends DateTime.Utc ? string : Value

/** The names of properties in the API. Properties are those of our own types, so there are few. */
const wireNames = new Map<string, string>()

const wireNameOf = (property: string): string => {
  const known = wireNames.get(property)
  if (known !== undefined) return known
  const name = String.camelToSnake(property)
  wireNames.set(property, name)
  return name
}

/** The properties of an object under their names in the API (`zip_code` for `zipCode`), and instants as text. */
export const toSnakeCase = <Value extends object>(value: Value) =>
  Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, unknown]) => [
      wireNameOf(key),
      DateTime.isDateTime(each) ? DateTime.formatIso(each) : each,
    ]),
  ) as { readonly [Key in keyof Value as SnakeCase<Key>]: WireValue<Value[Key]> }

/** The keys of a body under the names of their properties: `zipCode` for `zip_code`. Omitted keys stay omitted. */
export const toCamelCase = <Body extends object>(body: Body) =>
  Object.fromEntries(
    Object.entries(body).map(([key, each]: [string, unknown]) => [String.snakeToCamel(key), each]),
  ) as {
    readonly [Key in keyof Body as CamelCase<Key>]: Body[Key]
  }

/** A day, which is its beginning in UTC, or a timestamp with a UTC offset, in a query. */
export const DayOrInstant = Schema.String.annotate({
  format: "date-or-date-time",
  examples: ["2026-05-01", "2026-05-01T10:30:00Z"],
})
  .check(
    Schema.makeFilter(
      (text: string) =>
        Result.isSuccess(readDate(text, "json")) ||
        "must be a day, such as 2026-05-01, or a timestamp with a UTC offset, such as 2026-05-01T10:30:00Z",
    ),
  )
  .pipe(
    Schema.decodeTo(Schema.DateTimeUtc, {
      decode: SchemaGetter.transform((text: string) =>
        DateTime.makeUnsafe(Result.getOrElse(readDate(text, "json"), () => text) ?? text),
      ),
      encode: SchemaGetter.transform(DateTime.formatIso),
    }),
  )

/** Text of a limited length. NUL and lone surrogates are refused earlier, by `Validation.ts`. */
export const Text = (length_max: number, length_min = 0) => {
  const message =
    length_min === 0
      ? `must have at most ${length_max} characters`
      : `must have ${length_min} to ${length_max} characters`
  return Schema.String.check(Schema.isMinLength(length_min, { message }), Schema.isMaxLength(length_max, { message }))
}

/** The payload of a call without a body. `{}` is accepted, too; a struct without fields would accept any object. */
export const nothing = [
  Schema.Record(Schema.String, Schema.Never.annotate({ message: "is not a field of this call" })).annotate({
    identifier: "Nothing",
  }),
  Schema.Undefined,
] as const

// Checks on `Schema.Unknown` would not appear in the OpenAPI document.
const anything: Schema.Codec<unknown> = Schema.Any

/** The JSON Schema of a schema, without references: the OpenAPI document does not have their definitions. */
export const documentOf = (schema: Schema.Top): Record<string, unknown> => ({
  ...Schema.toJsonSchemaDocument(schema, { referencePolicy: () => undefined }).schema,
})

/**
 * A value that the core decodes: the filter checks little. `documented` appears in the OpenAPI document, `Wire` is the type
 * for the client.
 */
export const shownAs = <Wire = unknown>(documented: Schema.Top, filter: (value: unknown) => true | string) => {
  const taken: Schema.Codec<unknown, Wire> = Schema.Any
  return taken.check(Schema.makeFilter(filter, { toJsonSchema: () => documentOf(documented) }))
}

/** An item of a batch. The core decodes it, because an invalid item must not reject the request. */
export const item = <Wire = unknown>(documented: Schema.Top) => shownAs<Wire>(documented, () => true)

/** A key that answers have and requests may not: any value is refused with this message. */
export const readOnly = (message = "is read-only") =>
  Schema.optionalKey(
    anything.check(
      Schema.makeFilter<unknown>(() => message, { toJsonSchema: () => ({ readOnly: true, description: message }) }),
    ),
  )

/** Refuses an empty body of an update, which is most likely a mistake. */
export const namesSomething = (editable: Readonly<Record<string, unknown>>) =>
  Schema.makeFilter(
    (body: object) => Object.keys(body).length > 0 || `must have at least one of ${Object.keys(editable).join(", ")}`,
    { toJsonSchema: () => ({ minProperties: 1 }) },
  )

export const PaginationWire = Schema.Struct({
  page: Schema.Int,
  limit: Schema.Int,
  total: Schema.Int,
  totalPages: Schema.Int,
}).annotate({ identifier: "Pagination" })

// A string that is documented as another type; `Schema.String` would appear as a string.
const inQuery: Schema.Codec<string> = Schema.Any

/** A whole number in a query: only digits. */
export const whole = (minimum: number, maximum: number) => {
  const message = `must be a whole number from ${minimum} to ${maximum}`
  const within = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
  return inQuery
    .check(
      Schema.makeFilter((text: string) => within(text) || message, {
        toJsonSchema: () => ({ type: "integer", minimum, maximum }),
      }),
    )
    .pipe(
      Schema.decodeTo(Schema.Int, {
        decode: SchemaGetter.transform((text: string) => Number(text)),
        encode: SchemaGetter.transform((value: number) => `${value}`),
      }),
    )
}

export const oneOf = <const Words extends ReadonlyArray<string>>(...words: Words) =>
  Schema.Literals(words).annotate({ message: `must be one of ${words.join(", ")}` })

export const pageParameter = Schema.optionalKey(whole(1, 100_000_000))
export const limitParameter = (maximum = page_limit_max) => Schema.optionalKey(whole(1, maximum))
export const searchParameter = Schema.optionalKey(Text(255, 1))
export const orderParameter = Schema.optionalKey(oneOf("asc", "desc"))

export const pageQuery = { page: pageParameter, limit: limitParameter() }

export const cursorQuery = { cursor: Schema.optionalKey(Text(200, 1)), limit: limitParameter() }

/** A listing by cursor: `listing({ keys: Schema.Array(KeyWire) })`. */
export const listing = <Fields extends Schema.Struct.Fields>(items: Fields) =>
  Schema.Struct({ ...items, next_cursor: Schema.NullOr(Schema.String) })

/** Seconds until the next poll, in answers about work in progress. */
export const pollHeaders = { "retry-after": Schema.optionalKey(Schema.String) }

export const polled = <Body>(body: Body, inProgress: boolean) =>
  HttpApiSchema.withHeaders({ body, headers: inProgress ? { "retry-after": "10" } : {} })

export const readOnlyKeys = <const Names extends ReadonlyArray<string>>(...names: Names) =>
  Object.fromEntries(names.map((name) => [name, readOnly()])) as {
    readonly [Name in Names[number]]: ReturnType<typeof readOnly>
  }

export const pageOf = (query: { readonly page?: number; readonly limit?: number }): PageRequest => ({
  page: query.page ?? 1,
  limit: query.limit ?? page_limit_default,
})

/** The answer of a listing by page: `paged("lists", query, toListWire)`. */
export const paged =
  <const Key extends string, A, Wire>(key: Key, query: Parameters<typeof pageOf>[0], toWire: (item: A) => Wire) =>
  ({ items, total }: Paged<A>) => ({
    ...named(key, items.map(toWire)),
    pagination: pagination(pageOf(query), total),
  })

/** The answer of a listing by cursor: `sliced("emails", toEmailWire)`. */
export const sliced =
  <const Key extends string, A, Wire>(key: Key, toWire: (item: A) => Wire) =>
  ({ items, next }: Sliced<A>) => ({
    ...named(key, items.map(toWire)),
    next_cursor: next === null ? null : encodeCursor(next),
  })

/** The answer of a listing: `toListing("keys", toKeyWire)`. */
export const toListing =
  <const Key extends string, A, Wire>(key: Key, toWire: (item: A) => Wire) =>
  ({ items, next }: Listed<A>) => ({ ...named(key, items.map(toWire)), next_cursor: next })

export const named = <Key extends string, Value>(key: Key, value: Value) =>
  ({ [key]: value }) as { readonly [Name in Key]: Value }

/** Maps a handler's result to the answer: a value to its wire shape, a refusal to its error body. */
export const answer =
  <A, Wire>(toWire: (value: A) => Wire) =>
  <E extends { readonly code: ErrorCode; readonly message: string } & Pick<Refusal, "details" | "extras">, R>(
    effect: Effect.Effect<A, E, R>,
  ): Effect.Effect<Wire, Body<E["code"]>, R> =>
    Effect.mapBoth(effect, { onSuccess: toWire, onFailure: (refusal) => toBody(refusal) })
