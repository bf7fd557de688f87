// Metrics of HTTP requests: counts and durations by route.
import { paths } from "@tentpole/core/rendering/Links"
import { confirmation_path } from "@tentpole/core/subscriptions/ConfirmationLink"
import { Clock, Effect, Metric } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"

const requests = Metric.counter("http_requests_total", {
  description: "Requests by route and status",
  incremental: true,
})
const seconds = Metric.histogram("http_request_seconds", {
  description: "Time from request to answer, in seconds",
  boundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
})

/** Cached: building the label set costs more than incrementing. */
const series = new Map<string, readonly [count: Metric.Metric<number, unknown>, time: Metric.Metric<number, unknown>]>()

const seriesOf = (route: string, method: string, status: number) => {
  const key = `${method} ${status} ${route}`
  const known = series.get(key)
  if (known !== undefined) return known
  const made = [
    Metric.withAttributes(requests, { method, route, status: String(status) }),
    Metric.withAttributes(seconds, { method, route }),
  ] as const
  series.set(key, made)
  return made
}

/** Records a request and returns its duration in milliseconds. */
export const measured = (route: string, method: string, status: number, began_ms: number): Effect.Effect<number> =>
  Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
    const [count, time] = seriesOf(route, method, status)
    const taken_ms = now_ms - began_ms
    return Effect.as(Effect.andThen(Metric.update(count, 1), Metric.update(time, taken_ms / 1000)), taken_ms)
  })

/** Routes of the pages' listener by the first segment of the path. */
const pageRoutes: ReadonlyMap<string, string> = new Map([
  [paths.open, "mail open"],
  [paths.click, "mail click"],
  [paths.unsubscribe, "mail unsubscribe"],
  [paths.view, "mail view"],
  [confirmation_path, "mail confirmation"],
  ["f", "form"],
])

const pageRoute = (url: string): string => pageRoutes.get(/^\/([a-z])\//.exec(url)?.[1] ?? "") ?? "page"

export const pagesMeasured = HttpRouter.middleware(
  (handle) =>
    Effect.gen(function* () {
      const { method, url } = yield* HttpServerRequest.HttpServerRequest
      const began_ms = yield* Clock.currentTimeMillis
      const response = yield* handle
      yield* measured(pageRoute(url), method, response.status, began_ms)
      return response
    }),
  { global: true },
)

/** Records a request that a fast path answered. */
export const answeredAtOnce = (route: string, status: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now_ms) => measured(route, "GET", status, now_ms))
