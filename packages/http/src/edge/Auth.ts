// Authentication middleware, the caller and its workspace. A handler that uses `CurrentWorkspace` compiles only behind this
// middleware.
import type { Authority } from "@tentpole/core/workspaces/Role"
import type { Workspace } from "@tentpole/core/workspaces/Workspace"
import { Context, type Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { errors } from "./Errors.ts"

/** Who calls: an API key or a signed-in user. */
export interface Caller {
  /** The name that generations and versions record. */
  readonly name: string
  readonly role: Authority
  /** Whether the key or session still gives access: asked again while a stream is open. */
  readonly isLive: Effect.Effect<boolean>
}

export class CurrentWorkspace extends Context.Service<
  CurrentWorkspace,
  { readonly workspace: Workspace; readonly caller: Caller }
>()("tentpole/http/CurrentWorkspace") {}

export class Auth extends HttpApiMiddleware.Service<Auth, { provides: CurrentWorkspace }>()("tentpole/http/Auth", {
  error: errors("unauthorized", "role_too_low", "rate_limited"),
  security: { bearer: HttpApiSecurity.bearer },
}) {}
