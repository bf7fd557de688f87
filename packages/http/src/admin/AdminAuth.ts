// Who may administer: whoever has the ADMIN_TOKEN. Its holder acts on every workspace, in the audit log as `admin`.
import { Actor } from "@tentpole/core/kernel/Actor"
import { Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { createHash, timingSafeEqual } from "node:crypto"
import { body, errors } from "../edge/Errors.ts"

export class AdminAuth extends HttpApiMiddleware.Service<AdminAuth>()("tentpole/http/AdminAuth", {
  error: errors("unauthorized"),
  security: { bearer: HttpApiSecurity.bearer },
}) {}

/** Hashes have one length, so that neither length nor place of a difference shows in the time. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

const refused = body(
  "unauthorized",
  "Send the administration's token as `Authorization: Bearer <ADMIN_TOKEN>`. It is missing or wrong",
)

export const layer = (token: Redacted.Redacted) => {
  const right = digest(Redacted.value(token))
  return Layer.succeed(
    AdminAuth,
    AdminAuth.of({
      bearer: (handle, { credential }) =>
        Effect.gen(function* () {
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          const one = /^bearer +[^\s,]+$/i.test(headers["authorization"] ?? "")
          if (!timingSafeEqual(digest(Redacted.value(credential)), right) || !one) return yield* Effect.fail(refused)
          return yield* Effect.provideService(handle, Actor, "admin")
        }),
    }),
  )
}
