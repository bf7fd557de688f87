// Traces of requests and jobs, sent to the collector at OTLP_URL. Without it no span is created: unused spans cost a tenth
// of a request. Loops that only check for work are never traced.
import { Context, Effect, Layer, Option, References, Tracer } from "effect"
import { FetchHttpClient, HttpBody, HttpClient, HttpMiddleware } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import { scrub } from "../Logging.ts"

/** Redacts errors' messages in traces as in logs: they may contain personal data. */
const scrubbed = (data: unknown) => HttpBody.text(scrub(JSON.stringify(data)), "application/json")
const serialization = Layer.succeed(OtlpSerialization.OtlpSerialization, {
  traces: scrubbed,
  metrics: scrubbed,
  logs: scrubbed,
})

const export_every = "1 second"

/** Attributes of root spans. */
const BeginsTrace = Context.Reference<boolean>("tentpole/operations/BeginsTrace", { defaultValue: () => false })

/** A statement outside requests and jobs has no span. */
const onlyOfTraces = (tracer: Tracer.Tracer) =>
  Tracer.make({
    context: tracer.context,
    span: (options) =>
      tracer.span({
        ...options,
        sampled: options.sampled && (Option.isSome(options.parent) || Context.get(options.annotations, BeginsTrace)),
      }),
  })

/** Sends traces to `<url>/v1/traces`. When the collector is down, traces are lost and nothing else happens. */
export const layer = (url: string | null, process: string) =>
  url === null
    ? Layer.succeed(References.TracerEnabled, false)
    : Layer.mergeAll(
        Layer.effect(Tracer.Tracer, Effect.map(Tracer.Tracer, onlyOfTraces)).pipe(
          Layer.provide(
            OtlpTracer.layer({
              url: `${url}/v1/traces`,
              resource: { serviceName: `tentpole-${process}` },
              exportInterval: export_every,
            }),
          ),
          Layer.provide(serialization),
          Layer.provide(FetchHttpClient.layer),
        ),
        // The library's own spans would contain full addresses, and trace headers must not reach providers.
        Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true),
        Layer.succeed(HttpClient.TracerPropagationEnabled, false),
      )

/** Starts a trace, or continues the caller's. Use cases and statements in it have spans. */
export const traced =
  (name: string, options: Tracer.SpanOptions) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>> =>
    Effect.flatMap(References.TracerEnabled, (wanted) =>
      wanted
        ? Effect.withSpan(effect, name, { ...options, annotations: Context.make(BeginsTrace, true) })
        : (effect as Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>>),
    )
