// The client for promises, with abort signals and `for await`.
import { Cause, Effect, Exit, Option, Stream } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Api } from "../Api.ts"
import type { Answer, CallOptions, RequestParts } from "./Call.ts"
import { type Arguments, type ClientOptions, derive, type Derived, targetOf } from "./Client.ts"
import { ApiError, ConnectionFailed, type Failure, UnexpectedAnswer } from "./Failures.ts"
import { entriesOf, nextQuery } from "./Listing.ts"
import type { Bytes, Codes, EndpointsOf, GroupsOf, IsListing, Item, Request, Value } from "./Types.ts"

export interface ConnectOptions extends ClientOptions {
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

export interface PromiseCallOptions extends CallOptions {
  /** Aborts the call and its retries. The promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

type Given<Value> = Value extends Bytes ? ReadableStream<Uint8Array> : Value

/** The result of a call as a value, with typed error codes. */
export type Outcome<Value, Code extends string> =
  | ({ readonly ok: true } & Answer<Value>)
  | { readonly ok: false; readonly error: Failure<Code> }

type Endpoint = HttpApiEndpoint.ConstraintRequest

/** Rejects with an `ApiError`, a `ConnectionFailed` or an `UnexpectedAnswer`. */
export interface PromiseMethod<E extends Endpoint> {
  (...args: Arguments<Request<E>, PromiseCallOptions>): Promise<Given<Value<E>>>
  /** The same call with status and headers; failures are values. */
  readonly result: (...args: Arguments<Request<E>, PromiseCallOptions>) => Promise<Outcome<Given<Value<E>>, Codes<E>>>
}

export interface PromiseListing<E extends Endpoint> extends PromiseMethod<E> {
  /** All pages, starting at the requested one. Each is requested on demand. */
  readonly pages: (...args: Arguments<Request<E>, PromiseCallOptions>) => AsyncGenerator<Value<E>, void, undefined>
  /** All entries of all pages. */
  readonly each: (...args: Arguments<Request<E>, PromiseCallOptions>) => AsyncGenerator<Item<Value<E>>, void, undefined>
}

type MethodOf<E extends Endpoint> = IsListing<E> extends true ? PromiseListing<E> : PromiseMethod<E>

export type PromiseClient = {
  readonly [Group in GroupsOf<typeof Api> as HttpApiGroup.Identifier<Group>]: {
    readonly [E in EndpointsOf<Group> as E["identifier"]]: MethodOf<E>
  }
}

type Run = (effect: Effect.Effect<Answer<unknown>, Failure<string>>, signal?: AbortSignal) => Promise<Answer<unknown>>

const runWith =
  (fetch: typeof globalThis.fetch | undefined): Run =>
  async (effect, signal) => {
    const call = effect.pipe(
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      fetch === undefined ? (same) => same : Effect.provideService(FetchHttpClient.Fetch, fetch),
    )
    const exit = await Effect.runPromiseExit(call, signal === undefined ? {} : { signal })
    if (Exit.isSuccess(exit)) return exit.value
    const failure = Cause.findErrorOption(exit.cause)
    if (Option.isSome(failure)) throw failure.value
    signal?.throwIfAborted()
    throw Cause.squash(exit.cause)
  }

const isBytes = (value: unknown): value is Bytes => Stream.isStream(value)

const given = (answer: Answer<unknown>): Answer<unknown> =>
  isBytes(answer.value) ? { ...answer, value: Stream.toReadableStream(answer.value) } : answer

const isFailure = (error: unknown): error is Failure<string> =>
  error instanceof ApiError || error instanceof ConnectionFailed || error instanceof UnexpectedAnswer

const methodOf =
  (run: Run) =>
  ({ call, listing }: Derived) => {
    const answer = async (parts: RequestParts = {}, { signal, ...options }: PromiseCallOptions = {}) =>
      given(await run(call(parts, options), signal))
    const method = async (parts?: RequestParts, options?: PromiseCallOptions) => (await answer(parts, options)).value
    const result = async (parts?: RequestParts, options?: PromiseCallOptions) => {
      try {
        return { ok: true, ...(await answer(parts, options)) }
      } catch (error) {
        if (isFailure(error)) return { ok: false, error }
        throw error
      }
    }
    if (listing === null) return Object.assign(method, { result })
    const pages = async function* (parts: RequestParts = {}, options?: PromiseCallOptions) {
      let query: RequestParts["query"] | null = parts.query ?? {}
      while (query !== null) {
        const page: unknown = await method({ ...parts, query }, options)
        yield page
        query = nextQuery(listing, query, page)
      }
    }
    const each = async function* (parts?: RequestParts, options?: PromiseCallOptions) {
      for await (const page of pages(parts, options)) yield* entriesOf(listing, page)
    }
    return Object.assign(method, { result, pages, each })
  }

/** Creates a client. It sends no request yet. */
export const connect = (options: ConnectOptions): PromiseClient => {
  const http = Effect.runSync(Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer))
  const method = methodOf(runWith(options.fetch))
  // The compiler can't relate the methods, derived from the API's value, to the type, derived from its type.
  return derive(Api, http, targetOf(options), method) as unknown as PromiseClient
}
