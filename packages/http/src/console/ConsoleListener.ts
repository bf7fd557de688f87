// The routes of the console's listener: its files, the API of accounts, and the other APIs with a session in the place of a key.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { Layer } from "effect"
import type { HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AccountsApi } from "../accounts/AccountsApi.ts"
import { oidcRoutes } from "../accounts/OidcRoutes.ts"
import { AdminApi } from "../admin/AdminApi.ts"
import { Api } from "../Api.ts"
import { downloads } from "../api/exports/Downloads.ts"
import { uploads } from "../api/imports/Uploads.ts"
import { edge, routesOf } from "../edge/Edge.ts"
import { accountsHandlers, consoleAdminHandlers, consoleHandlers } from "../Handlers.ts"
import { consoleGuard } from "./ConsoleGuard.ts"
import * as SessionAuthentication from "./SessionAuthentication.ts"
import { SessionCookie } from "./SessionCookie.ts"

/** Routes that serve the console's files. */
export type ConsoleFiles = Layer.Layer<never, never, HttpRouter.HttpRouter>

const apis = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(Layer.provide(consoleHandlers)),
  HttpApiBuilder.layer(AdminApi).pipe(Layer.provide(consoleAdminHandlers)),
  HttpApiBuilder.layer(AccountsApi, { openapiPath: "/auth/v1/openapi.json" }).pipe(Layer.provide(accountsHandlers)),
).pipe(Layer.provide(SessionAuthentication.layer), Layer.provide(SessionCookie.layer))

export const consoleRoutes = ({ publicConsoleUrl }: Configuration, files: ConsoleFiles) =>
  Layer.mergeAll(
    files,
    apis,
    oidcRoutes.pipe(Layer.provide(SessionCookie.layer)),
    downloads,
    uploads,
    edge([...routesOf(Api), ...routesOf(AdminApi), ...routesOf(AccountsApi)], {
      refusal: consoleGuard(publicConsoleUrl),
      challenges: false,
    }),
  )
