// Numbers and times in a language and a time zone.
const second_ms = 1_000

const units = [
  { unit: "year", ms: 31_557_600 * second_ms },
  { unit: "month", ms: 2_629_800 * second_ms },
  { unit: "day", ms: 86_400 * second_ms },
  { unit: "hour", ms: 3_600 * second_ms },
  { unit: "minute", ms: 60 * second_ms },
  { unit: "second", ms: second_ms },
] as const

const kilobyte = 1_024
const minute_s = 60
const hour_s = 3_600

/** Choices of a select: statuses are lower-case words, and begin a line there. */
export const inSelect = <Choice extends { readonly label: string }>(choices: ReadonlyArray<Choice>): Array<Choice> =>
  choices.map((choice) => ({ ...choice, label: choice.label.charAt(0).toUpperCase() + choice.label.slice(1) }))

export const formatsOf = (language: string, timeZone: string) => {
  const numbers = new Intl.NumberFormat(language)
  const percents = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 })
  const fine = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 })
  const days = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone })
  const utcDays = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" })
  const clock = new Intl.DateTimeFormat(language, { timeStyle: "short", timeZone })
  const both = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone })
  const relatives = new Intl.RelativeTimeFormat(language, { numeric: "auto" })
  const bytes = (unit: string, digits: number) =>
    new Intl.NumberFormat(language, {
      style: "unit",
      unit,
      // Short, English has no plural of bytes.
      unitDisplay: unit === "byte" ? "long" : "short",
      maximumFractionDigits: digits,
    })
  const time = (unit: "hour" | "minute" | "second", value: number) =>
    new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(Math.floor(value))
  const dateOf = (at: string | Date) => (typeof at === "string" ? new Date(at) : at)
  return {
    number: (value: number) => numbers.format(value),
    /** Of a share from 0 to 1. */
    percent: (share: number) => percents.format(share),
    /** A share of a whole; an em dash where the whole is 0. */
    share: (part: number, whole: number) => (whole === 0 ? "–" : percents.format(part / whole)),
    /** The same with one more digit, for small shares. */
    fineShare: (part: number, whole: number) => (whole === 0 ? "–" : fine.format(part / whole)),
    date: (at: string | Date) => days.format(dateOf(at)),
    /** A day of figures, which begins at midnight UTC: the same day in every time zone. */
    utcDay: (at: string | Date) => utcDays.format(dateOf(at)),
    time: (at: string | Date) => clock.format(dateOf(at)),
    dateTime: (at: string | Date) => both.format(dateOf(at)),
    /** "2 hours ago", "in 3 days". */
    relative: (at: string | Date, now_ms: number) => {
      const passed_ms = dateOf(at).getTime() - now_ms
      const { ms, unit } = units.find((each) => Math.abs(passed_ms) >= each.ms) ?? { ms: second_ms, unit: "second" }
      return relatives.format(Math.round(passed_ms / ms), unit)
    },
    /** "24 sec", "3 min 20 sec", "2 hr 5 min". */
    duration: (seconds: number) => {
      if (seconds < minute_s) return time("second", Math.round(seconds))
      if (seconds < hour_s) return `${time("minute", seconds / minute_s)} ${time("second", seconds % minute_s)}`
      return `${time("hour", seconds / hour_s)} ${time("minute", (seconds % hour_s) / minute_s)}`
    },
    bytes: (value: number) =>
      value < kilobyte
        ? bytes("byte", 0).format(value)
        : value < kilobyte ** 2
          ? bytes("kilobyte", 0).format(value / kilobyte)
          : value < kilobyte ** 3
            ? bytes("megabyte", 1).format(value / kilobyte ** 2)
            : bytes("gigabyte", 1).format(value / kilobyte ** 3),
  }
}
