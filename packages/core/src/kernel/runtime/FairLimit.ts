// A limit of concurrent effects that serves its keys in turn: a key with many waiting effects does not delay another.
import { Effect } from "effect"

export class FairLimit<Key> {
  /** The waiting effects of each key. Keys are in the order of their turns. */
  readonly #waiting = new Map<Key, Set<() => void>>()
  #free: number

  constructor(concurrency_max: number) {
    this.#free = concurrency_max
  }

  /** The number of waiting effects, of all keys or of one. */
  waiting(...of: readonly [] | readonly [Key]): number {
    if (of.length === 1) return this.#waiting.get(of[0])?.size ?? 0
    let count = 0
    for (const { size } of this.#waiting.values()) count += size
    return count
  }

  /** Runs an effect when its key has its turn and fewer effects run than the limit. */
  run<A, E, R>(key: Key, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(this.#enter(key)), () => Effect.ensuring(restore(effect), this.#leave)),
    )
  }

  #enter(key: Key): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.#free > 0) {
        this.#free--
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

  readonly #leave = Effect.sync(() => {
    const [turn] = this.#waiting
    if (turn === undefined) {
      this.#free++
      return
    }
    const [key, queue] = turn
    const [start] = queue
    // The key has its next turn after all others.
    this.#waiting.delete(key)
    if (start === undefined) return
    queue.delete(start)
    if (queue.size > 0) this.#waiting.set(key, queue)
    start()
  })
}
