// What the methods of a client take and give, read off the endpoints of an API in types alone: an endpoint that is added to
// the API is a method, and a field that is added to a body is a key. Requests are as the API's description has them on the
// wire, so that nobody needs this library's schemas, brands or instants to make one.
import type { Brand, DateTime, Schema, Stream } from "effect"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSchema } from "effect/http-api"

type AnyEndpoint = HttpApiEndpoint.ConstraintRequest

/** What of an endpoint is read here; a schema that it lacks is `never`. */
interface Parts {
  readonly "~Params": Schema.Constraint
  readonly "~Query": Schema.Constraint
  readonly "~Payload": Schema.Constraint
  readonly "~Success": unknown
  readonly "~Error": Schema.Constraint
  readonly "~Middleware": unknown
}

/** Keys that a resource shows and a request may not have: their values are `unknown` in its schema. */
type Writable<Body> = Body extends ReadonlyArray<unknown> | string
  ? Body
  : { readonly [Key in keyof Body as unknown extends Body[Key] ? never : Key]: Body[Key] }

/** An endpoint's schemas stand inside of codecs, whose types no longer say what is on the wire. */
type Inner<Codec> = Codec extends { readonly schema: infer Held extends Schema.Constraint } ? Held : never

type Wire<Codec> = Inner<Codec>["Encoded"]

type Form = Brand.Brand<HttpApiSchema.MultipartTypeId> | Brand.Brand<HttpApiSchema.MultipartStreamTypeId>

type BodyOf<Payload extends Schema.Constraint> = [Payload["Type"]] extends [Form] ? FormData : Body<Wire<Payload>>

type Body<Sent> = Sent extends undefined ? undefined : Writable<Sent>

/** A parameter of a query as text, or as what the text stands for. */
type Spelled<Type, Encoded> =
  | Encoded
  | (number extends Type ? number : never)
  | (Extract<Type, DateTime.Utc> extends never ? never : Date)

type QueryOf<Query extends Schema.Constraint> = {
  readonly [Key in keyof Wire<Query>]: Key extends keyof Query["Type"]
    ? Spelled<NonNullable<Query["Type"][Key]>, Wire<Query>[Key]>
    : Wire<Query>[Key]
}

type ParamsOf<Params extends Schema.Constraint> = { readonly [Key in keyof Params["Type"]]: string }

/** A key that may be left out when all in it may. */
type Part<Name extends string, Value> = [Value] extends [never]
  ? {}
  : {} extends Value
    ? { readonly [Key in Name]?: Value }
    : undefined extends Value
      ? { readonly [Key in Name]?: Value }
      : { readonly [Key in Name]: Value }

type Flat<T> = { readonly [Key in keyof T]: T[Key] }

/** What a call is made of: `params` of the path, `query`, `payload`; each where the endpoint has one. */
export type Request<Endpoint extends Parts> = Flat<
  ([Endpoint["~Params"]] extends [never] ? {} : { readonly params: ParamsOf<Endpoint["~Params"]> }) &
    ([Endpoint["~Query"]] extends [never] ? {} : Part<"query", QueryOf<Endpoint["~Query"]>>) &
    ([Endpoint["~Payload"]] extends [never] ? {} : Part<"payload", BodyOf<Endpoint["~Payload"]>>)
>

/** Bytes that come as they are made; everything else is there when the call ends. */
export type Bytes = Stream.Stream<Uint8Array, unknown>

/** What a call gives, without the headers that some endpoints declare: `answer` has all of them. */
type Success<Schemas> =
  Schemas extends HttpApiSchema.WithHeaders<infer Inner, infer _Headers>
    ? Success<Inner>
    : Schemas extends HttpApiSchema.StreamUint8Array
      ? Bytes
      : Schemas extends { readonly Type: infer Type }
        ? Type
        : never

export type Value<Endpoint extends Parts> = Success<Endpoint["~Success"]>

type CodeOf<Body> = Body extends { readonly code: infer Code extends string } ? Code : never

type Declared<Endpoint extends Parts> =
  | CodeOf<Endpoint["~Error"]["Type"]>
  | CodeOf<HttpApiMiddleware.Error<Endpoint["~Middleware"]>>

/** What a call that is made again under its key may meet. */
type Repeated = "idempotency_key_reused" | "idempotency_in_progress" | "conflict"

/** The codes of errors that an endpoint declares, those of its middleware among them; POSTs alone may be repeated. */
export type Codes<Endpoint extends Parts> = Endpoint extends { readonly method: "POST" }
  ? Declared<Endpoint> | Repeated
  : Exclude<Declared<Endpoint>, Exclude<Repeated, "conflict">>

/** What a listing lists: the entries of the one array that its answer has. */
export type Item<Page> = {
  [Key in keyof Page]-?: Page[Key] extends ReadonlyArray<infer Each> ? Each : never
}[keyof Page]

/** Whether an endpoint answers in pages, of either kind. */
export type IsListing<Endpoint extends Parts> = [Endpoint["~Query"]] extends [never]
  ? false
  : "page" extends keyof Endpoint["~Query"]["Type"]
    ? true
    : "cursor" extends keyof Endpoint["~Query"]["Type"]
      ? true
      : false

export type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never

export type EndpointsOf<Group> = Extract<HttpApiGroup.Endpoints<Group>, AnyEndpoint>
