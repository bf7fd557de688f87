// Messages are made ahead: while connections wait for intents and replies, the next ones are written and signed.
import type { LentMessage, NotRendered, OutgoingMail, SenderRefused } from "@tentpole/core/sending/OutgoingMail"
import { Clock, Effect, Queue } from "effect"
import type { Item } from "./InFlight.ts"

/** A delivery, and its message: made, or found impossible to make. */
export interface PreparedMessage {
  readonly item: Item
  readonly message: Effect.Effect<LentMessage, SenderRefused | NotRendered>
}

export interface PrefetchOptions {
  readonly connections_max: number
  /** Waits for the next delivery. */
  readonly next: Effect.Effect<Item>
  readonly make: OutgoingMail["Service"]["make"]
}

/** What has lain for longer is made once more: contacts change, and a message bears its date. */
export const fresh_ms = 10_000

/** Half as many as there are connections lie ready, and as many are being made. */
export const prefetch = Effect.fnUntraced(function* ({ connections_max, make, next }: PrefetchOptions) {
  const count = Math.ceil(connections_max / 2)
  const queue = yield* Queue.bounded<PreparedMessage>(count)
  const making = Effect.gen(function* () {
    const item = yield* next
    // Replies that have come go first: connections wait for what follows them, and nobody waits for this.
    yield* Effect.yieldNow
    const made = yield* Effect.exit(make(item.workspace, item.claimed))
    const made_at_ms = yield* Clock.currentTimeMillis
    const message = Effect.flatMap(Clock.currentTimeMillis, (now_ms) =>
      now_ms - made_at_ms < fresh_ms ? made : make(item.workspace, item.claimed),
    )
    yield* Queue.offer(queue, { item, message })
  })
  return {
    next: Queue.take(queue),
    /** They are to end before what is in hand is given back. */
    makers: yield* Effect.replicateEffect(Effect.forkScoped(Effect.forever(making)), count),
  }
})
