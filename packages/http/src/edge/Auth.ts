// Authentication middleware and the workspace of the API key. A handler that uses `CurrentWorkspace` compiles only behind this
// middleware.
import type { ApiKey } from "@tentpole/core/workspaces/ApiKey"
import type { Workspace } from "@tentpole/core/workspaces/Workspace"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { errors } from "./Errors.ts"

export class CurrentWorkspace extends Context.Service<
  CurrentWorkspace,
  { readonly workspace: Workspace; readonly key: ApiKey }
>()("tentpole/http/CurrentWorkspace") {}

export class Auth extends HttpApiMiddleware.Service<Auth, { provides: CurrentWorkspace }>()("tentpole/http/Auth", {
  error: errors("unauthorized", "rate_limited"),
  security: { bearer: HttpApiSecurity.bearer },
}) {}
