// A limit of concurrent effects with a share and a queue for each workspace. Workspaces are served in turn: one that fills its share
// waits alone, and one that fills its queue is refused alone.
import { Effect } from "effect"
import { Unavailable } from "../Refusal.ts"

/** Waiting effects of a limit in one process, of all workspaces and of one. */
export const waiting_max = 64
export const waiting_share_max = 16

export interface FairLimitOptions {
  readonly concurrency_max: number
  /** How many effects of one key run. */
  readonly share_max?: number
  /** What waits and for which part of the service, for the refusal: `documents`, `parser`. */
  readonly of: { readonly items: string; readonly part: string }
}

export class FairLimit<Key> {
  /** The waiting effects of each key. Keys are in the order of their turns. */
  readonly #waiting = new Map<Key, Set<() => void>>()
  /** How many effects of each key run. */
  readonly #running = new Map<Key, number>()
  readonly #share_max: number
  readonly #of: FairLimitOptions["of"]
  #free: number

  constructor({ concurrency_max, share_max = concurrency_max, of }: FairLimitOptions) {
    this.#free = concurrency_max
    this.#share_max = share_max
    this.#of = of
  }

  /** The number of waiting effects, of all keys. */
  waiting(): number {
    let count = 0
    for (const { size } of this.#waiting.values()) count += size
    return count
  }

  /**
   * Runs an effect when its key has its turn, and fewer effects run than the limit, and of its key than its share. Dies with
   * `Unavailable` if it would have to wait and a queue is full.
   */
  run<A, E, R>(key: Key, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(this.#enter(key)), () => Effect.ensuring(restore(effect), this.#leave(key))),
    )
  }

  #enter(key: Key): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.#free > 0 && this.#hasShare(key)) {
        this.#begin(key)
        return resume(Effect.void)
      }
      const start = () => resume(Effect.void)
      const queue = this.#waiting.get(key)
      if ((queue?.size ?? 0) >= waiting_share_max) return resume(this.#refusal(" of this workspace"))
      if (this.waiting() >= waiting_max) return resume(this.#refusal(""))
      if (queue === undefined) this.#waiting.set(key, new Set([start]))
      else queue.add(start)
      return Effect.sync(() => {
        const left = this.#waiting.get(key)
        left?.delete(start)
        if (left?.size === 0) this.#waiting.delete(key)
      })
    })
  }

  #refusal(whose: string): Effect.Effect<never> {
    const { items, part } = this.#of
    return Effect.die(new Unavailable({ part, reason: `Too many ${items}${whose} wait. Try again in a few seconds` }))
  }

  #hasShare(key: Key): boolean {
    return (this.#running.get(key) ?? 0) < this.#share_max
  }

  #begin(key: Key): void {
    this.#free--
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1)
  }

  #leave(key: Key): Effect.Effect<void> {
    return Effect.sync(() => {
      this.#free++
      const left = (this.#running.get(key) ?? 1) - 1
      if (left > 0) this.#running.set(key, left)
      else this.#running.delete(key)
      for (const [next, queue] of this.#waiting) {
        const [start] = queue
        if (start === undefined || !this.#hasShare(next)) continue
        // The key has its next turn after all others.
        this.#waiting.delete(next)
        queue.delete(start)
        if (queue.size > 0) this.#waiting.set(next, queue)
        this.#begin(next)
        start()
        return
      }
    })
  }
}
