// A limit of concurrent effects with a share for each key, which serves its keys in turn: a key that fills its share waits alone.
import { Effect } from "effect"

export class FairLimit<Key> {
  /** The waiting effects of each key. Keys are in the order of their turns. */
  readonly #waiting = new Map<Key, Set<() => void>>()
  /** How many effects of each key run. */
  readonly #running = new Map<Key, number>()
  readonly #share_max: number
  #free: number

  constructor(concurrency_max: number, share_max = concurrency_max) {
    this.#free = concurrency_max
    this.#share_max = share_max
  }

  /** The number of waiting effects, of all keys or of one. */
  waiting(...of: readonly [] | readonly [Key]): number {
    if (of.length === 1) return this.#waiting.get(of[0])?.size ?? 0
    let count = 0
    for (const { size } of this.#waiting.values()) count += size
    return count
  }

  /** Runs an effect when its key has its turn, and fewer effects run than the limit, and of its key than its share. */
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
      if (queue === undefined) this.#waiting.set(key, new Set([start]))
      else queue.add(start)
      return Effect.sync(() => {
        const left = this.#waiting.get(key)
        left?.delete(start)
        if (left?.size === 0) this.#waiting.delete(key)
      })
    })
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
