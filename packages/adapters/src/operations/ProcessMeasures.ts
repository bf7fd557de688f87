// The measures of the process, under the names that dashboards of Node processes use.
import { Effect, Layer, Metric, Schedule, Context } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"

interface Delays {
  readonly p50_s: number
  readonly p99_s: number
  readonly max_s: number
}

/** Measured over the last complete window, independent of requests. */
const window = "10 seconds"
const resolution_ms = 10

const none: Delays = { p50_s: 0, p99_s: 0, max_s: 0 }

/** The delay of the event loop. */
export class EventLoop extends Context.Service<EventLoop, { readonly delays: () => Delays }>()(
  "tentpole/operations/EventLoop",
) {
  static readonly layer = Layer.effect(
    EventLoop,
    Effect.gen(function* () {
      const histogram = monitorEventLoopDelay({ resolution: resolution_ms })
      histogram.enable()
      yield* Effect.addFinalizer(() => Effect.sync(() => histogram.disable()))
      // The difference is the time between two of its own ticks.
      const late_s = (interval_ns: number) => Math.max(0, interval_ns / 1e9 - resolution_ms / 1000)
      let last: Delays | undefined
      const read = (): Delays =>
        histogram.count === 0
          ? none
          : {
              p50_s: late_s(histogram.percentile(50)),
              p99_s: late_s(histogram.percentile(99)),
              max_s: late_s(histogram.max),
            }
      yield* Effect.sync(() => {
        last = read()
        histogram.reset()
      }).pipe(Effect.schedule(Schedule.spaced(window)), Effect.forkScoped)
      return { delays: () => last ?? read() }
    }),
  )
}

const cpu = Metric.counter("process_cpu_seconds_total", { description: "Processor time used", incremental: true })
const resident = Metric.gauge("process_resident_memory_bytes", { description: "Memory that the process occupies" })
const heap = Metric.gauge("nodejs_heap_size_used_bytes", { description: "Memory that JavaScript's objects occupy" })
const external = Metric.gauge("nodejs_external_memory_bytes", { description: "Memory of buffers outside the heap" })
const started = Metric.gauge("process_start_time_seconds", { description: "When the process started, Unix time" })
const lag = (which: string, of: string) =>
  Metric.gauge(`nodejs_eventloop_lag_${which}_seconds`, {
    description: `${of} delay of the event loop in the last ten seconds`,
  })
const [lag50, lag99, lagMax] = [lag("p50", "Median"), lag("p99", "99th percentile of the"), lag("max", "Longest")]

/** Writes them into the caller's metric registry. */
export const measureProcess = Effect.gen(function* () {
  const { p50_s, p99_s, max_s } = (yield* EventLoop).delays()
  const { user, system } = process.cpuUsage()
  const memory = process.memoryUsage()
  yield* Metric.update(cpu, (user + system) / 1e6)
  yield* Metric.update(resident, memory.rss)
  yield* Metric.update(heap, memory.heapUsed)
  yield* Metric.update(external, memory.external)
  yield* Metric.update(started, performance.timeOrigin / 1000)
  yield* Metric.update(lag50, p50_s)
  yield* Metric.update(lag99, p99_s)
  yield* Metric.update(lagMax, max_s)
})
