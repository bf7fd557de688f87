// A bound on the unknown keys of JSON, checked before decoding: a decoder reports each of them, which takes longer than reading.
import { Predicate, type Schema, SchemaAST } from "effect"

/** More are refused without a list. */
export const unknown_keys_max = 1_000

/** Whether the value has more than `unknown_keys_max` keys that the schema does not have. Keys of records are known. */
export const hasTooManyUnknownKeys = (schema: Schema.Top, value: unknown): boolean =>
  unknownKeys(SchemaAST.toEncoded(schema.ast), value, unknown_keys_max) > unknown_keys_max

/** Counts no further than just above `limit`, and not within recursive schemas, whose decoders count for themselves. */
const unknownKeys = (ast: SchemaAST.AST, value: unknown, limit: number): number => {
  if (SchemaAST.isUnion(ast)) {
    // The decoder ignores members of another type.
    const members = ast.types.filter((type) => mayHold(type, value))
    return members.length === 0 ? 0 : Math.min(...members.map((type) => unknownKeys(type, value, limit)))
  }
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    return counted(value, limit, (each: unknown, at, left) => {
      const type = ast.elements[at] ?? ast.rest[0]
      return type === undefined ? 0 : unknownKeys(type, each, left)
    })
  }
  if (!SchemaAST.isObjects(ast) || !Predicate.isObject(value)) return 0
  const known = new Map(ast.propertySignatures.map(({ name, type }) => [name, type]))
  // A record of `never` has no keys.
  const isEmpty = ast.indexSignatures.some(({ type }) => SchemaAST.isNever(type))
  const isRecord = ast.indexSignatures.length > 0 || known.size === 0
  return counted(Object.keys(value), limit, (key, _, left) => {
    const type = known.get(key)
    if (type === undefined) return isRecord && !isEmpty ? 0 : 1
    return unknownKeys(type, value[key], left)
  })
}

/** Whether the object has the literals of the schema, as the name of a kind. A decoder ignores members of a union without. */
const hasLiterals = ({ propertySignatures }: SchemaAST.Objects, value: object): boolean =>
  propertySignatures.every(
    ({ name, type }) =>
      !SchemaAST.isLiteral(type) || SchemaAST.isOptional(type) || Reflect.get(value, name) === type.literal,
  )

/** Whether a decoder looks into a list or an object. */
export const mayHold = (ast: SchemaAST.AST, value: unknown): boolean =>
  SchemaAST.isArrays(ast)
    ? Array.isArray(value)
    : SchemaAST.isObjects(ast)
      ? Predicate.isObject(value) && !Array.isArray(value) && hasLiterals(ast, value)
      : SchemaAST.isString(ast)
        ? typeof value === "string"
        : SchemaAST.isUnion(ast)
          ? ast.types.some((type) => mayHold(type, value))
          : SchemaAST.isSuspend(ast)

const counted = <Each>(
  all: ReadonlyArray<Each>,
  limit: number,
  count: (each: Each, at: number, left: number) => number,
): number => {
  let total = 0
  for (let at = 0; at < all.length && total <= limit; at++) total += count(all[at] as Each, at, limit - total)
  return total
}
