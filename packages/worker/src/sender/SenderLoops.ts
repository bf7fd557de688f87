// What a sender does besides sending: it fetches work from one workspace after the other, keeps its leases, ends those of
// senders that are gone, and finishes blasts whose last message has ended.
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import * as Pace from "@tentpole/core/sending/SendRateLimit"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Transactor } from "@tentpole/core/kernel/Transactor"
import { Cause, Clock, Effect } from "effect"
import { Gates } from "../Gates.ts"
import type { InFlight, Item } from "./InFlight.ts"
import type { MailServer } from "./SmtpWorker.ts"
import type { FairQueue } from "./FairQueue.ts"
import type { Writable } from "./WriteRetry.ts"

export interface SenderLoopsOptions {
  readonly hands: InFlight
  readonly lines: FairQueue
  readonly writable: Writable
  readonly server: MailServer
  readonly claim_batch_max: number
  readonly lease_ms: number
  readonly poll_every_ms: number
}

export interface SenderLoops {
  /** Takes a claim of each workspace that is due and has room in its line, or waits a moment. */
  readonly claim: Effect.Effect<void>
  readonly sweep: Effect.Effect<void>
  readonly renew: Effect.Effect<void>
  /** Nothing of the workspace is in hand: notes when to look again, and finishes what is finished. */
  readonly checkQueue: (workspace: WorkspaceId) => Effect.Effect<void>
}

export const senderLoops = Effect.fnUntraced(function* (options: SenderLoopsOptions) {
  const { hands, lease_ms, lines, server, writable } = options
  const store = yield* DeliveryStore
  const { transact } = yield* Transactor
  const blasts = yield* Blasts
  const passGate = yield* Gates
  let paced_at_ms = -Infinity

  const checkQueue = (workspace: WorkspaceId) =>
    Effect.gen(function* () {
      const { dry } = yield* transact(store.rest(workspace))
      if (!dry) return
      yield* blasts.finish(workspace)
      yield* transact(store.rest(workspace))
    }).pipe(logFailure("looking at a queue failed", {}, "Warning"))

  const serve = Effect.fnUntraced(function* (workspace: WorkspaceId) {
    yield* writable.await
    const room = Math.min(options.claim_batch_max, lines.roomFor(workspace))
    if (room === 0) return
    // While the mail server can't be reached, one message at a time finds out whether it can again.
    const limit = server.reachable ? room : 1
    const now_ms = yield* Clock.currentTimeMillis
    // In hand as soon as it is claimed: whatever comes between, it is given back.
    const claimed = yield* Effect.uninterruptible(
      Effect.map(transact(store.claim(workspace, { limit, lease_ms })), (batch) => {
        const taken = batch.map((each): Item => ({ workspace, claimed: each, claimed_at_ms: now_ms }))
        hands.add(taken)
        return taken
      }),
    )
    if (claimed.length === 0) return yield* checkQueue(workspace)
    if (claimed.some((item) => item.claimed.paced)) paced_at_ms = now_ms
    yield* passGate("after-claim")
    lines.offer(workspace, claimed)
  })

  const openOnes = store.openWorkspaces(swept_max)

  const senderLoops: SenderLoops = {
    checkQueue,
    claim: Effect.gen(function* () {
      const now_ms = yield* Clock.currentTimeMillis
      const { except, full } = lines.capacity(now_ms)
      const due = full ? [] : yield* store.dueWorkspaces(due_max, except)
      if (due.length === 0) {
        // What is held to a pace leaves in small, even groups.
        const turns_ms = now_ms - paced_at_ms < paced_for_ms ? Pace.turn_ms : options.poll_every_ms
        yield* Effect.raceFirst(Effect.sleep(Math.min(turns_ms, options.poll_every_ms)), lines.needsMore)
      }
      yield* Effect.forEach(due, serve, { discard: true })
    }).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.andThen(Effect.logWarning("claiming failed", cause), Effect.sleep(after_trouble_ms)),
      ),
    ),
    sweep: Effect.gen(function* () {
      for (const workspace of yield* openOnes) {
        const { queued, unconfirmed } = yield* transact(store.sweep(workspace))
        if (queued + unconfirmed > 0) {
          yield* Effect.logWarning("leases of a sender that is gone were ended").pipe(
            Effect.annotateLogs({ workspace_id: workspace, queued, unconfirmed }),
          )
        }
        yield* blasts.finish(workspace)
      }
    }).pipe(logFailure("sweeping failed", {}, "Warning")),
    renew: Effect.suspend(() =>
      Effect.forEach(hands.claims(), ([workspace, claims]) => transact(store.renew(workspace, claims, lease_ms)), {
        discard: true,
      }),
    ).pipe(logFailure("renewing leases failed", {}, "Warning")),
  }
  return senderLoops
})

/** Workspaces that one look at the line answers, and one round of sweeping visits. */
const due_max = 20
const swept_max = 1000
const after_trouble_ms = 1000
/** A workspace that is held to a pace has something to send at least once in this time. */
const paced_for_ms = 2000
