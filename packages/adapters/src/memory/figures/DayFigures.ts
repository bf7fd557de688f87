// Writes the figures by day in memory.
import type { DayCount } from "@tentpole/core/figures/DayFigures"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"

/** By day, figure and detail. */
export const dayCounts = table<DayCount>("figure_day")

/** Adds counts in the caller's transaction. */
export const addDayCounts = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  counts: ReadonlyArray<DayCount>,
) {
  for (const each of counts) {
    const key = `${each.day} ${each.figure} ${each.detail}`
    const known = yield* db.find(dayCounts, workspace, key)
    yield* db.put(dayCounts, workspace, key, { ...each, count: each.count + (known?.count ?? 0) })
  }
})
