// The use cases of replays of many deliveries: a caller starts one, a worker runs it.
import { Context, DateTime, Effect, Layer } from "effect"
import { Ids, type WebhookEndpointId, WebhookReplayId, type WorkspaceId } from "../../kernel/Ids.ts"
import { Invalid, type NotFound } from "../../kernel/Refusal.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { DeliveryLog, type MissedSelection, type ReplaySelection } from "../deliveries/DeliveryLog.ts"
import { fanOut } from "../deliveries/FanOut.ts"
import { decide } from "../deliveries/machine.ts"
import { batch_type, type WebhookDeliveryState, type WebhookDeliveryStatus } from "../deliveries/WebhookDelivery.ts"
import type { FannedOut } from "../deliveries/WebhookQueue.ts"
import { eventTypes } from "../EventCatalogue.ts"
import { continueReplay, type ReplayCursor, type ReplayJob, startReplay } from "./EndpointChange.ts"
import { EndpointStore } from "./EndpointStore.ts"
import { typesOf } from "./Wanted.ts"
import type { WebhookEndpoint } from "./WebhookEndpoint.ts"
import { replay_deliveries_max, ReplayInProgress, ReplayTooLarge } from "./WebhookErrors.ts"

/** Which deliveries are sent again. */
export interface ReplayInput {
  readonly since: DateTime.Utc
  /** Default: now. */
  readonly until?: DateTime.Utc
  /** Types and groups of them. Default: all, and batches. */
  readonly eventTypes?: ReadonlyArray<string>
  /** `all`: every delivery that has ended, and events that the endpoint wants now and did not get. Default: `failed`. */
  readonly status?: "failed" | "all"
}

/** Deliveries of one transaction. Workers that end attempts wait for it. */
const slice_max = 500
/** Events that one transaction looks at. */
const events_max = 1_000

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

      const replayEnded = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        { id }: WebhookEndpoint,
        job: ReplayJob,
        { after }: ReplayCursor,
      ) {
        const now = yield* DateTime.now
        const last = yield* log.replay(workspace, id, selectionOf(job), {
          after,
          limit: slice_max,
          replayed: (state: WebhookDeliveryState) => decide(state, { _tag: "replay" }, now)?.after ?? null,
        })
        if (last !== null) return { after: last, position: null }
        return job.status === "all" ? { after, position: "0" } : null
      })

      /** The deliveries of the next events that the endpoint wants and did not get. */
      const nextMissed = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        endpoint: WebhookEndpoint,
        job: ReplayJob,
        position: string,
      ) {
        const slice = { after: position, limit: events_max }
        const { events, last } = yield* log.missed(workspace, endpoint.id, missedOf(job, endpoint), slice)
        const nextId = yield* ids.generator
        const now = yield* DateTime.now
        const { deliveries } = fanOut(workspace, { endpoint, position }, { events, more: true, nextId, now })
        return { deliveries: deliveries.map(asReplay), last }
      })

      const sendMissed = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        endpoint: WebhookEndpoint,
        job: ReplayJob,
        { after, position }: ReplayCursor,
      ) {
        const { deliveries, last } = yield* nextMissed(workspace, endpoint, job, position ?? "0")
        if (deliveries.length > 0) yield* log.addMissed(workspace, deliveries)
        return last === null ? null : { after, position: last }
      })

      /** Counts on from deliveries that have ended, as far as a replay may have. */
      const countMissed = Effect.fnUntraced(function* (
        workspace: WorkspaceId,
        endpoint: WebhookEndpoint,
        job: ReplayJob,
        ended_count: number,
      ) {
        let count = ended_count
        let position: string | null = job.status === "all" ? "0" : null
        while (position !== null && count <= replay_deliveries_max) {
          const next: Effect.Success<ReturnType<typeof nextMissed>> = yield* nextMissed(
            workspace,
            endpoint,
            job,
            position,
          )
          count += next.deliveries.length
          position = next.last
        }
        return count
      })

      /** Whether there may be more. */
      const runSlice = Effect.fnUntraced(function* (workspace: WorkspaceId, job: ReplayJob) {
        const before = yield* endpoints.lock(workspace, job.endpointId)
        if (before.replay?.id !== job.replayId) return false
        if (before.skipsThrough !== null) {
          // What it replays is not skipped.
          yield* endpoints.skipMissed(workspace, before.id, slice_max)
          return true
        }
        const slice = before.replay.position === null ? replayEnded : sendMissed
        const cursor = yield* slice(workspace, before, job, before.replay)
        const change = continueReplay(before, job.replayId, cursor)
        if (change !== null) yield* endpoints.apply(workspace, change)
        return cursor !== null
      }, transact)

      return WebhookReplays.of({
        start: Effect.fn("WebhookReplays.start")(function* (workspace, endpoint, input) {
          const { since, status = "failed" } = input
          const now = yield* DateTime.now
          const until = DateTime.min(input.until ?? now, now)
          if (DateTime.isGreaterThanOrEqualTo(since, until)) {
            return yield* Invalid.at("since", "must be before `until`, and not in the future")
          }
          const { endpoint: found } = yield* endpoints.get(workspace, endpoint)
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
          const ended_count = yield* log.count(workspace, endpoint, selectionOf(job), replay_deliveries_max + 1)
          const matched_count = yield* countMissed(workspace, found, job, ended_count)
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

/** The events that the endpoint wants now. */
const missedOf = (job: ReplayJob, { settings }: WebhookEndpoint): MissedSelection => {
  const types = [...new Set(settings.eventTypes.flatMap(typesOf))]
  return {
    since: DateTime.makeUnsafe(job.since_ms),
    until: DateTime.makeUnsafe(job.until_ms),
    types: types.filter((type) => job.eventTypes?.includes(type) ?? true).map((type) => eventTypes[type].outbox),
  }
}

const asReplay = ({ delivery, pieces }: FannedOut): FannedOut => ({ delivery: { ...delivery, isReplay: true }, pieces })

/** The types of deliveries that a pattern names. A batch has its own. */
const deliveredTypesOf = (pattern: string): ReadonlyArray<string> =>
  pattern === batch_type ? [pattern] : pattern === "*" ? [...typesOf(pattern), batch_type] : typesOf(pattern)
