// Who calls: the bearer key's workspace. A handler asks for `CurrentWorkspace`; without the middleware that provides it, it
// does not compile.
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

/** Handlers' first words: `withWorkspace((workspace) => lists.create(workspace.id, …))`. */
export const withWorkspace = <A, E, R>(
  use: (workspace: Workspace, key: ApiKey) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R | CurrentWorkspace> =>
  Effect.flatMap(CurrentWorkspace, ({ workspace, key }) => use(workspace, key))
