// The `curl` of a call: what the console does, the API can do.
import { routes as adminRoutes } from "@tentpole/client/generated/AdminApi"
import { routes } from "@tentpole/client/generated/Api"
import { urlOf } from "@tentpole/client/Request"
import type { AdminApi, Api, RequestOf } from "./queries.ts"

type CallOf<Client, Prefix extends string> = {
  [Group in keyof Client & string]: {
    [Name in keyof Client[Group] & string]: readonly [
      group: `${Prefix}${Group}`,
      name: Name,
      ...request: RequestOf<Client[Group][Name]>,
    ]
  }[keyof Client[Group] & string]
}[keyof Client & string]

/** A call, such as `["lists", "list", { query }]`, or `["admin.keys", "list", { params }]` for `/admin/v1`. */
export type CurlCall = CallOf<Api, ""> | CallOf<AdminApi, "admin.">

/** A text in single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The origin of the API, which is not that of this page: the server writes it into the page, the development server does not. */
const written = document.querySelector<HTMLMetaElement>('meta[name="tentpole-api"]')?.content ?? ""
const origin = URL.canParse(written) ? written : "http://127.0.0.1:8080"

export const curlOf = (call: CurlCall): string => {
  const [group, name, request] = call
  const isAdmin = group.startsWith("admin.")
  const table: Readonly<Record<string, Readonly<Record<string, string>>>> = isAdmin ? adminRoutes : routes
  const [method = "GET", path = ""] = (table[group.replace(/^admin\./, "")]?.[name] ?? "").split(" ")
  const parts = (request ?? {}) as { readonly payload?: unknown }
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} ${quoted(urlOf(origin, path, parts))}`,
    `-H "Authorization: Bearer $${isAdmin ? "ADMIN_TOKEN" : "TENTPOLE_API_KEY"}"`,
    ...(parts.payload === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(parts.payload, null, 2))}`]),
  ]
  return lines.join(" \\\n  ")
}
