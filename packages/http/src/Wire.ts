// What wire shapes of all rooms are made of: instants, pages, query parameters.
import { page_limit_default, page_limit_max, type PageRequest, pagination } from "@tentpole/core/kernel/Page"
import { DateTime, Effect, Result, Schema, SchemaGetter } from "effect"
import { type Body, toBody } from "./edge/Errors.ts"
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { readDate } from "@tentpole/core/contacts/values/FieldValue"
import type { Refusal } from "@tentpole/core/kernel/Refusal"

/** An instant in an answer: ISO 8601, UTC, milliseconds, `Z`. */
export const InstantWire = Schema.String.annotate({
  format: "date-time",
  description: "ISO 8601, UTC",
  examples: ["2026-05-01T09:30:00.000Z"],
})

export const iso = (instant: DateTime.Utc): string => DateTime.formatIso(instant)
export const isoOrNull = (instant: DateTime.Utc | null): string | null => (instant === null ? null : iso(instant))

const offsetMessage =
  "must be a timestamp with its offset from UTC, as 2026-05-01T12:30:00+02:00 or 2026-05-01T10:30:00Z"

/** A timestamp of a body as ISO 8601 with an offset: a day, or a time that could be anybody's, is not enough. */
export const OffsetInstant = Schema.String.check(
  Schema.makeFilter(
    (text: string) => (text.includes(":") && Result.isSuccess(readDate(text, "json"))) || offsetMessage,
  ),
)
  .annotate({ format: "date-time", examples: ["2026-05-01T12:30:00+02:00"] })
  .pipe(
    Schema.decodeTo(Schema.DateTimeUtc, {
      decode: SchemaGetter.transform((text: string) =>
        DateTime.makeUnsafe(Result.getOrElse(readDate(text, "json"), () => text) ?? text),
      ),
      encode: SchemaGetter.transform(DateTime.formatIso),
    }),
  )

/** Stored text has no NUL and no lone surrogates: the edge refuses them before any schema looks. */
export const Text = (length_max: number, length_min = 0) => {
  const message =
    length_min === 0
      ? `must have at most ${length_max} characters`
      : `must have ${length_min} to ${length_max} characters`
  return Schema.String.check(Schema.isMinLength(length_min, { message }), Schema.isMaxLength(length_max, { message }))
}

/**
 * The body of a call that takes none: `{}` or nothing at all (`payload: [Nothing, Schema.Undefined]`). A struct without
 * fields would let everything through.
 */
export const Nothing = Schema.Record(
  Schema.String,
  Schema.Never.annotate({ message: "is not a field of this call" }),
).annotate({ identifier: "Nothing" })

// `Schema.Unknown` would do, but what is checked of it is left out of the document.
const anything: Schema.Codec<unknown> = Schema.Any

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const definition = "#/$defs/"

/** Definitions stand where they are named: the document that this becomes a part of knows nothing of them. */
const inlined = (value: unknown, definitions: Readonly<Record<string, unknown>>): unknown => {
  if (Array.isArray(value)) return value.map((each) => inlined(each, definitions))
  if (!isObject(value)) return value
  const ref = value["$ref"]
  const named =
    typeof ref === "string" && ref.startsWith(definition) ? definitions[ref.slice(definition.length)] : undefined
  return named === undefined
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inlined(inner, definitions)]))
    : inlined(named, definitions)
}

/** A schema as it stands in the description, for one that says there what another one checks. */
export const documentOf = (schema: Schema.Top): Record<string, unknown> => {
  const { schema: document, definitions } = Schema.toJsonSchemaDocument(schema)
  const whole = inlined(document, definitions)
  return isObject(whole) ? { ...whole } : {}
}

/**
 * Anything that the filter takes: the core reads it, and names all that is wrong. The document shows what is right, and
 * `Wire` says the same to whoever writes a request in TypeScript.
 */
export const shownAs = <Wire = unknown>(documented: Schema.Top, filter: (value: unknown) => true | string) => {
  const taken: Schema.Codec<unknown, Wire> = Schema.Any
  return taken.check(Schema.makeFilter(filter, { toJsonSchema: () => documentOf(documented) }))
}

/** Anything at all: what is wrong with an item of a batch refuses that item, not the request. */
export const item = <Wire = unknown>(documented: Schema.Top) => shownAs<Wire>(documented, () => true)

/** A key that a resource shows and this call can't set: whatever it holds is refused in these words. */
export const readOnly = (message = "is read-only") =>
  Schema.optionalKey(
    anything.check(
      Schema.makeFilter<unknown>(() => message, { toJsonSchema: () => ({ readOnly: true, description: message }) }),
    ),
  )

/** For the body of an edit: an empty one asks for nothing, and is most likely a mistake. */
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

// Text, but described as what it stands for: a string would be described as one.
const inQuery: Schema.Codec<string> = Schema.Any

/** A whole number in a query: digits and nothing else. */
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
        encode: SchemaGetter.transform((value: number) => String(value)),
      }),
    )
}

/** One of these words. */
export const oneOf = <const Words extends ReadonlyArray<string>>(...words: Words) =>
  Schema.Literals(words).annotate({ message: `must be one of ${words.join(", ")}` })

export const pageParameter = Schema.optionalKey(whole(1, 100_000_000))
export const limitParameter = (maximum = page_limit_max) => Schema.optionalKey(whole(1, maximum))
export const searchParameter = Schema.optionalKey(Text(255, 1))
export const orderParameter = Schema.optionalKey(oneOf("asc", "desc"))

/** `page` and `limit`, as every listing by page has them. */
export const pageQuery = { page: pageParameter, limit: limitParameter() }

/** `cursor` and `limit`, as every listing by cursor has them. */
export const cursorQuery = { cursor: Schema.optionalKey(Text(200, 1)), limit: limitParameter() }

export const pageOf = (query: { readonly page?: number; readonly limit?: number }): PageRequest => ({
  page: query.page ?? 1,
  limit: query.limit ?? page_limit_default,
})

export { pagination }

/** What every handler ends with: the domain's value as the wire has it, a refusal as the body of its answer. */
export const answer =
  <A, Wire>(toWire: (value: A) => Wire) =>
  <E extends { readonly code: ErrorCode; readonly message: string } & Pick<Refusal, "details" | "extras">, R>(
    effect: Effect.Effect<A, E, R>,
  ): Effect.Effect<Wire, Body<E["code"]>, R> =>
    Effect.mapBoth(effect, { onSuccess: toWire, onFailure: (refusal) => toBody(refusal) })
