// The client for programs of Effect: a method for each endpoint of the API, by group and name, made of the API's value.
import { Effect, Option, Redacted, Stream } from "effect"
import { HttpClient } from "effect/http"
import { HttpApi, HttpApiClient, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { Api } from "../Api.ts"
import { type Answer, type Asked, callOf, type CallOptions, type Decode, type Target } from "./Call.ts"
import type { Failure } from "./Failures.ts"
import { entriesOf, type Listing, listingOf, nextQuery } from "./Listing.ts"
import { type RetryLimits, retryLimits } from "./Retry.ts"
import type { Codes, EndpointsOf, GroupsOf, IsListing, Item, Request, Value } from "./Types.ts"

/** Where the service is, and how patient to be with it. */
export interface ClientOptions {
  /** As `https://api.example.com`. */
  readonly url: string
  /** Acts for its whole workspace: it belongs on a server, never in a page. */
  readonly apiKey: string | Redacted.Redacted
  readonly retries?: Partial<RetryLimits>
  readonly timeout_ms?: number
}

/** As long as the service itself waits for a body. */
const timeout_default_ms = 300_000

export const targetOf = ({ url, apiKey, retries, timeout_ms = timeout_default_ms }: ClientOptions): Target => ({
  url,
  key: typeof apiKey === "string" ? Redacted.make(apiKey) : apiKey,
  retries: { ...retryLimits, ...retries },
  timeout_ms,
})

/** What is asked may be left out where nothing must be asked. */
export type Arguments<Asked, Options> = {} extends Asked
  ? readonly [asked?: Asked, options?: Options]
  : readonly [asked: Asked, options?: Options]

type Endpoint = HttpApiEndpoint.ConstraintRequest

export interface Method<E extends Endpoint> {
  (...args: Arguments<Request<E>, CallOptions>): Effect.Effect<Value<E>, Failure<Codes<E>>>
  /** The same call, with the status and headers of its answer. */
  readonly answer: (...args: Arguments<Request<E>, CallOptions>) => Effect.Effect<Answer<Value<E>>, Failure<Codes<E>>>
}

export interface ListingMethod<E extends Endpoint> extends Method<E> {
  /** Every page, from the one that is asked for; each is asked for when the one before has been taken. */
  readonly pages: (...args: Arguments<Request<E>, CallOptions>) => Stream.Stream<Value<E>, Failure<Codes<E>>>
  /** Every entry of every page. */
  readonly each: (...args: Arguments<Request<E>, CallOptions>) => Stream.Stream<Item<Value<E>>, Failure<Codes<E>>>
}

type MethodOf<E extends Endpoint> = IsListing<E> extends true ? ListingMethod<E> : Method<E>

/** `client.lists.create(…)`: groups and names are those of the API. */
export type ClientOf<Definition> = {
  readonly [Group in GroupsOf<Definition> as HttpApiGroup.Identifier<Group>]: {
    readonly [E in EndpointsOf<Group> as E["identifier"]]: MethodOf<E>
  }
}

export type Client = ClientOf<typeof Api>

/** A method of any endpoint, before types tell them apart. */
export interface Derived {
  readonly call: (asked: Asked, options: CallOptions) => Effect.Effect<Answer<unknown>, Failure<string>>
  readonly listing: Listing | null
}

/** What a newer service adds to an answer is left out, and is no error. */
const lenient = { onExcessProperty: "ignore" } as const

/** Makes something of each endpoint of an API, by group and name. */
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
        // Built when it is first needed, since most programs use few of all endpoints.
        decode ??= decoderOf(understood, group.identifier, endpoint.identifier)
        return decode(response)
      }
      const made = make({ call: callOf(http, target, endpoint, decoded), listing: listingOf(endpoint) })
      client[group.identifier] = { ...client[group.identifier], [endpoint.identifier]: made }
    },
  })
  return client
}

/** The library tells endpoints apart by the types of their names, which are only text here. */
const decoderOf = (definition: unknown, group: string, endpoint: string): Decode =>
  HttpApiClient.decodeResponse(definition as typeof Api, { group, endpoint } as never) as Decode

const methodOf = ({ call, listing }: Derived) => {
  const method = (asked: Asked = {}, options: CallOptions = {}) =>
    Effect.map(call(asked, options), ({ value }) => value)
  const answer = (asked: Asked = {}, options: CallOptions = {}) => call(asked, options)
  if (listing === null) return Object.assign(method, { answer })
  const pages = (asked: Asked = {}, options: CallOptions = {}) =>
    Stream.paginate(asked.query ?? {}, (query) =>
      Effect.map(
        method({ ...asked, query }, options),
        (page) => [[page], Option.fromNullishOr(nextQuery(listing, query, page))] as const,
      ),
    )
  const each = (asked: Asked = {}, options: CallOptions = {}) =>
    Stream.flatMap(pages(asked, options), (page) => Stream.fromIterable(entriesOf(listing, page)))
  return Object.assign(method, { answer, pages, each })
}

/** The client over the `HttpClient` of the environment, as `FetchHttpClient.layer` gives one. */
export const make = (options: ClientOptions): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  // Its methods are made of the API's value, and its type of the API's type: the compiler can't see that they agree.
  Effect.map(HttpClient.HttpClient, (http) => derive(Api, http, targetOf(options), methodOf) as unknown as Client)
