// Views on their way from the page server into the store: a page never waits for them. They are collected and written in
// batches, and what is collected is written before the process ends.
import { Context, Effect, Fiber, Layer, Queue, Schedule } from "effect"
import { decodeText, encodeText } from "../kernel/Bytes.ts"
import { header_length_max } from "./Agents.ts"
import { type Visit, viewWriter } from "./ViewWriter.ts"

export interface RecorderOptions {
  readonly batch_max: number
  /** How long a view waits for company. */
  readonly wait_max_ms: number
  /** Views beyond these are dropped and counted in the log: pages are served all the same. */
  readonly waiting_max: number
}

export const recorderDefaults: RecorderOptions = { batch_max: 2_000, wait_max_ms: 500, waiting_max: 20_000 }

export class ViewRecorder extends Context.Service<
  ViewRecorder,
  {
    /** Takes note of a visit. Never waits, never fails. */
    readonly saw: (visit: Visit) => Effect.Effect<void>
  }
>()("tentpole/ViewRecorder") {
  static readonly layer = (options: RecorderOptions = recorderDefaults) =>
    Layer.effect(
      ViewRecorder,
      Effect.gen(function* () {
        const { write, forget } = yield* viewWriter
        // An array, and a word only when it is full: a queue would wake its reader for each view, which costs more than the view.
        const waiting: Array<Visit> = []
        const full = yield* Queue.sliding<true>(1)
        let ended = false
        let dropped = 0

        const writeAll = Effect.fnUntraced(function* (visits: ReadonlyArray<Visit>) {
          yield* write(visits)
          if (dropped === 0) return
          yield* Effect.logWarning("page views were dropped: they come faster than they can be written").pipe(
            Effect.annotateLogs({ dropped }),
          )
          dropped = 0
        })

        const round = Effect.gen(function* () {
          if (!ended && waiting.length < options.batch_max) {
            // A word of views that are written already is none.
            yield* Queue.clear(full)
            yield* Effect.timeoutOption(Queue.take(full), options.wait_max_ms)
          }
          const batch = waiting.splice(0, options.batch_max)
          if (batch.length > 0) yield* writeAll(batch)
        })
        const writing = yield* Effect.forkScoped(Effect.repeat(round, { until: () => ended && waiting.length === 0 }))
        yield* Effect.forkScoped(Effect.repeat(forget, Schedule.spaced("1 hour")))
        // Runs before the fiber above is stopped: finalizers go last in, first out.
        yield* Effect.addFinalizer(() =>
          Effect.suspend(() => {
            ended = true
            Queue.offerUnsafe(full, true)
            return Fiber.await(writing)
          }).pipe(Effect.timeoutOption(drain_time_max)),
        )

        return ViewRecorder.of({
          saw: (visit) =>
            Effect.sync(() => {
              if (waiting.length >= options.waiting_max) {
                dropped++
                return
              }
              waiting.push(bounded(visit))
              if (waiting.length === options.batch_max) Queue.offerUnsafe(full, true)
            }),
        })
      }),
    )
}

const drain_time_max = "15 seconds"

/** Longer headers are cut, so that those who wait hold no more than is read of them. */
const bounded = (visit: Visit): Visit =>
  visit.userAgent.length <= header_length_max && (visit.referrer?.length ?? 0) <= header_length_max
    ? visit
    : { ...visit, userAgent: cut(visit.userAgent), referrer: visit.referrer === null ? null : cut(visit.referrer) }

/** By way of its bytes: a slice would hold on to all of the text that it was cut from. */
const cut = (text: string): string => decodeText(encodeText(text.slice(0, header_length_max)))
