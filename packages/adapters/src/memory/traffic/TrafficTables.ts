// The memory tables of page views: daily sums of tents and workspaces, visitors, and single page views.
import type { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Day, Dimension } from "@tentpole/core/traffic/Analytics"
import type { PageView } from "@tentpole/core/traffic/TrafficStore"
import { Effect } from "effect"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"

/** A day of a tent, or of the whole workspace (null). */
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

/** Deletes the page views of a tent. The sums of the workspace stay. */
export const deleteViews = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, tent: TentId) {
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
