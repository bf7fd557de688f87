// Authentication middleware and the workspace of the API key. A handler that uses `CurrentWorkspace` compiles only behind this
// middleware.
import type { ApiKey } from "@tentpole/core/workspaces/ApiKey"
import type { Workspace } from "@tentpole/core/workspaces/Workspace"
import { Context, Effect } from "effect"
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

/** Runs a handler with the caller's workspace: `withWorkspace((workspace) => lists.create(workspace.id, …))`. */
export const withWorkspace = <A, E, R>(
  use: (workspace: Workspace, key: ApiKey) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R | CurrentWorkspace> =>
  Effect.flatMap(CurrentWorkspace, ({ workspace, key }) => use(workspace, key))
