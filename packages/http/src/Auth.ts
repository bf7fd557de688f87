// Who calls: the bearer key's workspace. A handler asks for `CurrentWorkspace`; without the middleware that provides it, it
// does not compile.
import { Actor } from "@tentpole/core/administration/Actor"
import { Settings } from "@tentpole/core/Settings"
import type { ApiKey } from "@tentpole/core/workspaces/ApiKey"
import type { Workspace } from "@tentpole/core/workspaces/Workspace"
import { Unauthorized, Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { errors, toBody } from "./Errors.ts"
import { rateLimiter } from "./RateLimit.ts"

export class CurrentWorkspace extends Context.Service<
  CurrentWorkspace,
  { readonly workspace: Workspace; readonly key: ApiKey }
>()("tentpole/http/CurrentWorkspace") {}

export class Auth extends HttpApiMiddleware.Service<Auth, { provides: CurrentWorkspace }>()("tentpole/http/Auth", {
  error: errors("unauthorized", "rate_limited"),
  security: { bearer: HttpApiSecurity.bearer },
}) {}

/** Handlers' first words: `withWorkspace((workspace) => lists.create(workspace.id, …))`. */
export const withWorkspace = <A, E, R>(
  use: (workspace: Workspace, key: ApiKey) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R | CurrentWorkspace> =>
  Effect.flatMap(CurrentWorkspace, ({ workspace, key }) => use(workspace, key))

export const layer = Layer.effect(
  Auth,
  Effect.gen(function* () {
    const workspaces = yield* Workspaces
    const { requestsPerMinute_max } = yield* Settings
    const counted = rateLimiter(requestsPerMinute_max)
    return Auth.of({
      bearer: (handle, { credential }) =>
        Effect.gen(function* () {
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          // Two headers, or a list in one, are nobody's: node joins or drops duplicates, and we don't guess.
          const one = /^bearer +[^\s,]+$/i.test(headers["authorization"] ?? "")
          const raw = Redacted.value(credential)
          const current = yield* (one ? workspaces.authenticate(raw) : Effect.fail(new Unauthorized())).pipe(
            Effect.mapError(toBody),
          )
          yield* counted(current.key.id)
          return yield* handle.pipe(
            Effect.provideService(CurrentWorkspace, current),
            Effect.provideService(Actor, `key:${current.key.prefix}`),
          )
        }),
    })
  }),
)
