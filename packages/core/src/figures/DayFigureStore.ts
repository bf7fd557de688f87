// The port to the figures by day.
import { Context, type Effect } from "effect"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { Day } from "../traffic/Analytics.ts"
import type { DayCount, DayFigure } from "./DayFigures.ts"

/** All of it is of one moment. */
export interface StoredFigures {
  /** Ascending by day, figure and detail. */
  readonly counts: ReadonlyArray<DayCount>
  /** Contacts of the workspace. */
  readonly contacts: number
  /** Credits that the workspace has left. */
  readonly credits: number
}

export class DayFigureStore extends Context.Service<
  DayFigureStore,
  {
    /** The counts of these figures from a day on, without end. `detail`: those with this detail; default: all. */
    readonly from: (
      workspace: WorkspaceId,
      first: Day,
      figures: ReadonlyArray<DayFigure>,
      detail?: string,
    ) => Effect.Effect<StoredFigures>
  }
>()("tentpole/DayFigureStore") {}
