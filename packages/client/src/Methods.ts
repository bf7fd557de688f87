// Types of the client's methods. The generated interfaces consist of them.
import type { Failure } from "./Failures.ts"

export interface CallOptions {
  /** Idempotency key of a POST. Default: a new key for each call. */
  readonly idempotencyKey?: string
  /** Further headers. `x-request-id` sets the request id in the service's log. */
  readonly headers?: Readonly<Record<string, string>>
  /** Aborts the call and its retries. The promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** An answer with its status and headers. */
export interface Answer<Value> {
  readonly value: Value
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly requestId: string | null
}

/** The result of a call as a value, with typed error codes. */
export type Outcome<Value, Code extends string> =
  | ({ readonly ok: true } & Answer<Value>)
  | { readonly ok: false; readonly error: Failure<Code> }

/** The request is optional if none of its parts is required. */
type Arguments<Request> = {} extends Request
  ? readonly [request?: Request, options?: CallOptions]
  : readonly [request: Request, options?: CallOptions]

/** Rejects with an `ApiError`, a `ConnectionFailed` or an `UnexpectedAnswer`. */
export interface Method<Request, Value, Code extends string> {
  (...args: Arguments<Request>): Promise<Value>
  /** The same call with status and headers; failures are values. */
  readonly result: (...args: Arguments<Request>) => Promise<Outcome<Value, Code>>
}

/** The entries of a page: those of the only array in its answer. */
export type Entry<Page> = {
  [Key in keyof Page]-?: Page[Key] extends ReadonlyArray<infer Each> ? Each : never
}[keyof Page]

export interface Listing<Request, Page, Code extends string> extends Method<Request, Page, Code> {
  /** All pages, starting at the requested one. Each is requested on demand. */
  readonly pages: (...args: Arguments<Request>) => AsyncGenerator<Page, void, undefined>
  /** All entries of all pages. */
  readonly each: (...args: Arguments<Request>) => AsyncGenerator<Entry<Page>, void, undefined>
}
