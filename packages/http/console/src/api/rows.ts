// Listings as rows of a table, by page number and by cursor.
import type { Entry } from "@tentpole/client/Methods"
import { keepPreviousData, useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query"
import { useCallback, useMemo, useState } from "react"
import { admin, api } from "./client.ts"
import { type Api, methodOf, type RequestOf, type ValueOf } from "./queries.ts"

type PagedOf<Client, Group extends keyof Client> = {
  [Name in keyof Client[Group]]: Client[Group][Name] extends { readonly pages: unknown } ? Name : never
}[keyof Client[Group]] &
  string

type Paged<Group extends keyof Api> = PagedOf<Api, Group>

/** Entries of a page. More are never requested at once. */
const page_size = 100

export interface Rows<Row> {
  /** Number of rows; of a listing by cursor, those that are known now. */
  readonly total: number
  /** Whether `total` is all that there are. */
  readonly isWhole: boolean
  /** Undefined until its page came. */
  readonly rowAt: (index: number) => Row | undefined
  /** Requests the pages of these rows. A table calls it while it scrolls. */
  readonly onRange: (first: number, last: number) => void
  /** There is nothing to show yet. */
  readonly isPending: boolean
  /** The rows are those of the request before. */
  readonly isStale: boolean
  readonly error: unknown
  readonly refetch: () => unknown
}

/** A page has one array. */
const entriesOf = <Page>(page: Page): ReadonlyArray<Entry<Page>> => {
  const parts: ReadonlyArray<unknown> = Object.values(page ?? {})
  return (parts.find((part) => Array.isArray(part)) ?? []) as ReadonlyArray<Entry<Page>>
}

const totalOf = (page: unknown): number => {
  const { pagination } = (page ?? {}) as { readonly pagination?: { readonly total?: number } }
  return pagination?.total ?? 0
}

/** The request with more query parameters. */
const asking = (request: unknown, more: object): object => {
  const { query, ...rest } = (request ?? {}) as { readonly query?: object }
  return { ...rest, query: { ...query, ...more } }
}

interface PageQuery {
  readonly queryKey: ReadonlyArray<unknown>
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<unknown>
}

/** A listing whose pages are queries: `pageOf` makes the query of a page. Pages are requested as they are seen. */
export const usePagesBy = <Row>(pageOf: (page: number, limit: number) => PageQuery): Rows<Row> => {
  const [[from, to], setRange] = useState<readonly [number, number]>([1, 1])
  // The rows before stay visible while the next ones come.
  const first = useQuery<unknown>({ ...pageOf(1, page_size), placeholderData: keepPreviousData })
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index).filter((page) => page > 1)
  const pages = useQueries({ queries: numbers.map((page) => pageOf(page, page_size)) })
  const rowsOf = (page: unknown) => entriesOf(page) as ReadonlyArray<Row>
  const entries = new Map(numbers.map((page, index) => [page, rowsOf(pages[index]?.data)]))
  const rowAt = (index: number) => {
    const page = Math.floor(index / page_size) + 1
    return (page === 1 ? rowsOf(first.data) : entries.get(page))?.[index % page_size]
  }
  const onRange = useCallback((firstRow: number, lastRow: number) => {
    const range = [Math.floor(firstRow / page_size) + 1, Math.floor(lastRow / page_size) + 1] as const
    setRange((before) => (before[0] === range[0] && before[1] === range[1] ? before : range))
  }, [])
  return {
    total: totalOf(first.data),
    isWhole: true,
    rowAt,
    onRange,
    isPending: first.isPending,
    isStale: first.isPlaceholderData,
    error: first.error ?? pages.find(({ error }) => error !== null)?.error ?? null,
    refetch: first.refetch,
  }
}

/** A listing of `/v1` by page number: `usePages("contacts", "list", { query: { search } })`. */
export const usePages = <Group extends keyof Api, Name extends Paged<Group>>(
  group: Group,
  name: Name,
  request: NonNullable<RequestOf<Api[Group][Name]>[0]>,
): Rows<Entry<ValueOf<Api[Group][Name]>>> =>
  usePagesBy((page, limit) => {
    const asked = asking(request, { page, limit })
    return { queryKey: [group, name, asked], queryFn: ({ signal }) => methodOf(api, group, name)(asked, { signal }) }
  })

/** Listings by cursor: the next page is requested when the last row is seen. */
const cursorsOf =
  <Client>(client: Client, prefix: string) =>
  <Group extends keyof Client & string, Name extends PagedOf<Client, Group>>(
    group: Group,
    name: Name,
    request: NonNullable<RequestOf<Client[Group][Name]>[0]>,
  ): Rows<Entry<ValueOf<Client[Group][Name]>>> => {
    type Page = ValueOf<Client[Group][Name]>
    const listing = useInfiniteQuery({
      queryKey: [prefix + group, name, "cursor", request] as const,
      initialPageParam: undefined as string | undefined,
      queryFn: ({ pageParam, signal }) =>
        methodOf(client, group, name)(asking(request, { limit: page_size, cursor: pageParam }), { signal }),
      placeholderData: keepPreviousData,
      getNextPageParam: (page: Page) => (page as { readonly next_cursor?: string | null }).next_cursor ?? undefined,
    })
    const { fetchNextPage, hasNextPage, isFetchingNextPage } = listing
    const rows = useMemo(() => (listing.data?.pages ?? []).flatMap((page) => entriesOf(page)), [listing.data])
    const onRange = useCallback(
      (_first: number, last: number) => {
        if (hasNextPage && !isFetchingNextPage && last >= rows.length) void fetchNextPage()
      },
      [hasNextPage, isFetchingNextPage, fetchNextPage, rows.length],
    )
    return {
      // One more row, which waits, shows that there are more.
      total: rows.length + (hasNextPage ? 1 : 0),
      isWhole: !hasNextPage,
      rowAt: (index) => rows[index],
      onRange,
      isPending: listing.isPending,
      isStale: listing.isPlaceholderData,
      error: listing.error,
      refetch: listing.refetch,
    }
  }

/** A listing of `/v1` by cursor: `useCursor("outbox", "list", { query })`. */
export const useCursor = cursorsOf(api, "")

/** The same for `/admin/v1`. */
export const useAdminCursor = cursorsOf(admin, "admin.")
