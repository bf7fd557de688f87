// Authentication of the administration API by the ADMIN_TOKEN. Its holder can change every workspace; the audit log names it
// `admin`. Wrong tokens of an address are limited; above the limit the right one is refused too, so that guesses reveal nothing.
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import type { Authority } from "@tentpole/core/workspaces/Role"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { createHash, timingSafeEqual } from "node:crypto"
import { attemptLimit } from "./AttemptLimit.ts"
import { body, errors } from "../edge/Errors.ts"

/** What the caller is in the workspace that the request names; `operator` for the holder of the token. */
export class CurrentAuthority extends Context.Service<CurrentAuthority, Authority>()(
  "tentpole/http/CurrentAuthority",
) {}

export class AdminAuth extends HttpApiMiddleware.Service<AdminAuth, { provides: CurrentAuthority }>()(
  "tentpole/http/AdminAuth",
  {
    error: errors("unauthorized", "role_too_low", "rate_limited"),
    security: { bearer: HttpApiSecurity.bearer },
  },
) {}

/** Hashes have equal lengths, so that the comparison takes constant time. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const refused = body(
  "unauthorized",
  "The administration token is missing or wrong. Send `Authorization: Bearer <ADMIN_TOKEN>`",
)

export const layer = (token: Redacted.Redacted) => {
  const right = digest(Redacted.value(token))
  return Layer.effect(
    AdminAuth,
    Effect.gen(function* () {
      const attempts = yield* attemptLimit("administration tokens")
      return AdminAuth.of({
        bearer: (handle, { credential }) =>
          Effect.gen(function* () {
            const { headers } = yield* HttpServerRequest.HttpServerRequest
            const one = /^bearer +[^\s,]+$/i.test(headers["authorization"] ?? "")
            if (timingSafeEqual(digest(Redacted.value(credential)), right) && one) {
              yield* attempts.succeeded
              return yield* handle.pipe(
                Effect.provideService(CurrentAuthority, "operator"),
                Effect.provideService(Actor, "admin"),
              )
            }
            yield* attempts.failed
            return yield* Effect.fail(refused)
          }),
      })
    }),
  )
}
