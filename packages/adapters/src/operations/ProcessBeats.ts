// The report of a process: a row about itself that it renews every ten seconds and deletes when it stops, and the lag of due work.
import { Ids } from "@tentpole/core/kernel/Ids"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { process_beat_s, type ProcessKind } from "@tentpole/core/operations/overview/ServiceOverview"
import { ServiceOverviewStore } from "@tentpole/core/operations/overview/ServiceOverviewStore"
import { Duration, Effect, Layer, Schedule } from "effect"
import { EventLoop } from "./ProcessMeasures.ts"

/** For the last statement of a process that stops. */
const leave_timeout = "2 seconds"

export const processBeats = (kind: ProcessKind) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { beat, leave, recordLag } = yield* ServiceOverviewStore
      const { delays } = yield* EventLoop
      const id = yield* (yield* Ids).random
      const report = Effect.suspend(() =>
        beat({
          id,
          kind,
          uptime_s: process.uptime(),
          rss_bytes: process.memoryUsage.rss(),
          eventLoopP99_ms: Math.round(delays().p99_s * 1e5) / 100,
        }),
      ).pipe(Effect.andThen(recordLag), logFailure("the process could not report itself", {}, "Warning"))
      yield* Effect.addFinalizer(() =>
        leave(id).pipe(
          Effect.interruptible,
          Effect.timeoutOption(leave_timeout),
          logFailure("the row of the process remains for a day", {}, "Warning"),
        ),
      )
      yield* report.pipe(Effect.repeat(Schedule.spaced(Duration.seconds(process_beat_s))), Effect.forkScoped)
    }),
  )
