// The recorder of page views. Pages never wait for it: views are written in batches, the last before the process ends.
import { Context, Effect, Layer, Schedule } from "effect"
import { decodeText, encodeText } from "../kernel/Bytes.ts"
import { batchWrites } from "../kernel/runtime/Batcher.ts"
import { header_length_max } from "./Agents.ts"
import { type PageVisit, viewWriter } from "./ViewWriter.ts"

export interface RecorderOptions {
  readonly batch_max: number
  /** How long the first view of a batch waits for others. */
  readonly linger_ms: number
  /** Further views are dropped, and their number is logged. */
  readonly waiting_max: number
}

export const recorderDefaults: RecorderOptions = { batch_max: 2_000, linger_ms: 500, waiting_max: 20_000 }

export class ViewRecorder extends Context.Service<
  ViewRecorder,
  {
    /** Records a view. Never waits, never fails. */
    readonly record: (visit: PageVisit) => Effect.Effect<void>
  }
>()("tentpole/ViewRecorder") {
  static readonly layer = (options: RecorderOptions = recorderDefaults) =>
    Layer.effect(
      ViewRecorder,
      Effect.gen(function* () {
        const { write, forget } = yield* viewWriter
        let dropped = 0
        const { add, drain } = yield* batchWrites<PageVisit>(
          { ...options, enough: options.batch_max },
          Effect.fnUntraced(function* (visits) {
            yield* write(visits)
            if (dropped === 0) return
            yield* Effect.logWarning("page views were dropped: they come faster than they can be written").pipe(
              Effect.annotateLogs({ dropped }),
            )
            dropped = 0
          }),
        )
        yield* Effect.forkScoped(Effect.repeat(forget, Schedule.spaced("1 hour")))
        yield* Effect.addFinalizer(() => drain(drain_time_max))
        return ViewRecorder.of({
          record: (visit) =>
            Effect.sync(() => {
              if (!add(bounded(visit))) dropped++
            }),
        })
      }),
    )
}

const drain_time_max = "15 seconds"

/** Cuts headers to the length that is read of them, which bounds the memory of waiting views. */
const bounded = (visit: PageVisit): PageVisit =>
  visit.userAgent.length <= header_length_max && (visit.referrer?.length ?? 0) <= header_length_max
    ? visit
    : { ...visit, userAgent: cut(visit.userAgent), referrer: visit.referrer === null ? null : cut(visit.referrer) }

/** Copied as bytes: a slice would keep the whole text in memory. */
const cut = (text: string): string => decodeText(encodeText(text.slice(0, header_length_max)))
