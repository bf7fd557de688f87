// The pagination of an endpoint, derived from its schemas.
import type { Paging } from "@tentpole/client/Pages"
import type { Schema, SchemaAST } from "effect"
import { type HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { parameterNames } from "../edge/Validation.ts"

/** The schema of the body, without declared headers. */
const bodyOf = (schema: Schema.Top): Schema.Top => (HttpApiSchema.isWithHeaders(schema) ? schema.schema : schema)

const arraysOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects"
    ? ast.propertySignatures.filter(({ type }) => type._tag === "Arrays").map(({ name }) => String(name))
    : []

/** The pagination of an endpoint, or null. */
export const listingOf = (endpoint: HttpApiEndpoint.Top): Paging | null => {
  const names = parameterNames(endpoint)
  const by = names.includes("page") ? "page" : names.includes("cursor") ? "cursor" : null
  if (by === null) return null
  const [entries, ...others] = [...endpoint.success].flatMap((schema) => arraysOf(bodyOf(schema).ast))
  if (entries === undefined || others.length > 0) {
    throw new Error(`${endpoint.method} ${endpoint.path} is a listing, and its answer must have one array`)
  }
  return { by, entries }
}
