// Parsers on a pool of worker threads, with limits on time, memory and the number of waiting inputs.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { FairLimit } from "@tentpole/core/kernel/runtime/FairLimit"
import {
  fromParsed,
  in_place_size_max,
  inProcess,
  type Parsed,
  type Parser,
  Parsers,
  TooComplex,
} from "@tentpole/core/ports/Parsers"
import { Effect, Layer, Metric } from "effect"
import { extname } from "node:path"
import type { ThreadInput } from "./ThreadMessages.ts"
import { type Run, threads } from "./Threads.ts"

export interface ParserPoolOptions {
  /** Threads start when they are needed and end when they are idle. */
  readonly threads_max: number
  /** The time of one input, without its time in the queue. */
  readonly time_max_ms: number
  /** The module that the threads run. Tests set another one. */
  readonly module?: URL
}

/** The heap of a thread, in MB. */
export const thread_heap_mb_max = 192
/**
 * Node ends a thread at this limit of V8, but the whole process if the thread exceeds it by much at once. Threads end before.
 */
const hard_heap_mb_max = 1_024
const heap_checked_every_ms = 25

const ran = Metric.counter("parser_runs_total", {
  description: "Inputs of parsing threads, by parser and outcome: parsed, too_long, too_much_memory, refused",
  incremental: true,
})
const waiting = Metric.gauge("parser_waiting", { description: "Inputs that wait for a parsing thread" })

const count = (parser: string, outcome: string) => Metric.update(Metric.withAttributes(ran, { parser, outcome }), 1)

/** Small inputs are parsed in the calling thread. All threads end with the scope. */
export const layer = ({ threads_max, time_max_ms, module }: ParserPoolOptions) =>
  Layer.effect(
    Parsers,
    Effect.gen(function* () {
      const file = module ?? new URL(`./Thread${extname(import.meta.url)}`, import.meta.url)
      const { start } = yield* threads(file, hard_heap_mb_max)
      const limit = new FairLimit<WorkspaceId | null>({
        concurrency_max: threads_max,
        of: { items: "documents", part: "parser" },
      })

      const tooLong = new TooComplex({ reason: `takes longer than ${time_max_ms / 1000} s to read` })
      const tooMuch = new TooComplex({ reason: `needs more than ${thread_heap_mb_max} MB of memory to read` })

      const watched = (parser: string, run: Run): Effect.Effect<never, TooComplex> =>
        Effect.flatMap(Effect.delay(run.heap_bytes, heap_checked_every_ms), (used) =>
          used > thread_heap_mb_max * 2 ** 20
            ? Effect.andThen(count(parser, "too_much_memory"), Effect.fail(tooMuch))
            : watched(parser, run),
        )

      const inThread = Effect.fnUntraced(function* (input: ThreadInput) {
        const thread = yield* start(input)
        // The time of starting a thread does not count.
        yield* thread.begun
        return yield* Effect.raceAllFirst([
          Effect.tap(thread.parsed, () => count(input.name, "parsed")),
          watched(input.name, thread),
          Effect.delay(Effect.andThen(count(input.name, "too_long"), Effect.fail(tooLong)), time_max_ms),
        ])
      }, Effect.scoped)

      const run = <Input, Output>(
        parser: Parser<Input, Output>,
        input: Input,
        workspace: WorkspaceId | null,
      ): Effect.Effect<Output, TooComplex> =>
        Effect.suspend(() => {
          if (parser.sizeOf(input) <= in_place_size_max) return inProcess.run(parser, input, workspace)
          const measured = Effect.suspend(() => Metric.update(waiting, limit.waiting()))
          return limit.run(workspace, Effect.andThen(measured, inThread({ name: parser.name, input }))).pipe(
            Effect.tapDefect((defect) => (defect instanceof Unavailable ? count(parser.name, "refused") : Effect.void)),
            Effect.flatMap((parsed) => fromParsed(parsed as Parsed<Output>)),
          )
        })

      return { run }
    }),
  )
