// The administration over a world, with its token.
import { AdminApi } from "@tentpole/http/admin/AdminApi"
import { adminHandlers } from "@tentpole/http/Handlers"
import type { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, type Layer, Redacted } from "effect"
import { type Call, servingOver } from "./World.ts"

export const adminToken = "admin_0123456789_0123456789_0123456789"

/** How it is called with the token, and with whatever a request says instead. */
export const administrationOver = Effect.fnUntraced(function* <Out, E>(over: Layer.Layer<Out | Workspaces, E>) {
  const { call, context } = yield* servingOver(over, AdminApi, adminHandlers(Redacted.make(adminToken)))
  const authorization = `Bearer ${adminToken}`
  const admin: Call = (method, path, sent = {}) =>
    call(method, path, { ...sent, headers: { authorization, ...sent.headers } })
  return { admin, context }
})
