// Schema parts of triggers and steps. An absent key and null both mean that the value is not set yet.
import { Effect, Schema, SchemaGetter } from "effect"
import { isBlank } from "../../kernel/Text.ts"

interface Described {
  readonly message?: string
  readonly description?: string
  readonly examples?: readonly [string, ...ReadonlyArray<string>]
}

/** Null by default. */
export const part = <Of extends Schema.Top>(of: Of, described: Described = {}) =>
  Schema.NullOr(of)
    .annotate({ ...messageOf(of), ...(described as object) })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))

const messageOf = (of: Schema.Top): object => {
  const message = Schema.resolveAnnotations(of)?.["message"]
  return message === undefined ? {} : { message }
}

export const filled = (length_max: number) => {
  const message = `must be text of 1 to ${length_max} characters`
  return Schema.String.check(
    Schema.makeFilter((value: string) => (!isBlank(value) && value.length <= length_max) || message, {
      toJsonSchema: () => ({ minLength: 1, maxLength: length_max }),
    }),
  ).annotate({ message })
}

export const text = (length_max: number, description?: string, examples?: Described["examples"]) =>
  part(filled(length_max), { ...(description === undefined ? {} : { description }), ...(examples && { examples }) })

export const flag = (otherwise: boolean, description: string) =>
  Schema.Boolean.annotate({
    message: "must be true or false",
    description: `${description}; ${otherwise} by default`,
  }).pipe(Schema.withDecodingDefaultKey(Effect.succeed(otherwise)))

export const words = <const Words extends ReadonlyArray<string>>(known: Words): Schema.Literals<Words> =>
  Schema.Literals(known).annotate({ message: `must be one of ${known.join(", ")}` })

/** One of the known words; `otherwise` by default. */
export const oneOf = <const Words extends ReadonlyArray<string>>(
  known: Words,
  otherwise: Words[number],
  description: string,
): Schema.withDecodingDefaultKey<Schema.Literals<Words>> =>
  Schema.withDecodingDefaultKey<Schema.Literals<Words>>(Effect.succeed(otherwise))(
    words(known).annotate({ description }),
  )

export const wholeNumber = (minimum: number, maximum: number) => {
  const message = `must be a whole number from ${minimum} to ${maximum}`
  return Schema.Int.check(Schema.isBetween({ minimum, maximum }, { message })).annotate({ message })
}

/** A unit of time, in plural or singular. */
export const unit = <const Plurals extends ReadonlyArray<string>>(plurals: Plurals) => {
  const message = `must be one of ${plurals.join(", ")}`
  return Schema.String.annotate({ message, description: `One of ${plurals.join(", ")}. Read in singular, too` }).pipe(
    Schema.decodeTo(Schema.Literals(plurals).annotate({ message }), {
      decode: SchemaGetter.transform(
        (name) => (plurals.find((plural) => plural === `${name}s`) ?? name) as Plurals[number],
      ),
      encode: SchemaGetter.passthroughSupertype(),
    }),
  )
}
