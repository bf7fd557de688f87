// How long to wait before a message that was refused for the moment is tried again: 30 s, 2 m, 10 m, 30 m, then hourly, for
// 24 hours of waiting in all. It counts tries and the pauses that it asked for, never a clock: a worker whose clock is
// wrong, or a blast that was paused, changes nothing.

const first_pauses_s = [30, 120, 600, 1800]
const later_pause_s = 3600
const waiting_max_s = 24 * 3600

/** Seconds to wait after the try number `attempt` (from 1) was in vain; undefined when it was the last. */
export const pauseAfter_s = (attempt: number): number | undefined => {
  const pause_s = first_pauses_s[attempt - 1] ?? later_pause_s
  const later = Math.max(0, attempt - first_pauses_s.length)
  const waited_s = first_pauses_s.slice(0, attempt).reduce((sum, each) => sum + each, 0) + later * later_pause_s
  return waited_s <= waiting_max_s ? pause_s : undefined
}
