// What connections take: prepared single messages first, then prepared deliveries of blasts and flows. Some connections serve single
// messages only, while the service has any, so that no blast can occupy all of them.
import { Effect } from "effect"
import type { Prefetched, PreparedMessage } from "./Prefetch.ts"

/** Kept for single messages when they are in use. */
export const keptConnections = (connections_max: number): number =>
  Math.min(connections_max - 1, Math.max(kept_min, Math.floor(connections_max * kept_share)))

const kept_min = 2
const kept_share = 0.1

/** Wakes a waiting connection. */
type Wake = () => void

export class ReadyMessages {
  readonly #messages: Prefetched["poll"]
  readonly #deliveries: Prefetched["poll"]
  /** Connections that wait for anything, and kept ones, the longest first. */
  readonly #waiting: Array<Wake> = []
  readonly #waitingKept: Array<Wake> = []
  /** Grows with each change that a connection may wait for. */
  #changes = 0
  /** How many single messages are ready. */
  #singles = 0
  #inUse = false

  constructor({
    deliveries,
    messages,
  }: {
    readonly messages: Prefetched["poll"]
    readonly deliveries: Prefetched["poll"]
  }) {
    this.#messages = messages
    this.#deliveries = deliveries
  }

  readonly messageOffered = Effect.sync(() => {
    this.#changes++
    this.#singles++
    const wake = this.#waitingKept.shift() ?? this.#waiting.shift()
    wake?.()
  })

  readonly deliveryOffered = Effect.sync(() => {
    this.#changes++
    const wake = this.#waiting.shift() ?? (this.#inUse ? undefined : this.#waitingKept.shift())
    wake?.()
  })

  /** Whether the service has single messages: kept connections serve nothing else from then on. */
  use(inUse: boolean): Effect.Effect<void> {
    return Effect.sync(() => {
      if (this.#inUse === inUse) return
      this.#inUse = inUse
      this.#changes++
      for (const wake of this.#waitingKept.splice(0)) wake()
    })
  }

  /** Waits for the next message of any kind. */
  readonly next: Effect.Effect<PreparedMessage> = Effect.suspend(() => {
    const seen = this.#changes
    return Effect.flatMap(this.#poll(true), (ready) =>
      ready === undefined ? Effect.andThen(this.#change(this.#waiting, seen), this.next) : Effect.succeed(ready),
    )
  })

  /** The same for a kept connection. */
  readonly nextKept: Effect.Effect<PreparedMessage> = Effect.suspend(() => {
    const seen = this.#changes
    return Effect.flatMap(this.#poll(!this.#inUse), (ready) =>
      ready === undefined
        ? Effect.andThen(this.#change(this.#waitingKept, seen), this.nextKept)
        : Effect.succeed(ready),
    )
  })

  /**
   * A delivery to send after the message in progress, if one is ready. It waits for the reply to that message, also if another connection
   * becomes free. A single message never does, and goes first.
   */
  readonly following: Effect.Effect<PreparedMessage | undefined> = Effect.suspend(() =>
    this.#singles > 0 ? Effect.undefined : this.#deliveries,
  )

  /** The same for a kept connection. */
  readonly followingKept: Effect.Effect<PreparedMessage | undefined> = Effect.suspend(() =>
    this.#inUse ? Effect.undefined : this.following,
  )

  #poll(deliveries: boolean): Effect.Effect<PreparedMessage | undefined> {
    return Effect.flatMap(this.#messages, (message) => {
      if (message !== undefined) this.#singles--
      return message !== undefined || !deliveries ? Effect.succeed(message) : this.#deliveries
    })
  }

  /** Waits until it is woken; not at all if something has changed since. */
  #change(waiting: Array<Wake>, seen: number): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.#changes !== seen) return resume(Effect.void)
      const wake = () => resume(Effect.void)
      waiting.push(wake)
      return Effect.sync(() => {
        const at = waiting.indexOf(wake)
        if (at >= 0) waiting.splice(at, 1)
      })
    })
  }
}
