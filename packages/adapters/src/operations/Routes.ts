// The endpoints for operators and load balancers: liveness, readiness and metrics. They need no API key.
import { PgClient } from "@effect/sql-pg"
import { Effect, Ref } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { databaseState } from "../postgres/operations/Ready.ts"
import { EventLoop } from "./ProcessMeasures.ts"
import { Readiness } from "./Readiness.ts"

const json = (body: unknown, status: number) =>
  HttpServerResponse.jsonUnsafe(body, { status, headers: { "cache-control": "no-store" } })

/** Alive: the process answers. The state of the database does not matter. */
const healthz = Effect.succeed(json({ status: "ok" }, 200))

const readyz = Effect.gen(function* () {
  if (!(yield* Ref.get(yield* Readiness))) return json({ status: "stopping" }, 503)
  switch (yield* databaseState) {
    case "ready":
      return json({ status: "ready" }, 200)
    case "unavailable":
      return json({ status: "database unavailable" }, 503)
    case "not migrated":
      return json({ status: "database not migrated" }, 503)
  }
})

/** `/healthz`, `/readyz`, and `/metrics` with this text. */
export const operations = (metrics: Effect.Effect<string, never, EventLoop | PgClient.PgClient>) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const context = yield* Effect.context<EventLoop | PgClient.PgClient | Readiness>()
      yield* router.add("GET", "/healthz", healthz)
      yield* router.add("GET", "/readyz", Effect.provideContext(readyz, context))
      yield* router.add(
        "GET",
        "/metrics",
        Effect.map(Effect.provideContext(metrics, context), (text) =>
          HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" }),
        ),
      )
    }),
  )
