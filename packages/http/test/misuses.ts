// What must not compile, shown to the compiler: `tsc -b` fails as soon as it stops refusing one of these. Beside each
// mistake stands what is right, so that it is the mistake that is refused, and nothing else. Nobody runs this file.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { InvalidState, NotFound } from "@tentpole/core/kernel/Refusal"
import { Auth, withWorkspace } from "@tentpole/http/edge/Auth"
import { errors, table } from "@tentpole/http/edge/Errors"
import { answer } from "@tentpole/http/Wire"
import { Effect, type Layer, Schema } from "effect"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

const found = answer((thing: string) => thing)
const missing = Effect.fail(new NotFound({ resource: "thing" }))
const moved = Effect.fail(new InvalidState({ resource: "thing", status: "sent", move: "cancelled" }))

// A code has its row in the table of errors, with a status and a title.
type Rows = Record<ErrorCode, { readonly status: number; readonly title: string }>
const { not_found, ...others } = table
export const whole = { not_found, ...others } satisfies Rows
// @ts-expect-error without the row of not_found
export const holed = others satisfies Rows
export const known = "not_found" satisfies ErrorCode
// @ts-expect-error there is no such code
export const unknown = "no_such_code" satisfies ErrorCode

// An endpoint declares codes that there are, and a handler fails with those that are declared.
const find = HttpApiEndpoint.get("find", "/v1/thing", { success: Schema.String, error: errors("not_found") })
const Toy = HttpApi.make("toy").add(HttpApiGroup.make("things").add(find))
// @ts-expect-error there is no such code
export const declared = errors("not_found", "no_such_code")

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

// Only behind the middleware that asks who calls is there a workspace.
const Guarded = HttpApi.make("guarded").add(HttpApiGroup.make("things").add(find)).middleware(Auth)
const named = () => withWorkspace(({ slug }) => Effect.succeed(slug))
type Serving<Id extends string> = Layer.Layer<HttpApiGroup.Service<Id, "things">, never, Auth>
export const guarded: Serving<"guarded"> = HttpApiBuilder.group(Guarded, "things", (group) =>
  group.handle("find", named),
)
// @ts-expect-error nobody has asked who calls
export const unguarded: Serving<"toy"> = HttpApiBuilder.group(Toy, "things", (group) => group.handle("find", named))
