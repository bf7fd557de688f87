// The client: a method for each route of a table. A call sends its request, repeats it while that is safe, and reads the answer
// without checking it against a schema.
import { ConnectionFailed, type Failure, isFailure, parsed, toFailure, UnexpectedAnswer } from "./Failures.ts"
import { type AccountsClient, routes as accountsRoutes } from "./generated/AccountsApi.ts"
import { type AdminClient, routes as adminRoutes } from "./generated/AdminApi.ts"
import { type Client, routes } from "./generated/Api.ts"
import type { Answer, CallOptions } from "./Methods.ts"
import { entriesOf, nextQuery, type Paging } from "./Pages.ts"
import { type Body, bodyOf, headersOf, type RequestParts, urlOf } from "./Request.ts"
import { type RetryLimits, retryLimits, waitBeforeRetry } from "./Retry.ts"

interface CommonOptions {
  /** URL of the service, such as `https://api.example.com`. */
  readonly url: string
  /** Headers of all calls. */
  readonly headers?: Readonly<Record<string, string>>
  readonly retries?: Partial<RetryLimits>
  /** Timeout of one attempt, until the end of its answer; for a file, until its start. Default: 5 minutes. */
  readonly timeout_ms?: number
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

export interface ConnectOptions extends CommonOptions {
  /** The key grants access to the whole workspace: do not use it in a browser. null sends none, for example to your own proxy. */
  readonly apiKey: string | null
}

export interface ConnectAdminOptions extends CommonOptions {
  /** The service's `ADMIN_TOKEN`. null sends none: the console's session is a cookie. */
  readonly adminToken: string | null
}

export type ConnectAccountsOptions = CommonOptions

interface Target {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly retries: RetryLimits
  readonly timeout_ms: number
  readonly fetch: typeof globalThis.fetch
}

/** Equal to the service's own timeout for bodies. */
const timeout_default_ms = 300_000

const targetOf = (
  key: string | null,
  { fetch, headers, retries, timeout_ms = timeout_default_ms, url }: CommonOptions,
): Target => ({
  url,
  headers: { ...headers, ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
  retries: { ...retryLimits, ...retries },
  timeout_ms,
  // Browsers require that `fetch` is called without another `this`.
  fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
})

interface Route {
  readonly method: string
  readonly path: string
  readonly takesKey: boolean
  readonly kind: "json" | "text" | "bytes"
  readonly paging: Paging | null
}

const routeOf = (line: string): Route => {
  const [method = "", path = "", ...marks] = line.split(" ")
  const [, by, entries = ""] = /(page|cursor):(\w+)/.exec(line) ?? []
  return {
    method,
    path,
    takesKey: marks.includes("key"),
    kind: marks.includes("bytes") ? "bytes" : marks.includes("text") ? "text" : "json",
    paging: by === "page" || by === "cursor" ? { by, entries } : null,
  }
}

const valueOf = async ({ kind, method, path }: Route, response: Response): Promise<unknown> => {
  if (response.status === 204) return undefined
  if (kind === "bytes") return response.body ?? new Blob().stream()
  const text = await response.text()
  if (kind === "text") return text
  const value = parsed(text)
  if (value !== undefined) return value
  throw new UnexpectedAnswer({
    message: `The answer to ${method} ${path} is not JSON: ${text.slice(0, 200)}`,
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    retryAfter_s: null,
  })
}

interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body | null
  readonly signal: AbortSignal | undefined
}

const answerTo = async (target: Target, route: Route, sent: Sent, signal: AbortSignal): Promise<Answer<unknown>> => {
  const { body, headers, url } = sent
  const response = await target.fetch(url, {
    method: route.method,
    headers: body === null ? headers : { "content-type": body.type, ...headers },
    body: body === null ? null : body.content,
    signal,
  })
  const received = Object.fromEntries(response.headers)
  if (response.status >= 400) throw toFailure(response.status, await response.text(), received, Date.now())
  const value = await valueOf(route, response)
  return { value, status: response.status, headers: received, requestId: received["x-request-id"] ?? null }
}

/** The failure does not contain the request, because its headers contain the key. */
const failureOf = (error: unknown, url: string): Failure<string> => {
  if (isFailure(error)) return error
  // Node's `fetch` has the reason in `cause`.
  const causes = error instanceof Error && error.cause instanceof Error ? [error, error.cause] : [error]
  const reason = causes.map((each) => (each instanceof Error ? each.message : String(each))).join(": ")
  return new ConnectionFailed({ message: `No answer from ${url}: ${reason}`, cause: error })
}

/** One attempt. It returns failures, and throws only the reason of the caller's signal. */
const attempt = async (target: Target, route: Route, sent: Sent): Promise<Answer<unknown> | Failure<string>> => {
  const { timeout_ms, url } = target
  const timeout = new AbortController()
  const late = new ConnectionFailed({ message: `No answer from ${url} within ${timeout_ms / 1000} seconds` })
  const timer = setTimeout(() => timeout.abort(late), timeout_ms)
  try {
    sent.signal?.throwIfAborted()
    const signal = sent.signal === undefined ? timeout.signal : AbortSignal.any([sent.signal, timeout.signal])
    return await answerTo(target, route, sent, signal)
  } catch (error) {
    sent.signal?.throwIfAborted()
    return failureOf(error, url)
  } finally {
    clearTimeout(timer)
  }
}

const sleep = (wait_ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort)
      resolve()
    }, wait_ms)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener("abort", abort, { once: true })
  })

const call = async (
  target: Target,
  route: Route,
  parts: RequestParts,
  { signal, ...options }: CallOptions,
): Promise<Answer<unknown>> => {
  const headers = { ...headersOf(route.takesKey, options), ...target.headers }
  const sent = { url: urlOf(target.url, route.path, parts), headers, body: await bodyOf(parts.payload), signal }
  const keyed = headers["idempotency-key"] !== undefined
  for (let number = 1; ; number++) {
    const answer = await attempt(target, route, sent)
    if ("value" in answer) return answer
    const attempted = { method: route.method, keyed, attempt: number, failure: answer }
    const wait_ms = waitBeforeRetry(attempted, target.retries, Math.random())
    if (wait_ms === null) throw answer
    await sleep(wait_ms, signal)
  }
}

const methodOf = (target: Target, line: string) => {
  const route = routeOf(line)
  const method = async (parts: RequestParts = {}, options: CallOptions = {}) =>
    (await call(target, route, parts, options)).value
  const result = async (parts: RequestParts = {}, options: CallOptions = {}) => {
    try {
      return { ok: true, ...(await call(target, route, parts, options)) }
    } catch (error) {
      if (isFailure(error)) return { ok: false, error }
      throw error
    }
  }
  const { paging } = route
  if (paging === null) return Object.assign(method, { result })
  const pages = async function* (parts: RequestParts = {}, options?: CallOptions) {
    let query: RequestParts["query"] | null = parts.query ?? {}
    while (query !== null) {
      const page = await method({ ...parts, query }, options)
      yield page
      query = nextQuery(paging, query, page)
    }
  }
  const each = async function* (parts?: RequestParts, options?: CallOptions) {
    for await (const page of pages(parts, options)) yield* entriesOf(paging, page)
  }
  return Object.assign(method, { result, pages, each })
}

type Table = Readonly<Record<string, Readonly<Record<string, string>>>>

const clientOf = (table: Table, target: Target): unknown =>
  Object.fromEntries(
    Object.entries(table).map(([group, lines]) => [
      group,
      Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, methodOf(target, line)])),
    ]),
  )

/** Creates a client. It sends no request yet. */
export const connect = ({ apiKey, ...options }: ConnectOptions): Client =>
  // The table and the interface are printed from the same value.
  clientOf(routes, targetOf(apiKey, options)) as Client

/**
 * Creates a client of the API of accounts, which the console's address serves: sign-in, sessions, and the user. It sends no
 * request yet. The session is a cookie, which browsers keep.
 */
export const connectAccounts = (options: ConnectAccountsOptions): AccountsClient =>
  clientOf(
    accountsRoutes,
    targetOf(null, { ...options, headers: { "x-tentpole-console": "1", ...options.headers } }),
  ) as AccountsClient

/** Creates a client of the administration API. It sends no request yet. */
export const connectAdmin = ({ adminToken, ...options }: ConnectAdminOptions): AdminClient =>
  clientOf(adminRoutes, targetOf(adminToken, options)) as AdminClient
