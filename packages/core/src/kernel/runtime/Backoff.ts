// How long to wait before something that failed for the moment is tried again: the first pauses grow, later ones are even, and
// at some time it has been waited enough. It counts tries and the pauses that it asked for, never a clock: a worker whose
// clock is wrong, or a blast that was paused, changes nothing.

/** Seconds to wait after the try number `attempt` (from 1) was in vain; undefined when it was the last. */
export type Backoff = (attempt: number) => number | undefined

export const backoff =
  (first_pauses_s: ReadonlyArray<number>, later_pause_s: number, waiting_max_s: number): Backoff =>
  (attempt) => {
    const pause_s = first_pauses_s[attempt - 1] ?? later_pause_s
    const later = Math.max(0, attempt - first_pauses_s.length)
    const waited_s = first_pauses_s.slice(0, attempt).reduce((sum, each) => sum + each, 0) + later * later_pause_s
    return waited_s <= waiting_max_s ? pause_s : undefined
  }

/** Of a message: 30 s, 2 m, 10 m, 30 m, then hourly, for 24 hours of waiting in all. */
export const pauseAfter_s: Backoff = backoff([30, 120, 600, 1800], 3600, 24 * 3600)
