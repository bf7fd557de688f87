// A time: short in the text, exact and in UTC in the tooltip.
import { useFormat, useNow } from "../format.ts"

interface Props {
  readonly at: string
  /** "2 hours ago" for the last week, otherwise the date. Default: date and time. */
  readonly as?: "relative" | "date" | "dateTime"
}

const week_ms = 7 * 86_400_000

export const Time = ({ as = "dateTime", at }: Props) => {
  const { date, dateTime, relative } = useFormat()
  const now_ms = useNow()
  const isRecent = Math.abs(new Date(at).getTime() - now_ms) < week_ms
  const text =
    as === "relative" ? (isRecent ? relative(at, now_ms) : date(at)) : as === "date" ? date(at) : dateTime(at)
  return (
    <time dateTime={at} title={`${dateTime(at)} · ${at.replace("T", " ").replace(/(\.\d+)?Z$/, "")} UTC`}>
      {text}
    </time>
  )
}
