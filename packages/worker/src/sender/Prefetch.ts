// Prefetched messages: rendered and signed while connections wait for intents and replies.
import type { ReusableMessage, NotRendered, OutgoingMail, SenderRefused } from "@tentpole/core/sending/OutgoingMail"
import { Clock, Effect, Queue } from "effect"
import type { Item } from "./InFlight.ts"

/** A delivery and its message, or the error of rendering it. */
export interface PreparedMessage {
  readonly item: Item
  readonly message: Effect.Effect<ReusableMessage, SenderRefused | NotRendered>
}

export interface PrefetchOptions {
  readonly connections_max: number
  /** Waits for the next delivery. */
  readonly next: Effect.Effect<Item>
  readonly render: OutgoingMail["Service"]["render"]
}

/** Older messages are rendered again: contacts change, and a message has a date. */
export const fresh_ms = 10_000

/** Keeps half as many messages ready as there are connections, and renders as many concurrently. */
export const prefetch = Effect.fnUntraced(function* ({ connections_max, render, next }: PrefetchOptions) {
  const count = Math.ceil(connections_max / 2)
  const queue = yield* Queue.bounded<PreparedMessage>(count)
  const renderNext = Effect.gen(function* () {
    const item = yield* next
    // Connections whose replies have arrived go first.
    yield* Effect.yieldNow
    const rendered = yield* Effect.exit(render(item.workspace, item.claimed))
    const rendered_at_ms = yield* Clock.currentTimeMillis
    const message = Effect.flatMap(Clock.currentTimeMillis, (now_ms) =>
      now_ms - rendered_at_ms < fresh_ms ? rendered : render(item.workspace, item.claimed),
    )
    yield* Queue.offer(queue, { item, message })
  })
  return {
    next: Queue.take(queue),
    /** Must end before deliveries in flight are released. */
    renderers: yield* Effect.replicateEffect(Effect.forkScoped(Effect.forever(renderNext)), count),
  }
})
