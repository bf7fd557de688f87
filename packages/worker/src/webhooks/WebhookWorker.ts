// The loop of webhooks: serves each workspace that is due, many at the same time. One worker at a time serves a workspace.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { retryTransient } from "@tentpole/core/kernel/runtime/retryTransient"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { type WebhookLease, WebhookQueue, type WebhookTurn } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import { Cause, DateTime, Effect, FiberMap, Layer } from "effect"
import { DueWatch } from "../DueWatch.ts"
import { expiredAt } from "./Ends.ts"
import { type Requests, requestsOf } from "./Requests.ts"
import { serve, type Signals } from "./Serving.ts"

/** Pause of a worker that serves as many workspaces as it may, and after a failure. */
const pause_ms = 250
/** A workspace that could not be served is due again after this time. */
const turn_ms = 1_000
const lease_ms = 60_000
/** Workspaces that are served at the same time. */
const workspaces_max = 200
/** On shutdown, open requests have this time to end. */
const last_requests_ms = 5_000

interface Open extends Signals {
  readonly lease: WebhookLease
}

/** With `SENDING=held` no webhook leaves, and events are kept. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { sending, webhooks } = yield* Settings
    if (sending === "held") return
    const queue = yield* WebhookQueue
    const { transact } = yield* Transactor
    const due = yield* DueWatch
    const requests = yield* requestsOf(webhooks.connections)
    const served = new Map<WorkspaceId, Open>()
    const fibers = yield* FiberMap.make<WorkspaceId, void, never>()
    yield* Effect.addFinalizer(() => stop(served, fibers))

    const begin = Effect.fnUntraced(function* (turn: WebhookTurn) {
      const { workspace } = turn
      const open = served.get(workspace)
      if (open !== undefined) {
        open.turn = turn
        return
      }
      const expired = expiredAt(yield* DateTime.now)
      const lease = yield* transact(queue.acquire(workspace, { lease_ms, expired }))
      if (lease === null) return
      const added: Open = { turn, lease, isStopping: false }
      served.set(workspace, added)
      yield* FiberMap.run(fibers, workspace, Effect.ensuring(turnOf(added, requests), forget(served, workspace)))
    })

    const round = Effect.gen(function* () {
      const limit = workspaces_max - served.size
      if (limit === 0) return yield* Effect.sleep(pause_ms)
      const turns = yield* transact(queue.takeTurns({ limit, turn_ms }))
      yield* Effect.forEach(turns, begin, { discard: true })
      if (turns.length < limit) yield* due.await(["webhooks"])
    }).pipe(
      Effect.tapCause(() => Effect.sleep(pause_ms)),
      logFailure("serving webhooks failed", {}, "Warning"),
    )
    yield* Effect.forkScoped(Effect.forever(round))
  }),
)

const forget = (served: Map<WorkspaceId, Open>, workspace: WorkspaceId) =>
  Effect.sync(() => void served.delete(workspace))

/** Serves a workspace, and gives the lease back. */
const turnOf = Effect.fnUntraced(function* (open: Open, requests: Requests) {
  const queue = yield* WebhookQueue
  const { transact } = yield* Transactor
  const { lease } = open
  const { workspace } = lease
  yield* Effect.raceFirst(serve(lease, requests, open), keepLease(lease)).pipe(
    Effect.flatMap(({ due, turn }) => transact(queue.endTurn(turn, due))),
    Effect.ensuring(logFailure("giving back a lease failed")(transact(queue.release(lease)))),
    Effect.catchCause((cause) =>
      // Interrupted by itself: the lease has gone.
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.logWarning("webhooks of a workspace failed", cause).pipe(
            Effect.annotateLogs({ workspace_id: workspace }),
          ),
    ),
  )
})

/** Renews the lease. Ends with an interruption when another worker has it. */
const keepLease = Effect.fnUntraced(function* (lease: WebhookLease) {
  const queue = yield* WebhookQueue
  const { transact } = yield* Transactor
  for (;;) {
    yield* Effect.sleep(lease_ms / 3)
    const isOurs = yield* retryTransient(transact(queue.renew(lease, lease_ms)))
    if (!isOurs) return yield* Effect.interrupt
  }
})

/** Starts no more requests, and waits for those that are open. */
const stop = (served: Map<WorkspaceId, Open>, fibers: FiberMap.FiberMap<WorkspaceId, void, never>) =>
  Effect.gen(function* () {
    for (const open of served.values()) open.isStopping = true
    yield* Effect.timeoutOption(FiberMap.awaitEmpty(fibers), last_requests_ms)
  })
