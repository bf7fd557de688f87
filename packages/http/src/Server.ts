// The two listeners: the API, and (another origin) published pages with tracking.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { listening } from "@tentpole/adapters/operations/Listening"
import { serviceMetrics } from "@tentpole/adapters/operations/Metrics"
import { EventLoop } from "@tentpole/adapters/operations/ProcessMeasures"
import { draining, Readiness } from "@tentpole/adapters/operations/Readiness"
import { operations } from "@tentpole/adapters/operations/Routes"
import { ViewRecorder } from "@tentpole/core/traffic/ViewRecorder"
import { ByteSize, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { HttpApiBuilder, HttpApiScalar } from "effect/http-api"
import { AdminApi } from "./admin/AdminApi.ts"
import { Api } from "./Api.ts"
import { edge, routesOf } from "./edge/Edge.ts"
import { FrontDoor } from "./edge/FastPath.ts"
import { adminHandlers, handlers } from "./Handlers.ts"
import { downloads } from "./api/exports/Downloads.ts"
import { uploads } from "./api/imports/Uploads.ts"
import { hooks } from "./hooks/Hooks.ts"
import { pagesMeasured } from "./edge/HttpMetrics.ts"
import { patience, patientServer } from "./edge/RequestTimeouts.ts"
import { ApiProxies, trustedProxies } from "./pages/ClientAddress.ts"
import * as Pages from "./pages/Pages.ts"
import * as VisitorAgents from "./pages/VisitorAgents.ts"
import * as Tracking from "./tracking/Tracking.ts"

/** `/v1/contacts/` is not `/v1/contacts`, nor is `/V1/contacts`: one address a resource. */
const strict = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  // What a path names is judged by the call, which says what is wrong with it.
  maxParamLength: 2_000,
} as const

/** What a browser or a mail program posts to the pages' listener. */
export const form_bytes_max = 64 * 2 ** 10

/** The listeners are closed one after the other, and both within the half minute that a process has: pages take no time. */
const pages_grace_s = 5
const api_grace_s = 22

const listener = (
  { host }: Configuration,
  port: number,
  variable: string,
  grace_s: number,
  server = () => patientServer(patience),
) => listening({ host, port, variable, grace_s, server })

/** Without a token nothing is served under /admin, and nothing there is told from what is nowhere. */
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
    HttpApiScalar.layer(Api, { path: "/docs" }),
    operations(serviceMetrics),
    downloads,
    uploads,
    hooks,
    administration(config),
  )

/** Tracking and pages: HTML for people, never the API's answers. Tracking's addresses are longer, and come first. */
const pages = (config: Configuration, front: FrontDoor | undefined) =>
  Layer.mergeAll(
    pagesMeasured,
    Tracking.layer(front),
    Pages.layer({ trustedProxies: config.trustProxy, ...(front === undefined ? {} : { front }) }),
  )

const apiListener = (config: Configuration) =>
  HttpRouter.serve(api(config), { disableLogger: true, disableListenLog: true, routerConfig: strict }).pipe(
    Layer.provide(Layer.succeed(ApiProxies, trustedProxies(config.trustProxy))),
    Layer.provide(listener(config, config.port, "PORT", api_grace_s - config.drain_s)),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(config.json_bytes_max))),
  )

const pagesListener = (config: Configuration, front = new FrontDoor()) =>
  HttpRouter.serve(pages(config, config.otlpUrl === null ? front : undefined), {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: strict,
  }).pipe(
    Layer.provide(
      listener(config, config.pagesPort, "PAGES_PORT", pages_grace_s, () => patientServer(patience, front.answers)),
    ),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(form_bytes_max))),
    Layer.provide(ViewRecorder.layer()),
    Layer.provide(VisitorAgents.layer),
  )

/**
 * The listeners stand beside each other, never one upon the other: a served router is among what its layer gives, and a
 * second listener built upon it would serve the first one's routes on its own port.
 */
export const server = (config: Configuration) =>
  draining(config.drain_s).pipe(
    Layer.provide(Layer.merge(apiListener(config), pagesListener(config))),
    Layer.provide(Layer.merge(Readiness.layer, EventLoop.layer)),
  )
