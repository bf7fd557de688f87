// What memory keeps of page views: sums by days, of tents and of the workspace, who came, and single views to be shown.
import type { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Day, Dimension } from "@tentpole/core/traffic/Analytics"
import type { PageView } from "@tentpole/core/traffic/TrafficStore"
import { Effect } from "effect"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"

/** A day of a tent, or (null) of the whole workspace. */
export interface Place {
  readonly tentId: TentId | null
  readonly day: Day
}

export interface SumRow extends Place {
  readonly dimension: "all" | "visits" | Dimension
  readonly value: string
  readonly views: number
}

export interface VisitorRow extends Place {
  readonly visitor: string
}

export const sums = table<SumRow>("page_view_day")
export const visitors = table<VisitorRow>("page_visitor_day")
export const singles = table<PageView>("page_view")
export const batches = table<true>("traffic_batch")

export const keyOfSum = ({ tentId, day, dimension, value }: Omit<SumRow, "views">): string =>
  `${tentId}/${day}/${dimension}/${value}`
export const keyOfVisitor = ({ tentId, day, visitor }: VisitorRow): string => `${tentId}/${day}/${visitor}`

/** What was seen of a tent goes with it; the workspace's sums stay. */
export const forgetViews = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, tent: TentId) {
  for (const row of yield* db.all(sums, workspace)) {
    if (row.tentId === tent) yield* db.remove(sums, workspace, keyOfSum(row))
  }
  for (const row of yield* db.all(visitors, workspace)) {
    if (row.tentId === tent) yield* db.remove(visitors, workspace, keyOfVisitor(row))
  }
  for (const view of yield* db.all(singles, workspace)) {
    if (view.tentId === tent) yield* db.remove(singles, workspace, view.id)
  }
})
