// Implementation of the authentication middleware: resolves the API key, applies its rate limit and checks its role. It is
// separate from `Auth.ts`, so that the API value and the client do not depend on use cases.
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import { Settings } from "@tentpole/core/kernel/Settings"
import { requireRole } from "@tentpole/core/workspaces/Role"
import { Unauthorized, Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { authorityOf } from "../Endpoint.ts"
import { Auth, CurrentWorkspace } from "./Auth.ts"
import { toBody } from "./Errors.ts"
import { callerAddress } from "../pages/ClientAddress.ts"
import { rateLimiter, tooManyRequests } from "./RateLimit.ts"
import { type Admission, UnknownKeysPerMinute, wrongKeys } from "./UnknownKeyLimiter.ts"

export const layer = Layer.effect(
  Auth,
  Effect.gen(function* () {
    const workspaces = yield* Workspaces
    const { requestsPerMinute_max } = yield* Settings
    const counted = yield* rateLimiter(requestsPerMinute_max)
    const addressOf = yield* callerAddress
    const admit = yield* wrongKeys(yield* UnknownKeysPerMinute)

    /** In-process calls have no remote address and are not limited. */
    const admitted = Effect.fnUntraced(function* (key: string) {
      const address = addressOf(yield* HttpServerRequest.HttpServerRequest)
      if (address === null) return unlimited
      const admission = yield* admit(address, key)
      if (admission.wait_s > 0) return yield* tooMany(admission.wait_s)
      return admission
    })

    const authenticate = Effect.fnUntraced(function* (key: string) {
      const { settled } = yield* admitted(key)
      return yield* workspaces.authenticate(key).pipe(
        Effect.tap(() => Effect.sync(() => settled(true))),
        Effect.tapError(() => Effect.sync(() => settled(false))),
        Effect.mapError(toBody),
      )
    })

    return Auth.of({
      bearer: (handle, { credential, endpoint }) =>
        Effect.gen(function* () {
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          // Node joins repeated headers. Several keys are refused.
          const one = /^bearer +[^\s,]+$/i.test(headers["authorization"] ?? "")
          if (!one) return yield* Effect.fail(toBody(new Unauthorized()))
          const { key, workspace } = yield* authenticate(Redacted.value(credential))
          yield* counted(key.id)
          yield* Effect.mapError(requireRole(key.role, authorityOf(endpoint)), toBody)
          const isLive = Effect.isSuccess(workspaces.authenticate(Redacted.value(credential)))
          return yield* handle.pipe(
            Effect.provideService(CurrentWorkspace, { workspace, caller: { name: key.name, role: key.role, isLive } }),
            Effect.provideService(Actor, `key:${key.prefix}`),
          )
        }),
    })
  }),
)

const unlimited: Admission = { wait_s: 0, settled: () => undefined }

const tooMany = (wait_s: number) => tooManyRequests("Too many requests with unknown keys from your address", wait_s)
