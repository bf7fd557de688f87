// How a scenario ended, in a line.
import type { Judged } from "./Judge.ts"

export const told = (say: (text: string) => void, { blocked, failed, sent, unconfirmed }: Judged, more = ""): void => {
  const reasons = Object.entries(failed).map(([reason, count]) => `${count} ${reason}`)
  const counts = [`${sent} sent`, `${blocked} blocked`, `${unconfirmed} unconfirmed`, ...reasons]
  say(
    `  ${[...counts.filter((each) => !each.startsWith("0 ") || each.endsWith("unconfirmed")), more].filter(Boolean).join(", ")}`,
  )
}
