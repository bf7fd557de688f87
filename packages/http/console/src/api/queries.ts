// Reads of the API: `useQuery(queryOf("blasts", "find", { params: { blastId } }))`. The names make the key and the call.
import type { CallOptions } from "@tentpole/client/Methods"
import { QueryClient } from "@tanstack/react-query"
import { accounts, admin, api } from "./client.ts"

export type Api = typeof api
export type AdminApi = typeof admin
export type AccountsApi = typeof accounts

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

/** The same for `/auth/v1`. Its keys begin with `accounts.`. */
export const accountsQueryOf = readsOf(accounts, "accounts.")

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The client has retried what may be retried.
      retry: false,
      staleTime: 10_000,
      // A failed call shows that the service does not answer; the browser's own opinion is often wrong.
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
})
