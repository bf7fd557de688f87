// Seeded random numbers for tests: the same seed gives the same run.

/** A generator from one seed: mulberry32. */
export interface Draw {
  readonly below: (limit: number) => number
  readonly chance: (share: number) => boolean
  readonly of: <A>(pool: ReadonlyArray<A>) => A
}

/** Core has no types of Node. */
declare const process: { readonly env: Readonly<Record<string, string | undefined>> }

/** How often a property is tried: in `npm test` a quarter as often as in other runs. */
export const sampled = (runs_count: number): number =>
  process.env["SAMPLE"] === undefined ? runs_count : Math.ceil(runs_count / 4)

/** Seeds for random worlds: 1 to `count`, in `npm test` the first quarter of them. */
export const seeds = (count: number): ReadonlyArray<number> => Array.from({ length: sampled(count) }, (_, at) => at + 1)

/** Whether `npm test` includes the item at this index today. Each item is included every third day (UTC), in other runs always. */
export const isInTurn = (index: number): boolean =>
  process.env["SAMPLE"] === undefined || index % 3 === Math.floor(Date.now() / 86_400_000) % 3

export const drawFrom = (seed: number): Draw => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (share) => next() < share,
    of: (pool) => {
      const drawn = pool[below(pool.length)]
      if (drawn === undefined) throw new Error("drawn from an empty pool")
      return drawn
    },
  }
}
