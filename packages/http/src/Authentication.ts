// How a bearer key becomes its workspace, and is counted against its limit. Apart from what it is called for, so that the
// API's description, and clients with it, know nothing of workspaces' use cases.
import { Actor } from "@tentpole/core/administration/Actor"
import { Settings } from "@tentpole/core/Settings"
import { Unauthorized, Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { Auth, CurrentWorkspace } from "./Auth.ts"
import { toBody } from "./Errors.ts"
import { rateLimiter } from "./RateLimit.ts"

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
