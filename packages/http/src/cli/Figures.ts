// Figures as people read them: counts, and lengths of time.

export const counted = (count: number): string => count.toLocaleString("en-US")

/** `1 contact`, `1,200 contacts`. */
export const countOf = (count: number, noun: string): string => `${counted(count)} ${noun}${count === 1 ? "" : "s"}`

/** The two largest units of a length of time: `1 min 30 s`. */
export const lasting = (seconds: number): string => {
  const whole_s = Math.max(0, Math.ceil(seconds))
  const [hours, minutes, rest_s] = [Math.floor(whole_s / 3600), Math.floor((whole_s % 3600) / 60), whole_s % 60]
  if (hours > 0) return `${counted(hours)} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${rest_s} s` : `${rest_s} s`
}

/** The local time of an instant: `14:02`, or `28 Nov, 14:02` on another day. */
export const clockOf = (instant: string, now: Date = new Date()): string => {
  const at = new Date(instant)
  const time = { hour: "2-digit", minute: "2-digit" } as const
  return at.toDateString() === now.toDateString()
    ? at.toLocaleTimeString("en-GB", time)
    : at.toLocaleString("en-GB", { day: "numeric", month: "short", ...time })
}
