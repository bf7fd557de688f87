// Local times of a time zone as instants. Where clocks change, some local times do not exist and some exist twice.

const minute_ms = 60_000

/** Milliseconds that the zone's clocks are ahead of UTC at an instant. */
const aheadOf = (instant_ms: number, timeZone: string): number => {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  }).formatToParts(instant_ms)
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value ?? "0")
  const local_ms = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"))
  return local_ms - Math.floor(instant_ms / minute_ms) * minute_ms
}

export type LocalTime =
  | { readonly kind: "once" | "twice"; readonly at: string }
  /** Clocks skip this time. `at` is as long after the change as the time is after the skipped hour's beginning. */
  | { readonly kind: "skipped"; readonly at: string }
  | { readonly kind: "invalid" }

/** The instant of a local time such as `2026-11-24T09:00`. Of a time that exists twice it is the first one. */
export const instantOf = (local: string, timeZone: string): LocalTime => {
  const local_ms = Date.parse(`${local}Z`)
  if (Number.isNaN(local_ms)) return { kind: "invalid" }
  const day_ms = 24 * 60 * minute_ms
  const offsets = [...new Set([aheadOf(local_ms - day_ms, timeZone), aheadOf(local_ms + day_ms, timeZone)])]
  const found = offsets
    .map((ahead_ms) => local_ms - ahead_ms)
    .filter((instant_ms) => aheadOf(instant_ms, timeZone) === local_ms - instant_ms)
    .sort((a, b) => a - b)
  const [first] = found
  if (first !== undefined) return { kind: found.length > 1 ? "twice" : "once", at: new Date(first).toISOString() }
  return { kind: "skipped", at: new Date(local_ms - Math.min(...offsets)).toISOString() }
}

/** The local time of an instant, as an input of the type `datetime-local` has it. */
export const localOf = (instant_ms: number, timeZone: string): string =>
  new Date(instant_ms + aheadOf(instant_ms, timeZone)).toISOString().slice(0, 16)

/** The instant of a chosen local time; null for a time that does not exist or is over. Undefined without one: now. */
export const scheduledAt = (local: string | undefined, timeZone: string, now_ms: number): string | null | undefined => {
  if (local === undefined) return undefined
  const found = instantOf(local, timeZone)
  if (found.kind === "invalid" || found.kind === "skipped") return null
  return Date.parse(found.at) > now_ms ? found.at : null
}
