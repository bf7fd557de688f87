// The two listeners: the API, and (another origin) published pages with tracking.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { BadConfiguration, type Configuration } from "@tentpole/adapters/Configuration"
import { ViewRecorder } from "@tentpole/core/traffic/ViewRecorder"
import { ByteSize, Effect, Layer, Ref } from "effect"
import { HttpIncomingMessage, HttpRouter, type HttpServerError } from "effect/http"
import { HttpApiBuilder, HttpApiScalar } from "effect/http-api"
import { AdminApi } from "./admin/AdminApi.ts"
import { Api } from "./Api.ts"
import { edge, routesOf } from "./Edge.ts"
import { adminHandlers, handlers } from "./Handlers.ts"
import { downloads } from "./api/exports/Downloads.ts"
import { uploads } from "./api/imports/Uploads.ts"
import { hooks } from "./hooks/Hooks.ts"
import { patience, patientServer } from "./Patience.ts"
import { Readiness, routes as operations } from "./Operations.ts"
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

const json_size_max = ByteSize.mebibytes(5)
/** What a browser or a mail program posts to the pages' listener. */
const form_size_max = ByteSize.kibibytes(64)

/** A listener that can't listen says why, and which variable to change. */
const orRefused = <Out>(
  listening: Layer.Layer<Out, HttpServerError.ServeError>,
  say: (error: HttpServerError.ServeError) => string,
): Layer.Layer<Out, BadConfiguration> =>
  Layer.catchTag(listening, "ServeError", (error) =>
    Layer.effectContext<Out, BadConfiguration, never>(Effect.fail(new BadConfiguration({ reason: say(error) }))),
  )

const listener = (host: string, port: number, variable: string) =>
  orRefused(
    NodeHttpServer.layer(() => patientServer(patience), { host, port, gracefulShutdownTimeout: "25 seconds" }),
    (error) => cannotListen(error, host, port, variable),
  )

const cannotListen = (error: HttpServerError.ServeError, host: string, port: number, variable: string): string => {
  const code =
    typeof error.cause === "object" && error.cause !== null && "code" in error.cause ? error.cause.code : undefined
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is taken: stop what uses it, or set ${variable} to a free port.`
    case "EACCES":
      return `Port ${port} may not be used by this user: set ${variable} to one above 1023.`
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `HOST (${host}) is no address of this machine: set it to one that is, or to 127.0.0.1.`
    default:
      return `Nothing can listen on ${host}:${port} (${String(code ?? error.cause)}): check HOST and ${variable}.`
  }
}

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
    operations,
    downloads,
    uploads,
    hooks,
    administration(config),
  )

/** Tracking and pages: HTML for people, never the API's answers. Tracking's addresses are longer, and come first. */
const pages = (config: Configuration) =>
  Layer.mergeAll(Tracking.layer, Pages.layer({ trustedProxies: config.trustProxy }))

/** From the moment the process is asked to stop, `/readyz` says so, while what is under way is answered. */
const stopping = Layer.effectDiscard(
  Effect.flatMap(Readiness, (taking) => Effect.addFinalizer(() => Ref.set(taking, false))),
)

const apiListener = (config: Configuration) =>
  HttpRouter.serve(api(config), { disableLogger: true, disableListenLog: true, routerConfig: strict }).pipe(
    Layer.provide(listener(config.host, config.port, "PORT")),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, json_size_max)),
  )

const pagesListener = (config: Configuration) =>
  HttpRouter.serve(pages(config), { disableLogger: true, disableListenLog: true, routerConfig: strict }).pipe(
    Layer.provide(listener(config.host, config.pagesPort, "PAGES_PORT")),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, form_size_max)),
    Layer.provide(ViewRecorder.layer()),
    Layer.provide(VisitorAgents.layer),
  )

/**
 * The listeners stand beside each other, never one upon the other: a served router is among what its layer gives, and a
 * second listener built upon it would serve the first one's routes on its own port.
 */
export const server = (config: Configuration) =>
  stopping.pipe(Layer.provide(Layer.merge(apiListener(config), pagesListener(config))), Layer.provide(Readiness.layer))
