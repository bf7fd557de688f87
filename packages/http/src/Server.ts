// The listeners: the API, published pages with tracking links, and the console, each on its own origin.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { listening } from "@tentpole/adapters/operations/Listening"
import { serviceMetrics } from "@tentpole/adapters/operations/Metrics"
import { EventLoop } from "@tentpole/adapters/operations/ProcessMeasures"
import { draining, Readiness } from "@tentpole/adapters/operations/Readiness"
import { operations } from "@tentpole/adapters/operations/Routes"
import { ViewRecorder } from "@tentpole/core/traffic/ViewRecorder"
import { ByteSize, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "./admin/AdminApi.ts"
import { Api } from "./Api.ts"
import { type ConsoleFiles, consoleRoutes } from "./console/ConsoleListener.ts"
import { reference } from "./description/Reference.ts"
import { startPage } from "./description/StartPage.ts"
import { edge, routesOf } from "./edge/Edge.ts"
import { FastPaths } from "./edge/FastPath.ts"
import { adminHandlers, handlers } from "./Handlers.ts"
import { downloads } from "./api/exports/Downloads.ts"
import { uploads } from "./api/imports/Uploads.ts"
import { hooks } from "./hooks/Hooks.ts"
import { pagesMeasured } from "./edge/HttpMetrics.ts"
import { requestTimeouts, serverWithTimeouts } from "./edge/RequestTimeouts.ts"
import { ApiProxies, trustedProxies } from "./pages/ClientAddress.ts"
import * as Pages from "./pages/Pages.ts"
import * as VisitorAgents from "./pages/VisitorAgents.ts"
import * as ConfirmationPages from "./subscriptions/ConfirmationPages.ts"
import * as Tracking from "./tracking/Tracking.ts"

/** Each resource has one path: `/v1/contacts/` and `/V1/contacts` do not exist. */
const strict = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  // The endpoint validates parameters and reports their issues.
  maxParamLength: 2_000,
} as const

/** Maximum size of a POST to the pages' listener. */
export const form_bytes_max = 64 * 2 ** 10

/** The listeners close one after the other, within the 30 seconds that a process has. */
const pages_grace_s = 5
const console_grace_s = 3
const api_grace_s = 19

const listener = (
  { host }: Configuration,
  port: number,
  variable: string,
  grace_s: number,
  server = () => serverWithTimeouts(requestTimeouts),
) => listening({ host, port, variable, grace_s, server })

/** Without ADMIN_TOKEN, /admin answers 404 like any unknown path. */
const administration = ({ adminToken }: Configuration) =>
  adminToken === null
    ? edge(routesOf(Api))
    : Layer.merge(
        HttpApiBuilder.layer(AdminApi, { openapiPath: "/admin/v1/openapi.json" }).pipe(
          Layer.provide(adminHandlers(adminToken)),
        ),
        edge([...routesOf(Api), ...routesOf(AdminApi)]),
      )

const api = (config: Configuration) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(Layer.provide(handlers)),
    reference(Api),
    startPage,
    operations(serviceMetrics),
    downloads,
    uploads,
    hooks,
    administration(config),
  )

/** Tracking links and pages. The routes of tracking are longer and come first. */
const pages = (config: Configuration, fastPaths: FastPaths | undefined) =>
  Layer.mergeAll(
    pagesMeasured,
    Tracking.layer({ trustedProxies: config.trustProxy, fastPaths }),
    ConfirmationPages.layer({ trustedProxies: config.trustProxy }),
    Pages.layer({ trustedProxies: config.trustProxy, ...(fastPaths === undefined ? {} : { fastPaths }) }),
  )

const apiListener = (config: Configuration) =>
  HttpRouter.serve(api(config), { disableLogger: true, disableListenLog: true, routerConfig: strict }).pipe(
    Layer.provide(Layer.succeed(ApiProxies, trustedProxies(config.trustProxy))),
    Layer.provide(listener(config, config.port, "PORT", api_grace_s - config.drain_s)),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(config.json_bytes_max))),
  )

const pagesListener = (config: Configuration, fastPaths = new FastPaths()) =>
  HttpRouter.serve(pages(config, config.otlpUrl === null ? fastPaths : undefined), {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: strict,
  }).pipe(
    Layer.provide(
      listener(config, config.pagesPort, "PAGES_PORT", pages_grace_s, () =>
        serverWithTimeouts(requestTimeouts, fastPaths.answer),
      ),
    ),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(form_bytes_max))),
    Layer.provide(ViewRecorder.layer()),
    Layer.provide(VisitorAgents.layer),
  )

/** Its proxies are those of the API: both trust `TRUST_PROXY`. */
const consoleListener = (config: Configuration, files: ConsoleFiles) =>
  HttpRouter.serve(consoleRoutes(config, files), {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: strict,
  }).pipe(
    Layer.provide(Layer.succeed(ApiProxies, trustedProxies(config.trustProxy))),
    Layer.provide(listener(config, config.consolePort, "CONSOLE_PORT", console_grace_s)),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(config.json_bytes_max))),
  )

/**
 * The layers of the listeners are merged, not nested: a served router is part of its layer's output, so a nested listener
 * would also serve the routes of the other one.
 */
export const server = (config: Configuration, files: ConsoleFiles = Layer.empty) =>
  draining(config.drain_s).pipe(
    Layer.provide(
      Layer.mergeAll(
        apiListener(config),
        pagesListener(config),
        config.consolePort === 0 ? Layer.empty : consoleListener(config, files),
      ),
    ),
    Layer.provide(Layer.merge(Readiness.layer, EventLoop.layer)),
  )
