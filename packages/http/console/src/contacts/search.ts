// Search parameters of listings of contacts, as they are in the address.
const sorts = [
  "created_at",
  "updated_at",
  "last_activity_at",
  "display_name",
  "first_name",
  "last_name",
  "normalized_email",
  "original_source",
] as const

type ContactSort = (typeof sorts)[number]

export interface ContactSearch {
  readonly search?: string
  readonly sort?: ContactSort
  readonly order?: "asc" | "desc"
}

const isSort = (value: unknown): value is ContactSort => sorts.some((sort) => sort === value)

export const contactSearch = ({ order, search, sort }: Readonly<Record<string, unknown>>): ContactSearch => ({
  // A number in the address was parsed from its text.
  ...(typeof search === "string" || typeof search === "number" ? { search: String(search) } : {}),
  ...(isSort(sort) ? { sort, order: order === "asc" ? "asc" : "desc" } : {}),
})

/** The search parameters after another order of the table. */
export const sortedBy = (before: ContactSearch, by: string, order: "asc" | "desc"): ContactSearch =>
  isSort(by) ? { ...before, sort: by, order } : before
