// Pagination of listings: by page number up to `totalPages`, or by cursor. The kind and the key of the entries are derived from
// the endpoint's schemas.
import { Predicate, type Schema, type SchemaAST } from "effect"
import { type HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { parameterNames } from "../edge/Validation.ts"

export interface Listing {
  readonly by: "page" | "cursor"
  /** The key of the only array in the answer. */
  readonly entries: string
}

type Query = Readonly<Record<string, unknown>>

/** The schema of the body, without declared headers. */
const bodyOf = (schema: Schema.Top): Schema.Top => (HttpApiSchema.isWithHeaders(schema) ? schema.schema : schema)

const arraysOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects"
    ? ast.propertySignatures.filter(({ type }) => type._tag === "Arrays").map(({ name }) => String(name))
    : []

/** The pagination of an endpoint, or null. */
export const listingOf = (endpoint: HttpApiEndpoint.Top): Listing | null => {
  const names = parameterNames(endpoint)
  const by = names.includes("page") ? "page" : names.includes("cursor") ? "cursor" : null
  if (by === null) return null
  const [entries, ...others] = [...endpoint.success].flatMap((schema) => arraysOf(bodyOf(schema).ast))
  if (entries === undefined || others.length > 0) {
    throw new Error(`${endpoint.method} ${endpoint.path} is a listing, and its answer must have one array`)
  }
  return { by, entries }
}

export const entriesOf = ({ entries }: Listing, page: unknown): ReadonlyArray<unknown> => {
  const found = Predicate.isObject(page) ? page[entries] : undefined
  return Array.isArray(found) ? found : []
}

/** The query of the next page; null after the last one. */
export const nextQuery = ({ by }: Listing, query: Query, page: unknown): Query | null => {
  if (!Predicate.isObject(page)) return null
  if (by === "cursor") {
    const cursor = page["next_cursor"]
    return typeof cursor === "string" ? { ...query, cursor } : null
  }
  const at = page["pagination"]
  if (!Predicate.isObject(at) || typeof at["page"] !== "number" || typeof at["totalPages"] !== "number") return null
  return at["page"] < at["totalPages"] ? { ...query, page: at["page"] + 1 } : null
}
