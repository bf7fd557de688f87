// Texts and lists of JSON that are longer than their schema allows, found before decoding: a decoder checks each item of a list, and
// applies all checks to a text, before it reports that it is too long.
import { Predicate, type Schema, SchemaAST } from "effect"
import type { Issue } from "./Refusal.ts"
import { mayHold } from "./UnknownKeys.ts"

/** The issues of texts and lists above their maximum length. Recursive schemas have limits of their own. */
export const sizeIssues = (schema: Schema.Top, value: unknown): ReadonlyArray<Issue> => issuesIn(schema.ast, value, "")

const issuesIn = (schema: SchemaAST.AST, value: unknown, path: string): ReadonlyArray<Issue> => {
  const ast = schema.encoding === undefined ? schema : SchemaAST.toEncoded(schema)
  if (SchemaAST.isUnion(ast)) {
    const members = ast.types.filter((type) => mayHold(SchemaAST.toEncoded(type), value))
    return members.map((type) => issuesIn(type, value, path)).toSorted((a, b) => a.length - b.length)[0] ?? []
  }
  if ((SchemaAST.isString(ast) && typeof value === "string") || (SchemaAST.isArrays(ast) && Array.isArray(value))) {
    const message = tooLong(ast, value.length)
    if (message !== null) return [{ path, message }]
  }
  const below = (key: string | number) => (path === "" ? String(key) : `${path}.${key}`)
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    return value.flatMap((each: unknown, at) => {
      const type = ast.elements[at] ?? ast.rest[0]
      return type === undefined ? [] : issuesIn(type, each, below(at))
    })
  }
  if (!SchemaAST.isObjects(ast) || !Predicate.isObject(value)) return []
  return ast.propertySignatures.flatMap(({ name, type }) =>
    typeof name === "string" && Object.hasOwn(value, name) ? issuesIn(type, value[name], below(name)) : [],
  )
}

/** The message of the maximum that the length exceeds; null if none is exceeded. */
const tooLong = ({ checks }: SchemaAST.AST, length: number): string | null => {
  for (const { annotations } of checks ?? []) {
    const payload = annotations?.representation?.payload
    const length_max = Predicate.hasProperty(payload, "maxLength") ? payload.maxLength : undefined
    if (typeof length_max !== "number" || length <= length_max) continue
    return typeof annotations?.message === "string"
      ? annotations.message
      : `must have a length of at most ${length_max}`
  }
  return null
}
