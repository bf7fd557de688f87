// Code that must not compile: `tsc -b` fails if a mistake compiles. The correct version of each mistake is next to it. This file
// is never run.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { InvalidState, NotFound } from "@tentpole/core/kernel/Refusal"
import { Auth, CurrentWorkspace } from "@tentpole/http/edge/Auth"
import * as Endpoint from "@tentpole/http/Endpoint"
import { errors, table } from "@tentpole/http/edge/Errors"
import { answer } from "@tentpole/http/Wire"
import { Effect, type Layer, Schema } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiGroup } from "effect/http-api"

const found = answer((thing: string) => thing)
const missing = Effect.fail(new NotFound({ resource: "thing" }))
const moved = Effect.fail(new InvalidState({ resource: "thing", status: "sent", move: "cancelled" }))

// Each code has a row with a status and a title in the table of errors.
type Rows = Record<ErrorCode, { readonly status: number; readonly title: string }>
const { not_found, ...others } = table
export const whole = { not_found, ...others } satisfies Rows
// @ts-expect-error without the row of not_found
export const holed = others satisfies Rows
export const known = "not_found" satisfies ErrorCode
// @ts-expect-error there is no such code
export const unknown = "no_such_code" satisfies ErrorCode

// An endpoint declares existing codes, and a handler fails only with declared ones.
const texts = { needs: "viewer" as const, summary: "Get a thing", description: "Returns a thing." }
const find = Endpoint.get("find", "/v1/thing", { ...texts, success: Schema.String, errors: ["not_found"] })
const Toy = HttpApi.make("toy").add(HttpApiGroup.make("things").add(find))
// @ts-expect-error there is no such code
export const declared = errors("not_found", "no_such_code")
// @ts-expect-error there is no such code
export const declaredByEndpoint = Endpoint.get("find", "/v1/thing", { ...texts, errors: ["no_such_code"] })

export const failsAsDeclared = HttpApiBuilder.group(Toy, "things", (group) =>
  group.handle("find", () => missing.pipe(found)),
)
export const failsOtherwise = HttpApiBuilder.group(Toy, "things", (group) =>
  // @ts-expect-error the endpoint does not declare invalid_state
  group.handle("find", () => moved.pipe(found)),
)
export const failsRaw = HttpApiBuilder.group(Toy, "things", (group) =>
  // @ts-expect-error a refusal of the core is no body: `answer` makes it one
  group.handle("find", () => missing),
)
export const answersOtherwise = HttpApiBuilder.group(Toy, "things", (group) =>
  // @ts-expect-error the endpoint answers a string
  group.handle("find", () => Effect.succeed(1)),
)
export const handlesNothing = HttpApiBuilder.group(Toy, "things", (group) =>
  // @ts-expect-error find has no handler
  group.handleAll({}),
)

// A handler has a workspace only behind the authentication middleware.
const Guarded = HttpApi.make("guarded").add(HttpApiGroup.make("things").add(find)).middleware(Auth)
const named = () => Effect.map(CurrentWorkspace, ({ workspace }) => workspace.slug)
type Serving<Id extends string> = Layer.Layer<HttpApiGroup.Service<Id, "things">, never, Auth>
export const guarded: Serving<"guarded"> = HttpApiBuilder.group(Guarded, "things", (group) =>
  group.handle("find", named),
)
// @ts-expect-error there is no authentication middleware
export const unguarded: Serving<"toy"> = HttpApiBuilder.group(Toy, "things", (group) => group.handle("find", named))
