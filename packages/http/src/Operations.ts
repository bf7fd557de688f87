// What operators and load balancers ask: is it alive, is it ready, what does it measure. No key is needed.
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Ref, Context } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"

/** Whether this process takes new work; false from the moment it is asked to stop. */
export class Readiness extends Context.Service<Readiness, Ref.Ref<boolean>>()("tentpole/http/Readiness") {
  static readonly layer = Layer.effect(Readiness, Ref.make(true))
}

const json = (body: unknown, status: number) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers: { "cache-control": "no-store" } })

/** Alive: the process answers. The database's state is none of its business. */
const healthz = HttpRouter.add("GET", "/healthz", Effect.succeed(json({ status: "ok" }, 200)))

const database_patience = "2 seconds"

const readyz = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const taking = yield* Readiness
    yield* router.add(
      "GET",
      "/readyz",
      Effect.gen(function* () {
        if (!(yield* Ref.get(taking))) return json({ status: "stopping" }, 503)
        const answers = yield* sql`select 1`.pipe(Effect.timeout(database_patience), Effect.result)
        return answers._tag === "Success"
          ? json({ status: "ready" }, 200)
          : json({ status: "database unavailable" }, 503)
      }),
    )
  }),
)

const metrics = HttpRouter.add(
  "GET",
  "/metrics",
  Effect.map(PrometheusMetrics.format({ prefix: "tentpole" }), (text) =>
    HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" }),
  ),
)

export const routes = Layer.mergeAll(healthz, readyz, metrics)
