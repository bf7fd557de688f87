// The request of a call: its URL, headers and body.
import type { CallOptions } from "./Methods.ts"

type Params = Readonly<Record<string, string | number>>

/** The parts of a request as the caller gives them. */
export interface RequestParts {
  readonly params?: Params
  readonly query?: Readonly<Record<string, unknown>>
  readonly payload?: unknown
}

/** The path with its parameters. Throws on values that would change the path. */
const pathOf = (path: string, params: Params): string =>
  path.replace(/:([A-Za-z_]+)/g, (_, name: string) => {
    const given = params[name]
    const value = Number.isSafeInteger(given) ? String(given) : given
    if (typeof value !== "string" || value === "" || value === "." || value === "..") {
      throw new TypeError(`params.${name} of ${path} must be text or a whole number, and neither empty nor "." or ".."`)
    }
    return encodeURIComponent(value)
  })

const toText = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : typeof value === "string" ? value : JSON.stringify(value)

/** The URL of a call. `base` is the URL of the service, with or without a slash at its end. */
export const urlOf = (base: string, path: string, { params = {}, query = {} }: RequestParts): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, toText(value))
  }
  const end = search.size === 0 ? "" : `?${search.toString()}`
  return `${base.replace(/\/+$/, "")}${pathOf(path, params)}${end}`
}

export interface Body {
  readonly type: string
  readonly content: string | Uint8Array<ArrayBuffer>
}

/** Serializes the body once, because a form would have another boundary at each attempt. */
export const bodyOf = async (payload: unknown): Promise<Body | null> => {
  if (payload === undefined) return null
  if (!(payload instanceof FormData)) return { type: "application/json", content: JSON.stringify(payload) }
  const form = new Response(payload)
  const type = form.headers.get("content-type") ?? "multipart/form-data"
  return { type, content: new Uint8Array(await form.arrayBuffer()) }
}

/** The headers of a call, without those of its body. Calls that take an idempotency key get a new one. */
export const headersOf = (
  takesKey: boolean,
  { headers = {}, idempotencyKey }: Pick<CallOptions, "headers" | "idempotencyKey">,
): Readonly<Record<string, string>> => ({
  accept: "*/*",
  ...(takesKey ? { "idempotency-key": idempotencyKey ?? crypto.randomUUID() } : {}),
  ...headers,
})
