// The sender's loops: claiming work of all workspaces, renewing leases, ending leases of dead senders, finishing blasts.
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { turn_ms } from "@tentpole/core/sending/SendRateLimit"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Cause, Clock, Effect } from "effect"
import { EpochCheck } from "../EpochCheck.ts"
import { Gates } from "../Gates.ts"
import type { InFlight, Item } from "./InFlight.ts"
import type { MailServer } from "./SmtpWorker.ts"
import type { FairQueue } from "./FairQueue.ts"
import type { Writable } from "./DeliveryWriter.ts"

export interface SenderLoopsOptions {
  readonly inFlight: InFlight
  readonly queue: FairQueue
  readonly writable: Writable
  readonly server: MailServer
  readonly claim_batch_max: number
  readonly lease_ms: number
  readonly poll_every_ms: number
}

export const senderLoops = Effect.fnUntraced(function* (options: SenderLoopsOptions) {
  const { inFlight, lease_ms, queue, server, writable } = options
  const store = yield* DeliveryStore
  const { transact } = yield* Transactor
  const blasts = yield* Blasts
  const passGate = yield* Gates
  const checkEpoch = yield* EpochCheck
  let paced_at_ms = -Infinity

  /** No delivery of the workspace is in flight: sets when it is due again and finishes completed blasts. */
  const checkQueue = (workspace: WorkspaceId) =>
    Effect.gen(function* () {
      const { dry } = yield* transact(store.endTurn(workspace))
      if (!dry) return
      yield* blasts.finish(workspace)
      yield* transact(store.endTurn(workspace))
    }).pipe(logFailure("checking a queue failed", {}, "Warning"))

  const serve = Effect.fnUntraced(function* (workspace: WorkspaceId) {
    yield* writable.await
    const room = Math.min(options.claim_batch_max, queue.roomFor(workspace))
    if (room === 0) return
    // While the mail server is unreachable, single messages test it.
    const limit = server.reachable ? room : 1
    const now_ms = yield* Clock.currentTimeMillis
    // Claimed deliveries are in flight at once, so that every exit releases them.
    const claimed = yield* Effect.uninterruptible(
      Effect.map(transact(store.claim(workspace, { limit, lease_ms })), (batch) => {
        const taken = batch.map((each): Item => ({ workspace, claimed: each, claimed_at_ms: now_ms }))
        inFlight.add(taken)
        return taken
      }),
    )
    if (claimed.length === 0) return yield* checkQueue(workspace)
    if (claimed.some((item) => item.claimed.rateLimited)) paced_at_ms = now_ms
    yield* checkEpoch
    yield* passGate("after-claim")
    queue.offer(workspace, claimed)
  })

  return {
    checkQueue,
    /** Claims deliveries of each due workspace with space in its queue, or waits. */
    claim: Effect.gen(function* () {
      const now_ms = yield* Clock.currentTimeMillis
      const { except, full } = queue.capacity(now_ms)
      const due = full ? [] : yield* store.dueWorkspaces(due_max, except)
      if (due.length === 0) {
        // Rate-limited messages leave in small, even groups.
        const turns_ms = now_ms - paced_at_ms < paced_for_ms ? turn_ms : options.poll_every_ms
        yield* Effect.raceFirst(Effect.sleep(Math.min(turns_ms, options.poll_every_ms)), queue.needsMore)
      }
      yield* Effect.forEach(due, serve, { discard: true })
    }).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.andThen(Effect.logWarning("claiming failed", cause), Effect.sleep(failure_pause_ms)),
      ),
    ),
    sweep: Effect.gen(function* () {
      for (const workspace of yield* store.openWorkspaces(swept_max)) {
        const { queued, unconfirmed } = yield* transact(store.sweep(workspace))
        if (queued + unconfirmed > 0) {
          yield* Effect.logWarning("expired leases of dead senders were ended").pipe(
            Effect.annotateLogs({ workspace_id: workspace, queued, unconfirmed }),
          )
        }
        yield* blasts.finish(workspace)
      }
    }).pipe(logFailure("sweeping failed", {}, "Warning")),
    renew: Effect.suspend(() =>
      Effect.forEach(inFlight.claims(), ([workspace, claims]) => transact(store.renew(workspace, claims, lease_ms)), {
        discard: true,
      }),
    ).pipe(logFailure("renewing leases failed", {}, "Warning")),
  }
})

/** Workspaces of one claim round, and of one sweep. */
const due_max = 20
const swept_max = 1000
const failure_pause_ms = 1000
/** A rate-limited workspace has something to send at least once in this time. */
const paced_for_ms = 2000
