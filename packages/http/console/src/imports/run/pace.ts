// How fast a run is, from the counts that arrive: rows a second, and the time that is left.
export interface Sample {
  readonly at_ms: number
  readonly rows: number
}

/** Older samples say little about the present speed. */
const window_ms = 15_000

/** The samples with a new one. Rows that went back belong to another run. */
export const sampled = (samples: ReadonlyArray<Sample>, next: Sample): ReadonlyArray<Sample> => {
  const last = samples.at(-1)
  if (last !== undefined && next.rows < last.rows) return [next]
  return [...samples.filter(({ at_ms }) => next.at_ms - at_ms <= window_ms), next]
}

/** Rows a second; null while there is too little to say. */
export const rateOf = (samples: ReadonlyArray<Sample>): number | null => {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.at_ms - first.at_ms < 1_000) return null
  const rate = ((last.rows - first.rows) * 1_000) / (last.at_ms - first.at_ms)
  return rate > 0 ? rate : null
}

/** Seconds until all rows are done; null if it can't be said. */
export const left_s = (rate: number | null, rows: number, total: number | null): number | null =>
  rate === null || total === null ? null : Math.max(0, Math.round((total - rows) / rate))
