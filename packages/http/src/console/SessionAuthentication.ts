// Authentication on the console's listener: the session's cookie in the place of API keys and the administration token.
import { Accounts } from "@tentpole/core/accounts/Accounts"
import { SignInAgain } from "@tentpole/core/accounts/AccountErrors"
import type { SignedIn } from "@tentpole/core/accounts/AccountStore"
import { isRecent } from "@tentpole/core/accounts/Session"
import { Actor } from "@tentpole/core/kernel/changes/Actor"
import { Settings } from "@tentpole/core/kernel/Settings"
import { type Authority, requireRole } from "@tentpole/core/workspaces/Role"
import { DateTime, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { CurrentSession, SignedInOnly } from "../accounts/AccountsApi.ts"
import { AdminAuth, CurrentAuthority } from "../admin/AdminAuth.ts"
import { Auth, CurrentWorkspace } from "../edge/Auth.ts"
import { answerWith, refusalResponse } from "../edge/Edge.ts"
import { toBody } from "../edge/Errors.ts"
import { rateLimiter } from "../edge/RateLimit.ts"
import { authorityOf, needsRecentSignIn } from "../Endpoint.ts"
import { SessionCookie } from "./SessionCookie.ts"

const session = Effect.gen(function* () {
  const accounts = yield* Accounts
  const cookie = yield* SessionCookie
  const { requestsPerMinute_max } = yield* Settings
  const counted = yield* rateLimiter(requestsPerMinute_max, "session")
  /** The session of the request's cookie, with its request counted. An `Authorization` header is not read. */
  const authenticate = Effect.gen(function* () {
    const token = cookie.tokenOf(yield* HttpServerRequest.HttpServerRequest) ?? ""
    const found = yield* Effect.mapError(accounts.authenticate(token), toBody)
    yield* counted(found.session.id)
    return { ...found, token }
  })
  return { accounts, authenticate }
})

const asUser =
  ({ user }: SignedIn) =>
  <A, E, R>(handle: Effect.Effect<A, E, R>) =>
    Effect.provideService(handle, Actor, `user:${user.id}`)

const noWorkspace = answerWith("not_found", "No such workspace, or the signed-in user is no member of it")

const unnamed = answerWith(
  "validation_failed",
  "The header X-Tentpole-Workspace is required: the id or the slug of the workspace",
)

const auth = Layer.effect(
  Auth,
  Effect.gen(function* () {
    const { accounts, authenticate } = yield* session
    return Auth.of({
      bearer: (handle, { endpoint }) =>
        Effect.gen(function* () {
          const current = yield* authenticate
          const named = (yield* HttpServerRequest.HttpServerRequest).headers["x-tentpole-workspace"]
          if (named === undefined) return unnamed
          const found = yield* Effect.option(accounts.memberOf(current.user.id, named))
          if (found._tag === "None") return noWorkspace
          const { role, workspace } = found.value
          yield* Effect.mapError(requireRole(role, authorityOf(endpoint)), toBody)
          const isMember = Effect.isSuccess(accounts.memberOf(current.user.id, workspace.id))
          const isLive = Effect.flatMap(accounts.isLive(current.token), (live) =>
            live ? isMember : Effect.succeed(false),
          )
          return yield* handle.pipe(
            Effect.provideService(CurrentWorkspace, { workspace, caller: { name: current.user.name, role, isLive } }),
            asUser(current),
          )
        }),
    })
  }),
)

/** The refusal of a session whose sign-in is too old for an endpoint, or null. */
const refusalOfAge = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, { session }: SignedIn) {
  const isTooOld = needsRecentSignIn(endpoint) && !isRecent(session, yield* DateTime.now)
  return isTooOld ? (refusalResponse(new SignInAgain()) satisfies HttpServerResponse.HttpServerResponse) : null
})

/** The workspace that a request of the administration API names: in its path, or in the query of the audit log. */
const namedWorkspace = Effect.gen(function* () {
  const { workspace_id } = yield* HttpRouter.params
  const { url } = yield* HttpServerRequest.HttpServerRequest
  return workspace_id ?? new URL(url, "http://console").searchParams.get("workspace_id")
})

const adminAuth = Layer.effect(
  AdminAuth,
  Effect.gen(function* () {
    const { accounts, authenticate } = yield* session

    /** What the user is in the workspace of the request; null: no member of it. */
    const authorityIn = Effect.fnUntraced(function* ({ user }: SignedIn) {
      if (user.operator) return "operator" as const
      const workspace = yield* namedWorkspace
      if (workspace === null) return "viewer" as const
      return yield* accounts.memberOf(user.id, workspace).pipe(
        Effect.map(({ role }): Authority => role),
        Effect.catch(() => Effect.succeed(null)),
      )
    })

    return AdminAuth.of({
      bearer: (handle, { endpoint }) =>
        Effect.gen(function* () {
          const current = yield* authenticate
          const authority = yield* authorityIn(current)
          if (authority === null) return noWorkspace
          yield* Effect.mapError(requireRole(authority, authorityOf(endpoint)), toBody)
          const refusal = yield* refusalOfAge(endpoint, current)
          if (refusal !== null) return refusal
          return yield* handle.pipe(Effect.provideService(CurrentAuthority, authority), asUser(current))
        }),
    })
  }),
)

const signedInOnly = Layer.effect(
  SignedInOnly,
  Effect.map(session, ({ authenticate }) =>
    SignedInOnly.of({
      cookie: (handle, { endpoint }) =>
        Effect.gen(function* () {
          const current = yield* authenticate
          const refusal = yield* refusalOfAge(endpoint, current)
          if (refusal !== null) return refusal
          return yield* handle.pipe(Effect.provideService(CurrentSession, current), asUser(current))
        }),
    }),
  ),
)

export const layer = Layer.mergeAll(auth, adminAuth, signedInOnly)
