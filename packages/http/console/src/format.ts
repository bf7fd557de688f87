// Numbers and times in the chosen language. Times are in the workspace's time zone, with UTC in the tooltip.
import { useMemo, useSyncExternalStore } from "react"
import { formatsOf } from "./formats.ts"
import { useTimeZone } from "./session.tsx"
import { useLanguage } from "./words/Words.tsx"

/** `const { number, dateTime } = useFormat()`. */
export const useFormat = () => {
  const { language } = useLanguage()
  const timeZone = useTimeZone()
  return useMemo(() => formatsOf(language, timeZone), [language, timeZone])
}

const minute_ms = 60_000
const second_ms = 1_000

const eachMinute = (listener: () => void): (() => void) => {
  const timer = setInterval(listener, minute_ms)
  return () => clearInterval(timer)
}

/** To the second, and never before what has just happened. */
const present = (): number => Math.ceil(Date.now() / second_ms) * second_ms

/** The present. Components are drawn again each minute: "2 minutes ago" stays true. */
export const useNow = (): number => useSyncExternalStore(eachMinute, present)
