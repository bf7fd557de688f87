// The use cases of replays of many deliveries: a caller starts one, a worker runs it.
import { Context, DateTime, Effect, Layer } from "effect"
import { Ids, type WebhookEndpointId, WebhookReplayId, type WorkspaceId } from "../../kernel/Ids.ts"
import { Invalid, type NotFound } from "../../kernel/Refusal.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { DeliveryLog, type ReplaySelection } from "../deliveries/DeliveryLog.ts"
import { decide } from "../deliveries/machine.ts"
import { batch_type, type WebhookDeliveryState, type WebhookDeliveryStatus } from "../deliveries/WebhookDelivery.ts"
import { continueReplay, type ReplayJob, startReplay } from "./EndpointChange.ts"
import { EndpointStore } from "./EndpointStore.ts"
import { typesOf } from "./Wanted.ts"
import { replay_deliveries_max, ReplayInProgress, ReplayTooLarge } from "./WebhookErrors.ts"

/** Which deliveries are sent again. */
export interface ReplayInput {
  readonly since: DateTime.Utc
  /** Default: now. */
  readonly until?: DateTime.Utc
  /** Types and groups of them. Default: all, and batches. */
  readonly eventTypes?: ReadonlyArray<string>
  /** `all`: every delivery that has ended. Default: `failed`. */
  readonly status?: "failed" | "all"
}

/** Deliveries of one transaction. Workers that end attempts wait for it. */
const slice_max = 500

const statuses = {
  failed: ["failed"],
  all: ["delivered", "failed", "skipped"],
} as const satisfies Readonly<Record<string, ReadonlyArray<WebhookDeliveryStatus>>>

export class WebhookReplays extends Context.Service<
  WebhookReplays,
  {
    /** Returns at once. An endpoint has one replay at a time. */
    readonly start: (
      workspace: WorkspaceId,
      endpoint: WebhookEndpointId,
      input: ReplayInput,
    ) => Effect.Effect<
      { readonly replayId: WebhookReplayId; readonly matched_count: number },
      NotFound | Invalid | ReplayTooLarge | ReplayInProgress
    >
    /** For workers. After a kill it goes on behind the last slice. Does nothing if the replay or its endpoint is gone. */
    readonly run: (workspace: WorkspaceId, job: ReplayJob) => Effect.Effect<void>
    /** For workers: ends a replay whose job fails again and again. What it has replayed stays so. */
    readonly abandon: (workspace: WorkspaceId, job: ReplayJob) => Effect.Effect<void>
  }
>()("tentpole/WebhookReplays") {
  static readonly layer = Layer.effect(
    WebhookReplays,
    Effect.gen(function* () {
      const endpoints = yield* EndpointStore
      const log = yield* DeliveryLog
      const ids = yield* Ids
      const { transact } = yield* Transactor

      /** Whether there may be more. */
      const runSlice = Effect.fnUntraced(function* (workspace: WorkspaceId, job: ReplayJob) {
        const before = yield* endpoints.lock(workspace, job.endpointId)
        if (before.replay?.id !== job.replayId) return false
        const now = yield* DateTime.now
        const last = yield* log.replay(workspace, before.id, selectionOf(job), {
          after: before.replay.after,
          limit: slice_max,
          replayed: (state: WebhookDeliveryState) => decide(state, { _tag: "replay" }, now)?.after ?? null,
        })
        const change = continueReplay(before, job.replayId, last)
        if (change !== null) yield* endpoints.apply(workspace, change)
        return last !== null
      }, transact)

      return WebhookReplays.of({
        start: Effect.fn("WebhookReplays.start")(function* (workspace, endpoint, input) {
          const { since, status = "failed", until = yield* DateTime.now } = input
          if (DateTime.isGreaterThanOrEqualTo(since, until)) {
            return yield* Invalid.at("since", "must be before `until`, and not in the future")
          }
          yield* endpoints.get(workspace, endpoint)
          const replayId = WebhookReplayId.make(yield* ids.next)
          const job: ReplayJob = {
            type: "webhook_replay",
            endpointId: endpoint,
            replayId,
            since_ms: since.epochMilliseconds,
            until_ms: until.epochMilliseconds,
            eventTypes:
              input.eventTypes === undefined ? null : [...new Set(input.eventTypes.flatMap(deliveredTypesOf))],
            status,
          }
          const matched_count = yield* log.count(workspace, endpoint, selectionOf(job), replay_deliveries_max + 1)
          if (matched_count > replay_deliveries_max) return yield* new ReplayTooLarge()
          const started = Effect.gen(function* () {
            const before = yield* endpoints.lock(workspace, endpoint)
            const change = startReplay(before, job, matched_count)
            if (change === null) return yield* new ReplayInProgress({ replayId: before.replay?.id ?? "" })
            yield* endpoints.apply(workspace, change)
          })
          yield* transact(started)
          return { replayId, matched_count }
        }),

        run: Effect.fn("WebhookReplays.run")(function* (workspace, job) {
          let isDone = false
          while (!isDone) {
            const slice = runSlice(workspace, job)
            isDone = !(yield* Effect.catchTag(slice, "NotFound", () => Effect.succeed(false)))
          }
        }),

        abandon: Effect.fn("WebhookReplays.abandon")(
          function* (workspace, { endpointId, replayId }) {
            const change = continueReplay(yield* endpoints.lock(workspace, endpointId), replayId, null)
            if (change !== null) yield* endpoints.apply(workspace, change)
          },
          transact,
          Effect.catchTag("NotFound", () => Effect.void),
        ),
      })
    }),
  )
}

const selectionOf = ({ eventTypes, since_ms, status, until_ms }: ReplayJob): ReplaySelection => ({
  since: DateTime.makeUnsafe(since_ms),
  until: DateTime.makeUnsafe(until_ms),
  eventTypes,
  statuses: statuses[status],
})

/** The types of deliveries that a pattern names. A batch has its own. */
const deliveredTypesOf = (pattern: string): ReadonlyArray<string> =>
  pattern === batch_type ? [pattern] : pattern === "*" ? [...typesOf(pattern), batch_type] : typesOf(pattern)
