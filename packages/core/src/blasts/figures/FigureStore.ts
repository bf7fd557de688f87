// The port to the figures of blasts and flows: sums that are written with the deliveries, so that no report reads deliveries.
import { Context, type DateTime, type Effect } from "effect"
import type { BlastId, FlowId, WorkspaceId } from "../../kernel/Ids.ts"
import type { BlockReason, FailureReason } from "../../sending/Delivery.ts"
import type { FigurePoint, Figures, Interval } from "../../sending/Figures.ts"

/** Domains in a report, by recipients descending. */
export const domains_max = 20
/** Domains in a progress, by queued recipients descending. */
export const waiting_max = 10
/** Groups in email analytics, by sent messages descending. */
export const groups_max = 20

export interface LinkFigures {
  /** The place of the link in the HTML, from 0. */
  readonly link: number
  /** People that clicked it. */
  readonly recipients: number
  readonly clicks: number
  readonly machineClicks: number
}

export interface DomainFigures extends Figures {
  /** `other`: all further domains. `unknown`: recipients without an address. */
  readonly domain: string
  readonly recipients: number
}

export interface ReasonFigures {
  readonly state: "failed" | "blocked"
  readonly reason: BlockReason | FailureReason
  readonly count: number
  /** A reply of a mail server. Null when there is none, or its delivery was deleted. */
  readonly sampleReply: string | null
}

export interface BlastFigures {
  /** By hour before `hourlyUntil`, then by day; ascending, without empty ones. */
  readonly points: ReadonlyArray<FigurePoint>
  /** Those with a click, by index. */
  readonly links: ReadonlyArray<LinkFigures>
  readonly domains: ReadonlyArray<DomainFigures>
  /** By state, then by count descending, then by reason. */
  readonly reasons: ReadonlyArray<ReasonFigures>
  readonly machineOpened: number
  readonly machineClicked: number
}

export interface QueueFigures {
  readonly waiting: ReadonlyArray<{ readonly domain: string; readonly count: number }>
  /** Slots of ten seconds with a sent message, from `since` on, ascending. */
  readonly slots: ReadonlyArray<{ readonly at: DateTime.Utc; readonly sent: number }>
  /** How long the workspace's messages have been due. 0 when they are not. */
  readonly overdue_ms: number
  readonly perSecond_max: number | null
  readonly perDomainPerSecond_max: number | null
}

/** `from` inclusive, `to` exclusive. */
export interface TimeRange {
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
}

export const groupings = ["none", "blast", "flow", "domain"] as const
export type Grouping = (typeof groupings)[number]

export interface FigureGroup {
  readonly key: BlastId | FlowId | string
  readonly name: string
  readonly totals: Figures
}

export class FigureStore extends Context.Service<
  FigureStore,
  {
    /** Of a blast that may not exist: all empty. */
    readonly ofBlast: (workspace: WorkspaceId, id: BlastId, hourlyUntil: DateTime.Utc) => Effect.Effect<BlastFigures>
    readonly ofQueue: (workspace: WorkspaceId, id: BlastId, since: DateTime.Utc) => Effect.Effect<QueueFigures>
    /** All messages of the workspace, of blasts and flows; ascending, without empty ones. Deleted blasts and flows don't count. */
    readonly ofTime: (
      workspace: WorkspaceId,
      range: TimeRange,
      interval: Interval,
    ) => Effect.Effect<ReadonlyArray<FigurePoint>>
    /** The range is in whole days where `by` is `domain`. Ties are ordered by key. */
    readonly groups: (
      workspace: WorkspaceId,
      range: TimeRange,
      by: Exclude<Grouping, "none">,
    ) => Effect.Effect<ReadonlyArray<FigureGroup>>
  }
>()("tentpole/FigureStore") {}
