// How a listing goes on from one page to the next: by number, until the last of `totalPages`; or by cursor, until there is
// none. What kind an endpoint is, and under which key its entries stand, is read from its schemas.
import type { Schema, SchemaAST } from "effect"
import { type HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { parameterNames } from "../edge/Validation.ts"

export interface Listing {
  readonly by: "page" | "cursor"
  /** The key of the answer's one array. */
  readonly entries: string
}

type Query = Readonly<Record<string, unknown>>
type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null

/** A success's body, without the headers that are declared around it. */
export const bodyOf = (schema: Schema.Top): Schema.Top => (HttpApiSchema.isWithHeaders(schema) ? schema.schema : schema)

const arraysOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects"
    ? ast.propertySignatures.filter(({ type }) => type._tag === "Arrays").map(({ name }) => String(name))
    : []

/** Null for an endpoint that answers all at once. */
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
  const found = isObject(page) ? page[entries] : undefined
  return Array.isArray(found) ? found : []
}

/** The query of the page after this one; null after the last. */
export const nextQuery = ({ by }: Listing, query: Query, page: unknown): Query | null => {
  if (!isObject(page)) return null
  if (by === "cursor") {
    const cursor = page["next_cursor"]
    return typeof cursor === "string" ? { ...query, cursor } : null
  }
  const at = page["pagination"]
  if (!isObject(at) || typeof at["page"] !== "number" || typeof at["totalPages"] !== "number") return null
  return at["page"] < at["totalPages"] ? { ...query, page: at["page"] + 1 } : null
}
