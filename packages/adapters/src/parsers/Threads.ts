// Worker threads that are reused. A thread takes one input at a time. It starts when it is needed, ends when it is idle, and never
// keeps the process alive while it is idle. A thread whose caller fails or is interrupted is ended, whatever it is doing.
import type { Parsed } from "@tentpole/core/ports/Parsers"
import { Deferred, Effect, Exit, type Scope } from "effect"
import { Worker } from "node:worker_threads"
import type { ThreadAnswer, ThreadInput } from "./ThreadMessages.ts"

export interface Run {
  /** Succeeds when the thread begins to parse. */
  readonly begun: Effect.Effect<void>
  /** Dies when the parser is broken or the thread ends. */
  readonly parsed: Effect.Effect<Parsed<unknown>>
  /** The heap that the thread uses now. */
  readonly heap_bytes: Effect.Effect<number>
}

export interface Threads {
  /** Starts to parse. The run belongs to the scope. */
  readonly start: (input: ThreadInput) => Effect.Effect<Run, never, Scope.Scope>
}

interface Idle {
  readonly worker: Worker
  readonly timer: NodeJS.Timeout
}

const idle_ms = 60_000
/**
 * A thread with more is ended instead of reused: its heap would stay as large as its largest input made it. With its modules
 * loaded it has 45 MB.
 */
const reused_heap_bytes_max = 96 * 2 ** 20
/** Node's own limit makes each thread 55 MB larger, and parses no faster. */
const young_heap_mb_max = 8

/** All threads end with the scope. The caller limits their number. */
export const threads = (module: URL, heap_mb_max: number) =>
  Effect.gen(function* () {
    const idle: Array<Idle> = []
    const all = new Set<Worker>()
    const end = (worker: Worker) =>
      Effect.promise(() => {
        all.delete(worker)
        return worker.terminate()
      })

    yield* Effect.addFinalizer(() => Effect.forEach([...all], end, { discard: true }))

    const take = Effect.sync((): Worker => {
      const last = idle.pop()
      if (last !== undefined) {
        clearTimeout(last.timer)
        return last.worker
      }
      const worker = new Worker(module, {
        resourceLimits: { maxOldGenerationSizeMb: heap_mb_max, maxYoungGenerationSizeMb: young_heap_mb_max },
      })
      // Without a listener, an error between two inputs would end the process.
      worker.on("error", () => all.delete(worker))
      worker.once("exit", () => all.delete(worker))
      all.add(worker)
      return worker
    })

    const release = (worker: Worker) =>
      Effect.sync(() => {
        worker.unref()
        const timer = setTimeout(() => {
          idle.splice(
            idle.findIndex((each) => each.worker === worker),
            1,
          )
          void worker.terminate()
        }, idle_ms)
        idle.push({ worker, timer: timer.unref() })
      })

    const start = Effect.fnUntraced(function* (input: ThreadInput) {
      let heap_bytes = 0
      const worker = yield* Effect.acquireRelease(take, (worker, exit) =>
        Exit.isSuccess(exit) && all.has(worker) && heap_bytes <= reused_heap_bytes_max ? release(worker) : end(worker),
      )
      const begun = Deferred.makeUnsafe<void>()
      const parsed = Deferred.makeUnsafe<Parsed<unknown>>()
      const broken = (cause: unknown) => void Deferred.doneUnsafe(parsed, Effect.die(cause))
      const onMessage = (answer: ThreadAnswer) => {
        if (answer === "begun") Deferred.doneUnsafe(begun, Effect.void)
        else if ("parsed" in answer) {
          heap_bytes = answer.heap_bytes
          Deferred.doneUnsafe(parsed, Effect.succeed(answer.parsed))
        } else broken(answer.broken)
      }
      worker.on("message", onMessage).on("error", broken).on("exit", broken)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => worker.off("message", onMessage).off("error", broken).off("exit", broken)),
      )
      worker.ref()
      worker.postMessage(input)
      return {
        begun: Effect.raceFirst(Deferred.await(begun), Effect.asVoid(Deferred.await(parsed))),
        parsed: Deferred.await(parsed),
        heap_bytes: Effect.promise(async () => (await worker.getHeapStatistics()).used_heap_size),
      } satisfies Run
    })

    return { start } satisfies Threads
  })
