// The client for programs without Effect: the same methods, with promises, signals and `for await`.
import { Cause, Effect, Exit, Option, Stream } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Api } from "../Api.ts"
import { type Answer, type Asked, type CallOptions, isBytes } from "./Call.ts"
import { type Arguments, type ClientOptions, derive, type Derived, targetOf } from "./Client.ts"
import { ApiError, ConnectionFailed, type Failure, UnexpectedAnswer } from "./Failures.ts"
import { entriesOf, nextQuery } from "./Listing.ts"
import type { Bytes, Codes, EndpointsOf, GroupsOf, IsListing, Item, Request, Value } from "./Types.ts"

export interface ConnectOptions extends ClientOptions {
  /** Instead of the environment's `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

export interface PromiseCallOptions extends CallOptions {
  /** Ends the call, the attempt that is under way and the waiting for the next: it rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

type Given<Value> = Value extends Bytes ? ReadableStream<Uint8Array> : Value

/** What became of a call, as a value: no `try` is needed, and the compiler knows the codes. */
export type Outcome<Value, Code extends string> =
  | ({ readonly ok: true } & Answer<Value>)
  | { readonly ok: false; readonly error: Failure<Code> }

type Endpoint = HttpApiEndpoint.ConstraintRequest

/** Rejects with an `ApiError`, a `ConnectionFailed` or an `UnexpectedAnswer`. */
export interface PromiseMethod<E extends Endpoint> {
  (...args: Arguments<Request<E>, PromiseCallOptions>): Promise<Given<Value<E>>>
  /** The same call, with the status and headers of its answer; a failure is a value too. */
  readonly result: (...args: Arguments<Request<E>, PromiseCallOptions>) => Promise<Outcome<Given<Value<E>>, Codes<E>>>
}

export interface PromiseListing<E extends Endpoint> extends PromiseMethod<E> {
  /** Every page, from the one that is asked for; each is asked for when it is wanted. */
  readonly pages: (...args: Arguments<Request<E>, PromiseCallOptions>) => AsyncGenerator<Value<E>, void, undefined>
  /** Every entry of every page. */
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

const given = (answer: Answer<unknown>): Answer<unknown> =>
  isBytes(answer.value) ? { ...answer, value: Stream.toReadableStream(answer.value) } : answer

const isFailure = (error: unknown): error is Failure<string> =>
  error instanceof ApiError || error instanceof ConnectionFailed || error instanceof UnexpectedAnswer

const methodOf =
  (run: Run) =>
  ({ call, listing }: Derived) => {
    const answer = async (asked: Asked = {}, { signal, ...options }: PromiseCallOptions = {}) =>
      given(await run(call(asked, options), signal))
    const method = async (asked?: Asked, options?: PromiseCallOptions) => (await answer(asked, options)).value
    const result = async (asked?: Asked, options?: PromiseCallOptions) => {
      try {
        return { ok: true, ...(await answer(asked, options)) }
      } catch (error) {
        if (isFailure(error)) return { ok: false, error }
        throw error
      }
    }
    if (listing === null) return Object.assign(method, { result })
    const pages = async function* (asked: Asked = {}, options?: PromiseCallOptions) {
      let query: Asked["query"] | null = asked.query ?? {}
      while (query !== null) {
        const page: unknown = await method({ ...asked, query }, options)
        yield page
        query = nextQuery(listing, query, page)
      }
    }
    const each = async function* (asked?: Asked, options?: PromiseCallOptions) {
      for await (const page of pages(asked, options)) yield* entriesOf(listing, page)
    }
    return Object.assign(method, { result, pages, each })
  }

/** A client of the service at `url`. Nothing is asked of it yet. */
export const connect = (options: ConnectOptions): PromiseClient => {
  const http = Effect.runSync(Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer))
  const method = methodOf(runWith(options.fetch))
  // Its methods are made of the API's value, and its type of the API's type: the compiler can't see that they agree.
  return derive(Api, http, targetOf(options), method) as unknown as PromiseClient
}
