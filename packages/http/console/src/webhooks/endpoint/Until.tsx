// The time that is left until an instant, which counts down.
import { useEffect, useState } from "react"
import { useFormat } from "../../format.ts"

const second_ms = 1_000

/** Whole seconds that are left; 0 once it is over, and of null. */
export const useSecondsLeft = (at: string | null): number => {
  const [now_ms, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (at === null) return undefined
    const timer = setInterval(() => setNow(Date.now()), second_ms)
    return () => clearInterval(timer)
  }, [at])
  return at === null ? 0 : Math.max(0, Math.ceil((Date.parse(at) - now_ms) / second_ms))
}

interface Props {
  readonly at: string
  /** The text of a time that is left. */
  readonly text: (left: string) => string
  /** The text once it is over. */
  readonly over: string
}

export const Until = ({ at, over, text }: Props) => {
  const { dateTime, duration } = useFormat()
  const left_s = useSecondsLeft(at)
  return (
    <time dateTime={at} title={dateTime(at)}>
      {left_s > 0 ? text(duration(left_s)) : over}
    </time>
  )
}
