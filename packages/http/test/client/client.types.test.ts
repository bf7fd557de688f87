// Tests that the printed types of `@tentpole/client` are those of the API's schemas. The compiler runs the first test: a mismatch is
// an error that names the calls, such as "lists.create.request".
import type { Client as Printed, Listing, Method } from "@tentpole/client"
import type { Api } from "@tentpole/http/Api"
import type { Bytes, Codes, EndpointsOf, GroupsOf, Request, Value } from "@tentpole/http/client/Types"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { assert, it } from "@effect/vitest"

interface Shape {
  readonly request: unknown
  readonly value: unknown
  readonly codes: unknown
}

type Given<Value> = Value extends Bytes ? ReadableStream<Uint8Array> : Value

type ShapeOf<E extends HttpApiEndpoint.ConstraintRequest> = {
  readonly request: Request<E>
  readonly value: Given<Value<E>>
  readonly codes: Codes<E>
}

type FromSchemas = {
  readonly [Group in GroupsOf<typeof Api> as HttpApiGroup.Identifier<Group>]: {
    readonly [E in EndpointsOf<Group> as E["identifier"]]: ShapeOf<E>
  }
}

type PrintedShape<Each> =
  Each extends Listing<infer R, infer V, infer C>
    ? { readonly request: R; readonly value: V; readonly codes: C }
    : Each extends Method<infer R, infer V, infer C>
      ? { readonly request: R; readonly value: V; readonly codes: C }
      : never

type FromClient = {
  readonly [Group in keyof Printed]: { readonly [Name in keyof Printed[Group]]: PrintedShape<Printed[Group][Name]> }
}

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false

/** Values of the schemas have branded ids, so they are compared in one direction. */
type Mismatch<Derived extends Shape, Shown extends Shape> =
  | (Same<Derived["request"], Shown["request"]> extends true ? never : "request")
  | ([Derived["value"]] extends [Shown["value"]] ? never : "value")
  | (Same<Derived["codes"], Shown["codes"]> extends true ? never : "codes")

type Mismatches = {
  [Group in keyof FromSchemas & keyof FromClient]: {
    [Name in keyof FromSchemas[Group]]: Name extends keyof FromClient[Group]
      ? `${Group}.${Name & string}.${Mismatch<
          FromSchemas[Group][Name] extends infer D extends Shape ? D : never,
          FromClient[Group][Name] extends infer S extends Shape ? S : never
        >}`
      : `${Group}.${Name & string}`
  }[keyof FromSchemas[Group]]
}[keyof FromSchemas & keyof FromClient]

it("requests, values and error codes of the client have the types of the API's schemas", () => {
  const sameGroups: Same<keyof FromSchemas, keyof FromClient> = true
  const mismatches: Readonly<Record<Mismatches, never>> = {}
  assert.deepStrictEqual([sameGroups, mismatches], [true, {}])
})
