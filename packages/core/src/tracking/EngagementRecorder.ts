// The recorder of opens and clicks. Requests do not wait for the database: a batcher pauses after each batch as long as the
// batch took, so that bursts leave the database to the sending of messages.
import { type DateTime, type Duration, Effect, Option } from "effect"
import type { DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import { batchWrites } from "../kernel/runtime/Batcher.ts"
import { logFailure } from "../kernel/runtime/logFailure.ts"
import { retryTransient } from "../kernel/runtime/retryTransient.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { isTooSoon } from "./BotFilter.ts"
import { EngagementChange, type Event, type TrackedDelivery } from "./Engagement.ts"
import { clicksOf, type LinkEvent } from "./LinkClicks.ts"
import { EngagementStore } from "./EngagementStore.ts"

export interface TrackedRequest {
  readonly workspaceId: WorkspaceId
  readonly deliveryId: DeliveryId
  readonly at: DateTime.Utc
  readonly what: { readonly _tag: "opened" } | { readonly _tag: "clicked"; readonly url: string; readonly link: number }
  /** Decided from its headers. Whether it came too soon after the hand-over is decided when it is written. */
  readonly byMachine: boolean
}

export interface RecorderOptions {
  readonly batch_max: number
  /** Requests that may wait to be written. Bounds the memory of a burst and the loss of a kill. */
  readonly waiting_max: number
  /** How long a request waits for space before it is not counted. */
  readonly wait_max: Duration.Input
}

export const recorderDefaults: RecorderOptions = { batch_max: 500, waiting_max: 50_000, wait_max: "2 seconds" }

/** Lives as long as its scope. Writes waiting requests when the scope ends. */
export const engagementRecorder = Effect.fnUntraced(function* (options: RecorderOptions) {
  const write = yield* writer
  let uncounted = 0
  const { add, drain, drained, offer } = yield* batchWrites<TrackedRequest>(
    { batch_max: options.batch_max, waiting_max: options.waiting_max, linger_ms: 0, pause_max: "1 second" },
    Effect.fnUntraced(function* (requests) {
      yield* write(requests)
      if (uncounted === 0) return
      yield* Effect.logWarning("opens or clicks were not counted: they come faster than they can be written").pipe(
        Effect.annotateLogs({ requests: uncounted }),
      )
      uncounted = 0
    }),
  )
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(drain(drain_time_max), (unwritten) =>
      unwritten === 0
        ? Effect.void
        : Effect.logWarning("the process ended before all opens and clicks were written").pipe(
            Effect.annotateLogs({ requests: unwritten }),
          ),
    ),
  )
  return {
    /**
     * Records a request, synchronously while there is space. Without space it waits up to `wait_max`, which slows callers
     * down to the speed of the database. Never fails.
     */
    record: (request: TrackedRequest) =>
      Effect.suspend(() => {
        if (add(request)) return Effect.void
        return Effect.map(Effect.timeoutOption(offer(request), options.wait_max), (added) => {
          if (Option.isNone(added)) uncounted++
        })
      }),
    /** Waits until every request so far is written or dropped. */
    written: drained,
  }
})

/** A process has 30 seconds to end. Its listeners end first and take part of them. */
const drain_time_max = "15 seconds"

/** Writes a batch, one workspace after another, so that a burst uses one connection. */
const writer = Effect.gen(function* () {
  const store = yield* EngagementStore
  const { transact } = yield* Transactor

  const ofWorkspace = (workspace: WorkspaceId, requests: ReadonlyArray<TrackedRequest>) =>
    Effect.gen(function* () {
      const found = yield* store.lock(
        workspace,
        requests.map(({ deliveryId }) => deliveryId),
      )
      const happenings = requests.map((request): LinkEvent => ({
        ...request,
        event: eventOf(request, found),
        link: request.what._tag === "clicked" ? request.what.link : null,
      }))
      yield* store.apply(workspace, EngagementChange.ofAll(found, happenings))
      yield* store.addClicks(workspace, clicksOf(found, happenings))
    }).pipe(
      transact,
      retryTransient,
      logFailure("opens and clicks could not be written", { requests: requests.length }),
    )

  return (requests: ReadonlyArray<TrackedRequest>) =>
    Effect.forEach(
      Map.groupBy(requests, ({ workspaceId }) => workspaceId),
      ([workspace, its]) => ofWorkspace(workspace, its),
      { discard: true },
    )
})

const eventOf = (request: TrackedRequest, found: ReadonlyMap<DeliveryId, TrackedDelivery>): Event => {
  const handedOverAt = found.get(request.deliveryId)?.handedOverAt ?? null
  if (!request.byMachine && !isTooSoon(handedOverAt, request.at)) return request.what
  return { _tag: request.what._tag === "opened" ? "openedByMachine" : "clickedByMachine" }
}
