// Reads of the API: `useQuery(queryOf("blasts", "find", { params: { blastId } }))`. The names make the key and the call.
import type { CallOptions, Entry } from "@tentpole/client/Methods"
import { QueryClient, type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import { admin, api } from "./client.ts"

export type Api = typeof api
export type AdminApi = typeof admin

/** The value of a call's answer. */
export type ValueOf<Method> = Method extends (...args: never) => Promise<infer Value> ? Value : never

/** The request of a call: optional if none of its parts is required. */
export type RequestOf<Method> = Method extends (...args: infer Args) => unknown
  ? undefined extends Args[0]
    ? readonly [request?: Args[0]]
    : readonly [request: Args[0]]
  : never

type Send<Value> = (request: unknown, options?: CallOptions) => Promise<Value>

/** Each call is generic over its group and name, which the compiler can't follow into the client. */
export const methodOf = <Client, Group extends keyof Client, Name extends keyof Client[Group]>(
  client: Client,
  group: Group,
  name: Name,
) => client[group][name] as Send<ValueOf<Client[Group][Name]>>

const readsOf =
  <Client>(client: Client, prefix: string) =>
  <Group extends keyof Client & string, Name extends keyof Client[Group] & string>(
    group: Group,
    name: Name,
    ...[request = {}]: RequestOf<Client[Group][Name]>
  ) => ({
    queryKey: [prefix + group, name, request] as const,
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => methodOf(client, group, name)(request, { signal }),
  })

/** The key and the function of a call of `/v1`. */
export const queryOf = readsOf(api, "")

/** The same for `/admin/v1`. Its keys begin with `admin.`. */
export const adminQueryOf = readsOf(admin, "admin.")

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The client has retried what may be retried.
      retry: false,
      staleTime: 10_000,
      // The old answer stays visible, dimmed, while the next one comes.
      placeholderData: <Value>(before: Value) => before,
      // A failed call shows that the service does not answer; the browser's own opinion is often wrong.
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
})

type Paged<Group extends keyof Api> = {
  [Name in keyof Api[Group]]: Api[Group][Name] extends { readonly pages: unknown } ? Name : never
}[keyof Api[Group]] &
  string

/** Entries of a page. More are never requested at once. */
export const page_size = 100

export interface Rows<Row> {
  readonly total: number
  /** Undefined until its page came. */
  readonly rowAt: (index: number) => Row | undefined
  /** Requests the pages of these rows; a table calls it while it scrolls. */
  readonly onRange: (first: number, last: number) => void
  /** The state of the first page. */
  readonly first: UseQueryResult
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

/** A listing by page number as rows of a table. Pages are requested as their rows come into view. */
export const usePages = <Group extends keyof Api, Name extends Paged<Group>>(
  group: Group,
  name: Name,
  request: NonNullable<RequestOf<Api[Group][Name]>[0]>,
): Rows<Entry<ValueOf<Api[Group][Name]>>> => {
  type Page = ValueOf<Api[Group][Name]>
  const [[from, to], setRange] = useState<readonly [number, number]>([1, 1])
  const pageOf = (page: number) => {
    const { query } = request as { readonly query?: object }
    const asked = { ...request, query: { ...query, page, limit: page_size } }
    return {
      queryKey: [group, name, asked] as const,
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => methodOf(api, group, name)(asked, { signal }),
    }
  }
  const first = useQuery<Page>(pageOf(1))
  const total = totalOf(first.data)
  const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
  const pages = useQueries({ queries: numbers.map((page) => ({ ...pageOf(page), placeholderData: undefined })) })
  const entries = new Map(numbers.map((page, index) => [page, entriesOf(pages[index]?.data as Page)]))
  const rowAt = (index: number) => {
    const page = Math.floor(index / page_size) + 1
    return (page === 1 ? entriesOf(first.data as Page) : entries.get(page))?.[index % page_size]
  }
  const onRange = useCallback((firstRow: number, lastRow: number) => {
    const range = [Math.floor(firstRow / page_size) + 1, Math.floor(lastRow / page_size) + 1] as const
    setRange((before) => (before[0] === range[0] && before[1] === range[1] ? before : range))
  }, [])
  return { total, rowAt, onRange, first }
}
