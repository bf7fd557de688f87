// Timing of ours and of a reference, in turn in the same run, so that other load on the machine affects both.

/** In milliseconds, or a second. */
export interface Spread {
  readonly median: number
  /** One value in twenty is worse. */
  readonly p95: number
}

export interface Compared {
  readonly reference: Spread
  readonly ours: Spread
}

type Run = () => Promise<unknown>

/** How long a comparison lasts: `rounds`, but at least three and no longer than `time_max_ms`. */
export interface Rounds {
  readonly warmup: number
  readonly rounds: number
  readonly time_max_ms: number
}

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** For times: slow ones are worse. */
export const spreadOf = (times_ms: ReadonlyArray<number>): Spread => {
  const sorted = times_ms.toSorted((left, right) => left - right)
  return { median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) }
}

/** For rates: low ones are worse. */
export const rateSpreadOf = (rates: ReadonlyArray<number>): Spread => {
  const sorted = rates.toSorted((left, right) => right - left)
  return { median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) }
}

export const timed = async (run: Run): Promise<number> => {
  const began = performance.now()
  await run()
  return performance.now() - began
}

/** The order changes with each round, since the second one may find warm caches. */
const byTurns = async (runs: readonly [Run, Run], { warmup, rounds, time_max_ms }: Rounds) => {
  const times: readonly [Array<number>, Array<number>] = [[], []]
  for (let round = 0; round < warmup; round++) for (const run of runs) await run()
  const began = performance.now()
  for (let round = 0; round < rounds && (round < 3 || performance.now() - began < time_max_ms); round++) {
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      times[which].push(await timed(runs[which]))
    }
  }
  return times
}

export const compareTimes = async (
  both: { readonly reference: Run; readonly ours: Run },
  rounds: Rounds,
  spread = spreadOf,
): Promise<Compared> => {
  const [reference, ours] = await byTurns([both.reference, both.ours], rounds)
  return { reference: spread(reference), ours: spread(ours) }
}

/** `count`: the items of each run. */
export const compareRates = (
  both: { readonly reference: Run; readonly ours: Run; readonly count: number },
  rounds: Rounds,
): Promise<Compared> =>
  compareTimes(both, rounds, (times_ms) => rateSpreadOf(times_ms.map((ms) => (both.count / ms) * 1000)))

export interface Formulation<A> {
  readonly name: string
  readonly run: () => Promise<A>
}

/** The fastest of several formulations, which must all return the same answer. */
export const fastest = async <A>(
  formulations: ReadonlyArray<Formulation<A>>,
  check: (answer: A, name: string) => void,
): Promise<Formulation<A>> => {
  const tried: Array<{ readonly each: Formulation<A>; readonly ms: number }> = []
  for (const each of formulations) {
    check(await each.run(), each.name)
    const times: Array<number> = []
    for (let round = 0; round < 3; round++) times.push(await timed(each.run))
    tried.push({ each, ms: spreadOf(times).median })
  }
  const [best] = tried.toSorted((left, right) => left.ms - right.ms)
  if (best === undefined) throw new Error("there is no formulation to choose from")
  return best.each
}
