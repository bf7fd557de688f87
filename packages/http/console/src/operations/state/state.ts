// The state of the installation as the screen shows it.
import type { Admin } from "@tentpole/client"

export type Operations = Admin.Operations
export type JobCounts = Operations["jobs"][number]
export type Check = Admin.DoctorCheck

/** A process that was silent for longer is gone. */
const silent_ms_max = 60_000

/** Those that are gone: silent for a minute before the newest report. The clock of the browser does not matter. */
export const goneOf = (processes: Operations["processes"]): ReadonlySet<string> => {
  const newest_ms = Math.max(...processes.map(({ seen_at }) => Date.parse(seen_at)))
  return new Set(
    processes
      .filter(({ seen_at }) => newest_ms - Date.parse(seen_at) > silent_ms_max)
      .map(({ process_id }) => process_id),
  )
}

export const job_states = ["running", "ready", "later", "dead"] as const

export type JobState = (typeof job_states)[number]

export const totalOf = (jobs: JobCounts): number => job_states.reduce((sum, state) => sum + jobs[state], 0)

export const deadOf = ({ jobs }: Operations): number => jobs.reduce((sum, { dead }) => sum + dead, 0)

/** The kind of due work that waits longest. */
export const lagOf = ({ due }: Operations): number => Math.max(0, ...due.map(({ lag_s }) => lag_s))

export type DueKind = Exclude<keyof Operations["lags"][number], "at">

const due_kinds: ReadonlyArray<DueKind> = [
  "deliveries",
  "blasts",
  "flows",
  "flow_events",
  "flow_dates",
  "webhooks",
  "messages",
  "subscriptions",
  "confirmations",
]

/** A shorter lag is the time between two looks of a worker. */
const lag_s_min = 1

/** The kinds of due work that waited in the last 24 hours. */
export const lateKindsOf = (lags: Operations["lags"]): ReadonlyArray<DueKind> =>
  due_kinds.filter((kind) => lags.some((point) => (point[kind] ?? 0) >= lag_s_min))

export type Verdict = "wrong" | "advice" | "ok"

/** A check that is ok and says what is better. */
export const verdictOf = ({ mend, ok }: Check): Verdict => (ok ? (mend === null ? "ok" : "advice") : "wrong")

const ranks: Readonly<Record<Verdict, number>> = { wrong: 0, advice: 1, ok: 2 }

/** Problems first, then advice. */
export const sortedChecks = (checks: ReadonlyArray<Check>): ReadonlyArray<Check> =>
  checks.toSorted((left, right) => ranks[verdictOf(left)] - ranks[verdictOf(right)])
