// Backoff: the waiting time before the next attempt. The first waits grow, later ones are equal, and the total is limited. It
// counts attempts and waits, not the clock, so that a wrong clock or a paused blast does not change it.

/** Seconds to wait after the failed attempt number `attempt` (from 1); undefined after the last one. */
export type Backoff = (attempt: number) => number | undefined

export const backoff =
  (first_pauses_s: ReadonlyArray<number>, later_pause_s: number, waiting_max_s: number): Backoff =>
  (attempt) => {
    const pause_s = first_pauses_s[attempt - 1] ?? later_pause_s
    const later = Math.max(0, attempt - first_pauses_s.length)
    const waited_s = first_pauses_s.slice(0, attempt).reduce((sum, each) => sum + each, 0) + later * later_pause_s
    return waited_s <= waiting_max_s ? pause_s : undefined
  }

/** For messages: 30 s, 2 m, 10 m, 30 m, then hourly, 24 hours in total. */
export const pauseAfter_s: Backoff = backoff([30, 120, 600, 1800], 3600, 24 * 3600)
