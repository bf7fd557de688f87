// Sending again to those of a blast's recipients who failed for a reason that may pass. The blast is sending at once; a
// worker then puts them back into the queue, some thousands at a time, and until the last one is there the blast is not over.
import { DateTime, Effect } from "effect"
import type { BlastId, ContactId, WorkspaceId } from "../kernel/Ids.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { applyEvent } from "./ApplyEvent.ts"
import type { RetryOptions } from "./Blast.ts"
import { BlastStore } from "./BlastStore.ts"
import { isRetrying } from "./machine.ts"

/** A retry that goes on: its instant tells it from later ones of the same blast. */
export interface StartedRetry extends RetryOptions {
  readonly since: DateTime.Utc
}

/** Recipients that one transaction puts back: few enough for nobody to wait for it. */
const requeued_batch_max = 5_000

export const retrying = Effect.gen(function* () {
  const store = yield* BlastStore
  const { transact } = yield* Transactor

  const begin = Effect.fnUntraced(function* (ws: WorkspaceId, id: BlastId, options: RetryOptions) {
    const now = yield* DateTime.now
    const { blast, facts } = yield* store.lockForLaunch(ws, id, { now })
    yield* applyEvent(store, ws, blast, { _tag: "retry", facts, ...options }, now)
  })

  /**
   * The next batch: answers its last contact, or null when there was none left, or when the retry is not this one any more.
   * By the order of contacts, so that somebody who fails again meanwhile is not retried for ever.
   */
  const requeueSome = Effect.fnUntraced(function* (
    ws: WorkspaceId,
    id: BlastId,
    { includeUnconfirmed, since }: StartedRetry,
    after: ContactId | null,
  ) {
    const blast = yield* store.lock(ws, id)
    if (!isRetrying(blast, since)) return null
    const last = yield* store.requeue(ws, id, { after, includeUnconfirmed, limit: requeued_batch_max })
    if (last !== null) return last
    yield* Effect.orDie(applyEvent(store, ws, blast, { _tag: "finishRetry", since }, yield* DateTime.now))
    return null
  }, transact)

  const requeue = Effect.fnUntraced(function* (ws: WorkspaceId, id: BlastId, retry: StartedRetry) {
    let last: ContactId | null = null
    do {
      // A blast that was deleted has nobody to be sent to.
      last = yield* Effect.catchTag(requeueSome(ws, id, retry, last), "NotFound", () => Effect.succeed(null))
    } while (last !== null)
  })

  return { begin, requeue }
})
