// The client for Effect: a method for each endpoint, by group and name, derived from the API value.
import type { Failure } from "@tentpole/client/Failures"
import type { Answer } from "@tentpole/client/Methods"
import { entriesOf, nextQuery, type Paging } from "@tentpole/client/Pages"
import type { RequestParts } from "@tentpole/client/Request"
import { type RetryLimits, retryLimits } from "@tentpole/client/Retry"
import { Effect, Option, Redacted, Stream } from "effect"
import { HttpClient } from "effect/http"
import { HttpApi, HttpApiClient, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { Api } from "../Api.ts"
import { callOf, type CallOptions, type Decode, type Target } from "./Call.ts"
import { listingOf } from "./Listing.ts"
import type { Codes, EndpointsOf, GroupsOf, IsListing, Item, Request, Value } from "./Types.ts"

/** URL, API key, retries and timeout. */
export interface ClientOptions {
  /** URL of the service, such as `https://api.example.com`. */
  readonly url: string
  /** The key grants access to the whole workspace. Do not use it in a browser. */
  readonly apiKey: string | Redacted.Redacted
  readonly retries?: Partial<RetryLimits>
  readonly timeout_ms?: number
}

/** Equal to the service's own timeout for bodies. */
const timeout_default_ms = 300_000

const targetOf = ({ url, apiKey, retries, timeout_ms = timeout_default_ms }: ClientOptions): Target => ({
  url,
  key: typeof apiKey === "string" ? Redacted.make(apiKey) : apiKey,
  retries: { ...retryLimits, ...retries },
  timeout_ms,
})

/** The request is optional if none of its parts is required. */
export type Arguments<Parts, Options> = {} extends Parts
  ? readonly [parts?: Parts, options?: Options]
  : readonly [parts: Parts, options?: Options]

type Endpoint = HttpApiEndpoint.ConstraintRequest

export interface Method<E extends Endpoint> {
  (...args: Arguments<Request<E>, CallOptions>): Effect.Effect<Value<E>, Failure<Codes<E>>>
  /** The same call, with the status and headers of its answer. */
  readonly answer: (...args: Arguments<Request<E>, CallOptions>) => Effect.Effect<Answer<Value<E>>, Failure<Codes<E>>>
}

export interface ListingMethod<E extends Endpoint> extends Method<E> {
  /** All pages, starting at the requested one. Each is requested when the previous one has been consumed. */
  readonly pages: (...args: Arguments<Request<E>, CallOptions>) => Stream.Stream<Value<E>, Failure<Codes<E>>>
  /** All entries of all pages. */
  readonly each: (...args: Arguments<Request<E>, CallOptions>) => Stream.Stream<Item<Value<E>>, Failure<Codes<E>>>
}

type MethodOf<E extends Endpoint> = IsListing<E> extends true ? ListingMethod<E> : Method<E>

/** The methods by group and name: `client.lists.create(…)`. */
export type ClientOf<Definition> = {
  readonly [Group in GroupsOf<Definition> as HttpApiGroup.Identifier<Group>]: {
    readonly [E in EndpointsOf<Group> as E["identifier"]]: MethodOf<E>
  }
}

export type Client = ClientOf<typeof Api>

/** An untyped method of an endpoint. */
export interface Derived {
  readonly call: (parts: RequestParts, options: CallOptions) => Effect.Effect<Answer<unknown>, Failure<string>>
  readonly listing: Paging | null
}

/** Ignores fields of a newer service. */
const lenient = { onExcessProperty: "ignore" } as const

/** Derives a method from each endpoint of an API. */
export const derive = <Id extends string, Groups extends HttpApiGroup.Constraint, Made>(
  definition: HttpApi.HttpApi<Id, Groups>,
  http: HttpClient.HttpClient,
  target: Target,
  make: (derived: Derived) => Made,
): Readonly<Record<string, Readonly<Record<string, Made>>>> => {
  const understood = definition.annotate(HttpApi.ParseOptions, lenient)
  const client: Record<string, Record<string, Made>> = {}
  HttpApi.reflect(understood, {
    onGroup: ({ group }) => {
      client[group.identifier] = {}
    },
    onEndpoint: ({ group, endpoint }) => {
      let decode: Decode | undefined
      const decoded: Decode = (response) => {
        // Created on first use, because most programs use few endpoints.
        decode ??= decoderOf(understood, group.identifier, endpoint.identifier)
        return decode(response)
      }
      const made = make({ call: callOf(http, target, endpoint, decoded), listing: listingOf(endpoint) })
      client[group.identifier] = { ...client[group.identifier], [endpoint.identifier]: made }
    },
  })
  return client
}

/** The library identifies endpoints by literal types, which are plain strings here. */
const decoderOf = (definition: unknown, group: string, endpoint: string): Decode =>
  HttpApiClient.decodeResponse(definition as typeof Api, { group, endpoint } as never) as Decode

const methodOf = ({ call, listing }: Derived) => {
  const method = (parts: RequestParts = {}, options: CallOptions = {}) =>
    Effect.map(call(parts, options), ({ value }) => value)
  const answer = (parts: RequestParts = {}, options: CallOptions = {}) => call(parts, options)
  if (listing === null) return Object.assign(method, { answer })
  const pages = (parts: RequestParts = {}, options: CallOptions = {}) =>
    Stream.paginate(parts.query ?? {}, (query) =>
      Effect.map(
        method({ ...parts, query }, options),
        (page) => [[page], Option.fromNullishOr(nextQuery(listing, query, page))] as const,
      ),
    )
  const each = (parts: RequestParts = {}, options: CallOptions = {}) =>
    Stream.flatMap(pages(parts, options), (page) => Stream.fromIterable(entriesOf(listing, page)))
  return Object.assign(method, { answer, pages, each })
}

/** Creates a client that uses the `HttpClient` of the environment, such as `FetchHttpClient.layer`. */
export const make = (options: ClientOptions): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  // The compiler can't relate the methods, derived from the API's value, to the type, derived from its type.
  Effect.map(HttpClient.HttpClient, (http) => derive(Api, http, targetOf(options), methodOf) as unknown as Client)
