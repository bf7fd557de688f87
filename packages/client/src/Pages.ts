// Pagination of listings: by page number up to `totalPages`, or by cursor.
import { isObject } from "./Failures.ts"

export interface Paging {
  readonly by: "page" | "cursor"
  /** The key of the only array in the answer. */
  readonly entries: string
}

type Query = Readonly<Record<string, unknown>>

export const entriesOf = ({ entries }: Paging, page: unknown): ReadonlyArray<unknown> => {
  const found = isObject(page) ? page[entries] : undefined
  return Array.isArray(found) ? found : []
}

/** The query of the next page; null after the last one. The feed of events always has a cursor: at its end it is the same. */
export const nextQuery = ({ by }: Paging, query: Query, page: unknown): Query | null => {
  if (!isObject(page)) return null
  if (by === "cursor") {
    const cursor = page["next_cursor"]
    return typeof cursor === "string" && cursor !== query["cursor"] ? { ...query, cursor } : null
  }
  const at = page["pagination"]
  if (!isObject(at) || typeof at["page"] !== "number" || typeof at["totalPages"] !== "number") return null
  return at["page"] < at["totalPages"] ? { ...query, page: at["page"] + 1 } : null
}
