// The receivers of one workspace, as the database has them, and the events that they have not taken over.
import { Ids, type WebhookEndpointId } from "@tentpole/core/kernel/Ids"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { fanOut } from "@tentpole/core/webhooks/deliveries/FanOut"
import { type ServedEndpoint, type WebhookLease, WebhookQueue } from "@tentpole/core/webhooks/deliveries/WebhookQueue"
import { DateTime, Effect } from "effect"
import { credentialsOf, read_max, Receiver } from "./Receiver.ts"

export type Receivers = Map<WebhookEndpointId, Receiver>

/** Reads the endpoints as callers have changed them. What is claimed for an endpoint stays. */
export const refresh = Effect.fnUntraced(function* (receivers: Receivers, { workspace }: WebhookLease) {
  const queue = yield* WebhookQueue
  const served = yield* queue.endpoints(workspace)
  yield* Effect.forEach(served, (each) => refreshOne(receivers, each), { discard: true })
  const ids = new Set(served.map(({ endpoint }) => endpoint.id))
  for (const id of receivers.keys()) if (!ids.has(id)) receivers.delete(id)
})

const refreshOne = Effect.fnUntraced(function* (receivers: Receivers, served: ServedEndpoint) {
  const { id, skipsThrough, updatedAt } = served.endpoint
  const known = receivers.get(id)?.endpoint
  if (known?.skipsThrough === skipsThrough && DateTime.Equivalence(known.updatedAt, updatedAt)) return
  const opened = yield* Effect.result(credentialsOf(served.endpoint))
  if (opened._tag === "Success") {
    const receiver = receivers.get(id) ?? new Receiver(served, opened.success)
    receiver.update(served, opened.success)
    receivers.set(id, receiver)
  } else {
    yield* Effect.logError(opened.failure.message).pipe(Effect.annotateLogs({ webhook_endpoint_id: id }))
  }
})

/** `wrote`: there are new deliveries to claim. `more`: there may be more events. */
export interface Spread {
  readonly wrote: boolean
  readonly more: boolean
}

/** Receivers whose events are read now. While mail is sent, one that works and has more deliveries due gets no more. */
const takers = (receivers: Receivers, isBusy: boolean): ReadonlyArray<Receiver> =>
  [...receivers.values()].filter(({ hasMoreDue, isEnabled, isHeld }) => isEnabled && !(isBusy && hasMoreDue && !isHeld))

/** How many events to read: as many as one receiver wants. For receivers that all fail, their deliveries are written ahead. */
export const wanted_count = (receivers: Receivers, isBusy: boolean): number => {
  const all = takers(receivers, isBusy)
  return all.every(({ isHeld }) => isHeld) ? read_max : Math.max(0, ...all.map((each) => each.wanted_count))
}

/**
 * Writes the deliveries of new events, and how far each receiver is. A receiver that keeps up has its deliveries claimed at once.
 * `isBusy`: the process is busy with mail.
 */
export const spread = Effect.fnUntraced(function* (
  receivers: Receivers,
  lease: WebhookLease,
  { isBusy, now }: { readonly now: DateTime.Utc; readonly isBusy: boolean },
) {
  const queue = yield* WebhookQueue
  const { generator } = yield* Ids
  const { transact } = yield* Transactor
  const limit = wanted_count(receivers, isBusy)
  if (limit === 0) return { wrote: false, more: true } satisfies Spread
  const enabled = takers(receivers, isBusy)
  const isLeft = [...receivers.values()].some((each) => each.isEnabled && !enabled.includes(each))
  const after = leastOf(enabled.map(({ position }) => BigInt(position)))
  const events = after === null ? [] : yield* queue.eventsAfter(lease.workspace, after.toString(), limit)
  if (events.length === 0) return { wrote: false, more: isLeft } satisfies Spread
  const more = events.length === limit
  const nextId = yield* generator
  const results = enabled.map((receiver) => {
    const from = BigInt(receiver.position)
    const later = events.filter(({ event }) => BigInt(event.position) > from)
    const result = fanOut(lease.workspace, receiver, { events: later, more, nextId, now })
    return { receiver, result, claimed: result.deliveries.slice(0, receiver.new_max) }
  })
  const moved = results.filter(({ receiver, result }) => BigInt(result.position) > BigInt(receiver.position))
  if (moved.length > 0) {
    const positions = new Map(moved.map(({ receiver, result }) => [receiver.endpoint.id, result.position]))
    const deliveries = moved.flatMap(({ result }) => result.deliveries)
    const claimed = new Set(moved.flatMap((each) => each.claimed.map(({ delivery }) => delivery.id)))
    const ours = yield* transact(queue.fanOut(lease, { deliveries, positions, claimed }))
    // The lease has gone: another worker goes on.
    if (ours === null) return yield* Effect.interrupt
    for (const { claimed: asked, receiver } of moved) {
      receiver.waiting.push(...asked.filter(({ delivery }) => ours.has(delivery.id)))
    }
  }
  for (const { claimed, receiver, result } of results) {
    receiver.position = result.position
    receiver.waitsUntil = result.waitsUntil
    receiver.hasMoreDue ||= claimed.length < result.deliveries.length
  }
  return {
    wrote: moved.some(({ claimed, result }) => claimed.length < result.deliveries.length),
    more: more || isLeft,
  } satisfies Spread
})

const leastOf = (positions: ReadonlyArray<bigint>): bigint | null =>
  positions.reduce<bigint | null>((least, each) => (least === null || each < least ? each : least), null)
