// The webhooks of one workspace while this worker has its lease: fan-out of new events, claims, attempts, and their ends. All of it
// is in the database before and after, so that a worker may die at any moment.
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { retryTransient } from "@tentpole/core/kernel/runtime/retryTransient"
import { nextProbeAt } from "@tentpole/core/webhooks/deliveries/EndpointHealth"
import { isSuccess } from "@tentpole/core/webhooks/deliveries/machine"
import {
  type ClaimedDelivery,
  type SettledDelivery,
  type WebhookLease,
  WebhookQueue,
  type WebhookTurn,
} from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import { disable } from "@tentpole/core/webhooks/endpoints/EndpointChange"
import { EndpointStore } from "@tentpole/core/webhooks/endpoints/EndpointStore"
import type { DisabledReason } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import { DateTime, Effect, FiberSet, Latch, Random } from "effect"
import { SendingLoad } from "../SendingLoad.ts"
import { applyEnds, givenBack, newHealths } from "./Ends.ts"
import type { Receiver } from "./Receiver.ts"
import { type Receivers, refresh, type Spread, spread, wanted_count } from "./Receivers.ts"
import type { EndedAttempt, Requests } from "./Requests.ts"

/** How often new events, deliveries that are due again, and changed settings are read while requests are open. */
const events_every_ms = 100
const due_every_ms = 1_000
const endpoints_every_ms = 1_000
/** So many ends are written without waiting for others. */
const ends_enough = 200

/** Set from outside while a workspace is served. */
export interface Signals {
  isStopping: boolean
  /** The last turn of the workspace. A new one means that there is new work. */
  turn: WebhookTurn
}

interface Served {
  readonly lease: WebhookLease
  readonly requests: Requests
  readonly receivers: Receivers
  /** Open requests. */
  readonly fibers: FiberSet.FiberSet
  /** Attempts that have ended and are not written yet. */
  readonly ended: Array<EndedAttempt>
  /** Opens when there are ends to write, or a receiver will soon have nothing to send. */
  readonly progress: Latch.Latch
}

export interface Ended {
  /** The turn whose work is done. */
  readonly turn: WebhookTurn
  /** When something is due next; null: nothing waits. */
  readonly due: DateTime.Utc | null
}

/** Serves a workspace until nothing is due. */
export const serve = Effect.fnUntraced(function* (lease: WebhookLease, requests: Requests, signals: Signals) {
  const served: Served = {
    lease,
    requests,
    receivers: new Map(),
    fibers: yield* FiberSet.make(),
    ended: [],
    progress: Latch.makeUnsafe(),
  }
  const isTime = everyTime()
  const load = yield* SendingLoad
  let turn: WebhookTurn | null = null
  let isUnread = true
  for (;;) {
    const pause_ms = load.pause_ms()
    const isBusy = pause_ms > 0
    if (isBusy) yield* Effect.sleep(pause_ms)
    served.progress.closeUnsafe()
    const { isStopping } = signals
    const now = yield* DateTime.now
    const isNew = turn !== signals.turn
    turn = signals.turn
    if (isTime("endpoints", endpoints_every_ms, now) || isNew) {
      yield* retryTransient(refresh(served.receivers, lease))
    }
    const isDueTime = isTime("due", due_every_ms, now) || isNew
    const reads: boolean = !isStopping && (isTime("events", events_every_ms, now) || isNew || isUnread)
    const step: readonly [Spread | null, boolean] = yield* readAndTurn(served, {
      now,
      reads,
      isFilled: reads && isUnread && !isDueTime,
      isStopping,
      isBusy,
    })
    const [written, found] = step
    isUnread = written?.more ?? isUnread
    yield* openRequests(served, now)
    const more = written?.wrote === true || (isUnread && wanted_count(served.receivers, isBusy) > 0)
    if ((yield* FiberSet.size(served.fibers)) + served.ended.length > 0) {
      if (!more) yield* Effect.raceFirst(served.progress.await, Effect.sleep(events_every_ms))
    } else if (isStopping || !(found || more)) {
      const due: DateTime.Utc | null = yield* retryTransient(nextDue(served))
      // A turn that came meanwhile is served, too: otherwise it would be due again only after its time.
      if (isStopping || signals.turn === turn) return { turn, due } satisfies Ended
    }
  }
}, Effect.scoped)

interface Step {
  readonly now: DateTime.Utc
  /** Whether new events are read. */
  readonly reads: boolean
  /** Whether receivers get new deliveries that are claimed as they are written. They claim nothing else in this step. */
  readonly isFilled: boolean
  readonly isStopping: boolean
  /** Whether the process is busy with mail. */
  readonly isBusy: boolean
}

/**
 * While the database writes the deliveries of new events, it also writes the ends of attempts and claims. Where turns pause, one
 * follows the other, so that the same turn claims new deliveries.
 */
const readAndTurn = (served: Served, step: Step) => {
  const { isBusy, now, reads } = step
  for (const receiver of served.receivers.values()) receiver.plan(now, isBusy)
  return Effect.all(
    [
      reads ? retryTransient(spread(served.receivers, served.lease, { now, isBusy })) : Effect.succeed(null),
      turnOver(served, step),
    ],
    { concurrency: isBusy ? 1 : 2 },
  )
}

/** Whether a time has passed since the last yes. */
const everyTime = () => {
  const last_ms = new Map<string, number>()
  return (what: string, every_ms: number, { epochMilliseconds: now_ms }: DateTime.Utc): boolean => {
    const isTime = now_ms - (last_ms.get(what) ?? -Infinity) >= every_ms
    if (isTime) last_ms.set(what, now_ms)
    return isTime
  }
}

/** Starts requests of what is claimed, as many as each receiver may have open. */
const openRequests = Effect.fnUntraced(function* (served: Served, now: DateTime.Utc) {
  const { ended, fibers, receivers, requests } = served
  for (const receiver of receivers.values()) {
    let free_count = requests.shareOf(receiver.openMax(now)) - receiver.open_count
    // In order, the end of an attempt decides whether the next one may begin.
    const mayOpen = () => free_count-- > 0 && !(receiver.isOrdered && ended.some((end) => end.receiver === receiver))
    while (mayOpen()) {
      const next = receiver.waiting.shift()
      if (next === undefined) break
      receiver.open_count++
      yield* FiberSet.run(fibers, attempts(served, receiver, next))
    }
  }
})

/** One request after the other, as long as they succeed. They need not wait until the ends are written. */
const attempts = Effect.fnUntraced(function* (served: Served, receiver: Receiver, first: ClaimedDelivery) {
  const { ended, lease, progress, requests } = served
  let next: ClaimedDelivery | undefined = first
  while (next !== undefined) {
    const end: EndedAttempt = yield* requests.attempt(lease.workspace, receiver, next)
    ended.push(end)
    const goesOn =
      end.ended !== null &&
      isSuccess(end.ended.outcome) &&
      receiver.open_count <= requests.shareOf(receiver.endpoint.settings.inFlight_max)
    if (!goesOn || receiver.isLow || ended.length >= ends_enough) progress.openUnsafe()
    next = goesOn ? receiver.waiting.shift() : undefined
  }
  receiver.open_count--
})

/** Writes what has ended and claims what can be sent. Returns whether there was any. */
const turnOver = Effect.fnUntraced(function* (served: Served, { isFilled, isStopping, now }: Step) {
  const queue = yield* WebhookQueue
  const { transact } = yield* Transactor
  const { lease, receivers } = served
  const ends = served.ended.splice(0)
  const randoms = yield* Effect.forEach(ends, () => Random.next)
  const { disabled, settled } = applyEnds(ends, now, () => randoms.pop() ?? 0)
  const back = Array.from(receivers.values()).flatMap((receiver) => returned(receiver, isStopping))
  const healths = newHealths(receivers.values())
  const wants = isStopping
    ? []
    : Array.from(receivers.values(), (receiver) => ({ receiver, limit: receiver.claim_count(now) })).filter(
        ({ limit, receiver }) => limit > 0 && !(isFilled && receiver.new_max > 0),
      )
  if (settled.length + back.length + healths.length + wants.length === 0) return false
  const written = transact(
    Effect.gen(function* () {
      yield* Effect.forEach(disabled, ([receiver, reason]) => giveUp(lease, receiver, reason, now), { discard: true })
      if (settled.length + back.length + healths.length > 0) {
        yield* queue.settle(lease, { settled: [...settled, ...back], healths })
      }
      return yield* Effect.forEach(wants, ({ limit, receiver }) =>
        disabled.has(receiver)
          ? Effect.succeed([])
          : queue.claim(lease, receiver.endpoint.id, {
              limit,
              ordered: receiver.isOrdered,
              testsOnly: !receiver.isSent,
            }),
      )
    }),
  )
  // What has ended is written, however long the database does not answer.
  const claims = yield* retryTransient(written)
  for (const [index, { limit, receiver }] of wants.entries()) {
    const claimed = claims[index] ?? []
    receiver.waiting.push(...claimed)
    receiver.hasMoreDue = claimed.length === limit
  }
  return settled.length > 0 || claims.some(({ length }) => length > 0)
})

/** Claims that are not attempted now: the worker stops, the receiver fails, or it is not enabled any more. */
const returned = (receiver: Receiver, isStopping: boolean): ReadonlyArray<SettledDelivery> => {
  if (!isStopping && receiver.isSent && !receiver.isHeld) return []
  const isKept = ({ delivery }: ClaimedDelivery) => !isStopping && !receiver.isSent && delivery.isTest
  const back = receiver.waiting.filter((each) => !isKept(each))
  receiver.waiting = receiver.waiting.filter(isKept)
  return back.map(givenBack)
}

/** Disables an endpoint that does not work, unless a caller has disabled or deleted it. */
const giveUp = Effect.fnUntraced(function* (
  { workspace }: WebhookLease,
  { endpoint: { id } }: Receiver,
  reason: DisabledReason,
  now: DateTime.Utc,
) {
  const store = yield* EndpointStore
  const change = yield* Effect.map(store.lock(workspace, id), (endpoint) => disable(endpoint, reason, now)).pipe(
    Effect.catchTag("NotFound", () => Effect.succeed(null)),
  )
  if (change === null) return
  yield* store.apply(workspace, change)
  yield* Effect.logWarning("a webhook endpoint was disabled").pipe(
    Effect.annotateLogs({ workspace_id: workspace, webhook_endpoint_id: id, reason }),
  )
})

/** When something is due next: a delivery, a probe, or a batch that is not full. */
const nextDue = Effect.fnUntraced(function* ({ lease, receivers }: Served) {
  const queue = yield* WebhookQueue
  const due = yield* queue.nextDue(lease.workspace)
  const times = Array.from(due).flatMap(([id, at]) => {
    const receiver = receivers.get(id)
    if (receiver === undefined) return []
    const probe = receiver.isSent ? nextProbeAt(receiver.health) : null
    return [probe === null ? at : DateTime.max(at, probe)]
  })
  for (const { waitsUntil } of receivers.values()) if (waitsUntil !== null) times.push(waitsUntil)
  return times.reduce<DateTime.Utc | null>((least, at) => (least === null ? at : DateTime.min(least, at)), null)
})
