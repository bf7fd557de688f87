// Retries: sending again to a blast's recipients that failed for a temporary reason. The blast is `sending` at once. A worker
// then requeues them in batches; the blast can't complete before the last of them is queued.
import { DateTime, Effect } from "effect"
import type { BlastId, ContactId, WorkspaceId } from "../kernel/Ids.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { applyEvent } from "./ApplyEvent.ts"
import type { RetryOptions } from "./Blast.ts"
import { BlastStore } from "./BlastStore.ts"
import { isRetrying } from "./machine.ts"

/** A running retry. `since` distinguishes it from later retries of the same blast. */
export interface StartedRetry extends RetryOptions {
  readonly since: DateTime.Utc
}

/** Recipients that one transaction requeues. Few enough that no other transaction waits long for its locks. */
const requeued_batch_max = 5_000

export const blastRetries = Effect.gen(function* () {
  const store = yield* BlastStore
  const { transact } = yield* Transactor

  const begin = Effect.fnUntraced(function* (workspace: WorkspaceId, id: BlastId, options: RetryOptions) {
    const now = yield* DateTime.now
    const { blast, facts } = yield* store.lockForLaunch(workspace, id, { now })
    yield* applyEvent(store, workspace, blast, { _tag: "retry", facts, ...options }, now)
  })

  /**
   * Requeues the next batch. Returns its last contact; null when none was left, or when this retry is not running any more.
   * Batches follow the order of contact ids, so that a contact that fails again meanwhile is not requeued forever.
   */
  const requeueSome = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    id: BlastId,
    { includeUnconfirmed, since }: StartedRetry,
    after: ContactId | null,
  ) {
    const blast = yield* store.lock(workspace, id)
    if (!isRetrying(blast, since)) return null
    const last = yield* store.requeue(workspace, id, { after, includeUnconfirmed, limit: requeued_batch_max })
    if (last !== null) return last
    yield* Effect.orDie(applyEvent(store, workspace, blast, { _tag: "finishRetry", since }, yield* DateTime.now))
    return null
  }, transact)

  const requeue = Effect.fnUntraced(function* (workspace: WorkspaceId, id: BlastId, retry: StartedRetry) {
    let last: ContactId | null = null
    do {
      // A deleted blast has no recipients.
      last = yield* Effect.catchTag(requeueSome(workspace, id, retry, last), "NotFound", () => Effect.succeed(null))
    } while (last !== null)
  })

  return { begin, requeue }
})
