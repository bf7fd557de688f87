// Search by name over everything that a workspace has: what is found, and the order of the results. Pure.
import { byCodePoint, fold } from "../../kernel/Text.ts"

/** In the order of results that fit equally well. */
export const searchedTypes = [
  "contact",
  "list",
  "email",
  "blast",
  "flow",
  "tent",
  "email_template",
  "tent_template",
] as const
export type SearchedType = (typeof searchedTypes)[number]

export const results_max = 20
/** Results of one type. */
export const results_of_type_max = 5
/** Names of one type that a search reads: the newest ones. */
export const names_max = 10_000

export interface SearchResult {
  readonly type: SearchedType
  readonly id: string
  readonly name: string
  /** The status; of a list its kind; of a contact its email address, or its phone number. */
  readonly detail: string | null
}

/** Names that begin with the text come first. Contacts match by the beginning of a name or of the address. */
const begins = ({ name, type }: SearchResult, folded: string): boolean =>
  type === "contact" || fold(name).startsWith(folded)

/** `folded`: the text of the search. */
export const inOrder =
  (folded: string) =>
  (left: SearchResult, right: SearchResult): number =>
    Number(begins(right, folded)) - Number(begins(left, folded)) ||
    searchedTypes.indexOf(left.type) - searchedTypes.indexOf(right.type) ||
    byCodePoint(fold(left.name), fold(right.name)) ||
    byCodePoint(left.id, right.id)

/** The best results, at most five of a type. */
export const bestOf = (
  found: ReadonlyArray<SearchResult>,
  folded: string,
  limit: number,
): ReadonlyArray<SearchResult> => {
  const counts = new Map<SearchedType, number>()
  return found
    .toSorted(inOrder(folded))
    .filter(({ type }) => {
      const count = (counts.get(type) ?? 0) + 1
      counts.set(type, count)
      return count <= results_of_type_max
    })
    .slice(0, limit)
}
