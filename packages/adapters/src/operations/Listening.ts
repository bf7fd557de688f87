// The listeners of a process. They report why they can't listen, and answer open requests before they close.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Predicate } from "effect"
import type { HttpServerError } from "effect/http"
import type { Server } from "node:http"
import { createServer } from "node:net"
import { BadConfiguration } from "../Configuration.ts"

export interface Listening {
  readonly host: string
  readonly port: number
  /** The environment variable of the port. */
  readonly variable: string
  /** How long open requests may take after a stop. */
  readonly grace_s: number
  readonly server: () => Server
}

export const listening = ({ grace_s, host, port, server, variable }: Listening) =>
  orRefused(NodeHttpServer.layer(server, { host, port, gracefulShutdownTimeout: `${grace_s} seconds` }), (error) =>
    cannotListen(error, host, port, variable),
  )

const orRefused = <Out>(
  listening: Layer.Layer<Out, HttpServerError.ServeError>,
  say: (error: HttpServerError.ServeError) => string,
): Layer.Layer<Out, BadConfiguration> =>
  Layer.catchTag(listening, "ServeError", (error) =>
    Layer.effectContext<Out, BadConfiguration, never>(Effect.fail(new BadConfiguration({ reason: say(error) }))),
  )

const cannotListen = (error: HttpServerError.ServeError, host: string, port: number, variable: string): string => {
  const code = Predicate.hasProperty(error.cause, "code") ? error.cause.code : undefined
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

/** Whether a port can be listened on. */
export const isFree = (host: string, port: number): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const probe = createServer()
    probe.once("error", () => resume(Effect.succeed(false)))
    probe.listen(port, host, () => probe.close(() => resume(Effect.succeed(true))))
  })
