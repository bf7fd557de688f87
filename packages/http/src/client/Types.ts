// Types of the client's methods, derived from the endpoints. Requests have wire types, so callers need no schemas, brands or
// date types of this library.
import type { Brand, DateTime, Schema, Stream } from "effect"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSchema } from "effect/http-api"

type AnyEndpoint = HttpApiEndpoint.ConstraintRequest

/** The parts of an endpoint; a missing schema is `never`. */
interface Parts {
  readonly "~Params": Schema.Constraint
  readonly "~Query": Schema.Constraint
  readonly "~Payload": Schema.Constraint
  readonly "~Success": unknown
  readonly "~Error": Schema.Constraint
  readonly "~Middleware": unknown
}

/** Without read-only keys, whose values are `unknown` in the schema. */
type Writable<Body> = Body extends ReadonlyArray<unknown> | string
  ? Body
  : { readonly [Key in keyof Body as unknown extends Body[Key] ? never : Key]: Body[Key] }

/** The schema inside of an endpoint's codec, whose own type does not have the wire type. */
type Inner<Codec> = Codec extends { readonly schema: infer Held extends Schema.Constraint } ? Held : never

type Wire<Codec> = Inner<Codec>["Encoded"]

type Form = Brand.Brand<HttpApiSchema.MultipartTypeId> | Brand.Brand<HttpApiSchema.MultipartStreamTypeId>

type BodyOf<Payload extends Schema.Constraint> = [Payload["Type"]] extends [Form] ? FormData : Body<Wire<Payload>>

type Body<Sent> = Sent extends undefined ? undefined : Writable<Sent>

/** A parameter as text or as its value. */
type Spelled<Type, Encoded> =
  | Encoded
  | (number extends Type ? number : never)
  | (Extract<Type, DateTime.Utc> extends never ? never : Date)

type QueryOf<Query extends Schema.Constraint> = {
  readonly [Key in keyof Wire<Query>]: Key extends keyof Query["Type"]
    ? Spelled<NonNullable<Query["Type"][Key]>, Wire<Query>[Key]>
    : Wire<Query>[Key]
}

type ParamsOf<Params extends Schema.Constraint> = {
  readonly [Key in keyof Params["Type"]]: Spelled<Params["Type"][Key], string>
}

/** An optional key if all of its fields are optional. */
type Part<Name extends string, Value> = [Value] extends [never]
  ? {}
  : {} extends Value
    ? { readonly [Key in Name]?: Value }
    : undefined extends Value
      ? { readonly [Key in Name]?: Value }
      : { readonly [Key in Name]: Value }

type Flat<T> = { readonly [Key in keyof T]: T[Key] }

/** The request of an endpoint: `params`, `query` and `payload`, as far as it has them. */
export type Request<Endpoint extends Parts> = Flat<
  ([Endpoint["~Params"]] extends [never] ? {} : { readonly params: ParamsOf<Endpoint["~Params"]> }) &
    ([Endpoint["~Query"]] extends [never] ? {} : Part<"query", QueryOf<Endpoint["~Query"]>>) &
    ([Endpoint["~Payload"]] extends [never] ? {} : Part<"payload", BodyOf<Endpoint["~Payload"]>>)
>

/** A stream of bytes; other values are complete when the call ends. */
export type Bytes = Stream.Stream<Uint8Array, unknown>

/** The value of a call without declared headers, which `answer` returns. */
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

/** Further codes of calls with an idempotency key. */
type Repeated = "idempotency_key_reused" | "idempotency_in_progress" | "conflict"

/** The error codes of an endpoint and its middleware. Only POSTs have idempotency keys. */
export type Codes<Endpoint extends Parts> = Endpoint extends { readonly method: "POST" }
  ? Declared<Endpoint> | Repeated
  : Exclude<Declared<Endpoint>, Exclude<Repeated, "conflict">>

/** The entries of a listing: those of the only array in its answer. */
export type Item<Page> = {
  [Key in keyof Page]-?: Page[Key] extends ReadonlyArray<infer Each> ? Each : never
}[keyof Page]

/** Whether an endpoint has pages. */
export type IsListing<Endpoint extends Parts> = [Endpoint["~Query"]] extends [never]
  ? false
  : "page" extends keyof Endpoint["~Query"]["Type"]
    ? true
    : "cursor" extends keyof Endpoint["~Query"]["Type"]
      ? true
      : false

export type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never

export type EndpointsOf<Group> = Extract<HttpApiGroup.Endpoints<Group>, AnyEndpoint>
