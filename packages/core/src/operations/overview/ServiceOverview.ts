// The overview of the installation: its processes, its queues, and the database. Pure: stores read the facts.
import { DateTime } from "effect"
import type { DueKind } from "../../kernel/changes/DueWork.ts"

/** How often a process reports itself. */
export const process_beat_s = 10
/** A process that was silent for longer is gone. */
export const process_silent_s_max = 60

export const processKinds = ["http", "worker"] as const
export type ProcessKind = (typeof processKinds)[number]

/** What a process reports of itself. */
export interface ProcessBeat {
  /** Of this start of the process. */
  readonly id: string
  readonly kind: ProcessKind
  readonly uptime_s: number
  readonly rss_bytes: number
  /** Of the last ten seconds. */
  readonly eventLoopP99_ms: number
}

export interface ServiceProcess extends Omit<ProcessBeat, "uptime_s"> {
  readonly startedAt: DateTime.Utc
  /** The last report, by the database's clock. */
  readonly seenAt: DateTime.Utc
}

/** The longest lag of each kind of due work is stored for each quarter of an hour. */
export const lag_period_s = 900
/** Those of 24 hours. */
const lag_points = 96

/** How long the workspace that waited longest had been due, at most, in the period that begins at `at`. */
export interface LagPeak {
  readonly at: DateTime.Utc
  readonly kind: DueKind
  readonly lag_s: number
}

/** null: no process reported in this period. */
export interface LagPoint extends Readonly<Record<DueKind, number | null>> {
  readonly at: DateTime.Utc
}

/** The beginning of the first of the periods that end with the present one. */
export const firstLagPeriod = (now: DateTime.Utc): DateTime.Utc => {
  const period_ms = lag_period_s * 1_000
  return DateTime.makeUnsafe((Math.floor(now.epochMilliseconds / period_ms) - lag_points + 1) * period_ms)
}

/** A point for each period of the 24 hours from `first` on. */
export const lagPointsOf = (peaks: ReadonlyArray<LagPeak>, first: DateTime.Utc): ReadonlyArray<LagPoint> => {
  const found = new Map(peaks.map(({ at, kind, lag_s }) => [`${at.epochMilliseconds} ${kind}`, lag_s]))
  return Array.from({ length: lag_points }, (_, index) => {
    const at = DateTime.add(first, { seconds: index * lag_period_s })
    const lagOf = (kind: DueKind) => found.get(`${at.epochMilliseconds} ${kind}`) ?? null
    return {
      at,
      blasts: lagOf("blasts"),
      deliveries: lagOf("deliveries"),
      messages: lagOf("messages"),
      flows: lagOf("flows"),
      flow_events: lagOf("flow_events"),
      flow_dates: lagOf("flow_dates"),
      webhooks: lagOf("webhooks"),
      subscriptions: lagOf("subscriptions"),
      confirmations: lagOf("confirmations"),
    }
  })
}

/** The number of items of a queue in one state, and the age of the oldest. */
export interface Backlog {
  readonly queue: "due" | "deliveries" | "jobs" | "webhooks" | "connections"
  /** The kind of due work or job, or the owner of connections. Otherwise empty. */
  readonly kind: string
  readonly state: string
  readonly items: number
  readonly oldest_s: number | null
}

/** The jobs of one type. */
export interface JobCounts {
  readonly type: string
  readonly ready: number
  readonly running: number
  readonly later: number
  readonly dead: number
  /** How long the oldest ready job has been waiting; null: none waits. */
  readonly oldest_s: number | null
}

/** The backlog by its parts, without the database's connections by state. */
export interface Queues {
  readonly jobs: ReadonlyArray<JobCounts>
  readonly due: ReadonlyArray<{ readonly kind: string; readonly workspaces: number; readonly lag_s: number }>
  readonly deliveries: {
    readonly open: number
    readonly paused: number
    readonly claimed: number
    readonly handed_over: number
    /** How long the oldest message has been handed over without an outcome; null: none is. */
    readonly oldest_s: number | null
  }
  readonly connections: number
}

export const queuesOf = (backlog: ReadonlyArray<Backlog>): Queues => {
  const of = (queue: Backlog["queue"]) => backlog.filter((each) => each.queue === queue)
  const sumOf = (rows: ReadonlyArray<Backlog>, state?: string): number =>
    rows.reduce((sum, row) => sum + (state === undefined || row.state === state ? row.items : 0), 0)
  const [due, deliveries, jobs] = [of("due"), of("deliveries"), of("jobs")]
  return {
    jobs: [...new Set(jobs.map(({ kind }) => kind))].toSorted().map((type) => {
      const own = jobs.filter(({ kind }) => kind === type)
      return {
        type,
        ready: sumOf(own, "ready"),
        running: sumOf(own, "running"),
        later: sumOf(own, "later"),
        dead: sumOf(own, "dead"),
        oldest_s: own.find(({ state }) => state === "ready")?.oldest_s ?? null,
      }
    }),
    due: due.map(({ items, kind, oldest_s }) => ({ kind, workspaces: items, lag_s: oldest_s ?? 0 })),
    deliveries: {
      open: sumOf(deliveries, "open"),
      paused: sumOf(deliveries, "paused"),
      claimed: sumOf(deliveries, "claimed"),
      handed_over: sumOf(deliveries, "handed_over"),
      oldest_s: deliveries.find(({ state }) => state === "handed_over")?.oldest_s ?? null,
    },
    connections: sumOf(of("connections")),
  }
}
