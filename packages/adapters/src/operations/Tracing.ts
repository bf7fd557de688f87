// Traces of requests and jobs, sent to a collector where OTLP_URL names one. Elsewhere no span is made at all: spans that
// are told to nobody cost a tenth of a request. Loops that only look whether there is work are never traced.
import { Context, Effect, Layer, Option, References, Tracer } from "effect"
import { FetchHttpClient, HttpBody, HttpClient, HttpMiddleware } from "effect/http"
import { OtlpSerialization, OtlpTracer } from "effect/observability"
import { scrub } from "../Logging.ts"

/** What must not stand in a log must not stand in a trace: errors' messages may have taken it along. */
const scrubbed = (data: unknown) => HttpBody.text(scrub(JSON.stringify(data)), "application/json")
const serialization = Layer.succeed(OtlpSerialization.OtlpSerialization, {
  traces: scrubbed,
  metrics: scrubbed,
  logs: scrubbed,
})

const export_every = "1 second"

/** On the spans that traces begin with. */
const BeginsTrace = Context.Reference<boolean>("tentpole/operations/BeginsTrace", { defaultValue: () => false })

/** A statement that belongs to no request and no job is nobody's trace. */
const onlyOfTraces = (tracer: Tracer.Tracer) =>
  Tracer.make({
    context: tracer.context,
    span: (options) =>
      tracer.span({
        ...options,
        sampled: options.sampled && (Option.isSome(options.parent) || Context.get(options.annotations, BeginsTrace)),
      }),
  })

/** Sends what is traced to `<url>/v1/traces`. A collector that is away costs traces, and nothing else. */
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
        // The library's own would tell addresses with everything in them; providers are not told of our traces.
        Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true),
        Layer.succeed(HttpClient.TracerPropagationEnabled, false),
      )

/** Begins a trace, or goes on with the caller's: use cases and statements in it have spans of their own. */
export const traced =
  (name: string, options: Tracer.SpanOptions) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>> =>
    Effect.flatMap(References.TracerEnabled, (wanted) =>
      wanted
        ? Effect.withSpan(effect, name, { ...options, annotations: Context.make(BeginsTrace, true) })
        : (effect as Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>>),
    )
