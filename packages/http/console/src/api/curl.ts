// The `curl` of a call: what the console does, the API can do.
import { routes } from "@tentpole/client/generated/Api"
import { urlOf } from "@tentpole/client/Request"
import type { Api, RequestOf } from "./queries.ts"

export type CurlCall = {
  [Group in keyof Api]: {
    [Name in keyof Api[Group] & string]: readonly [group: Group, name: Name, ...request: RequestOf<Api[Group][Name]>]
  }[keyof Api[Group] & string]
}[keyof Api]

/** A text in single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The origin of the API, which is not that of this page: the server writes it into the page, the development server does not. */
const written = document.querySelector<HTMLMetaElement>('meta[name="tentpole-api"]')?.content ?? ""
const origin = URL.canParse(written) ? written : "http://127.0.0.1:8080"

export const curlOf = (call: CurlCall): string => {
  const [group, name, request] = call
  const table: Readonly<Record<string, Readonly<Record<string, string>>>> = routes
  const [method = "GET", path = ""] = (table[group]?.[name] ?? "").split(" ")
  const parts = (request ?? {}) as { readonly payload?: unknown }
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} ${quoted(urlOf(origin, path, parts))}`,
    `-H "Authorization: Bearer $TENTPOLE_API_KEY"`,
    ...(parts.payload === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(parts.payload, null, 2))}`]),
  ]
  return lines.join(" \\\n  ")
}
