// The store of figures by day in memory.
import type { DayCount } from "@tentpole/core/figures/DayFigures"
import { DayFigureStore } from "@tentpole/core/figures/DayFigureStore"
import { byCodePoint } from "@tentpole/core/kernel/Text"
import { Effect } from "effect"
import { contacts } from "../contacts/ContactTables.ts"
import { storeLayer } from "../kernel/MemoryDatabase.ts"
import { workspaces } from "../workspaces/WorkspaceStore.ts"
import { dayCounts } from "./DayFigures.ts"

const inOrder = (left: DayCount, right: DayCount) =>
  byCodePoint(left.day, right.day) || byCodePoint(left.figure, right.figure) || byCodePoint(left.detail, right.detail)

export const layer = storeLayer(DayFigureStore, (db) =>
  DayFigureStore.of({
    from: Effect.fnUntraced(function* (workspace, first, figures, detail) {
      const rows = yield* db.all(dayCounts, workspace)
      return {
        counts: rows
          .filter((each) => each.day >= first && figures.includes(each.figure))
          .filter((each) => detail === undefined || each.detail === detail)
          .sort(inOrder),
        contacts: (yield* db.all(contacts, workspace)).length,
        credits: (yield* db.find(workspaces, null, workspace))?.credits ?? 0,
      }
    }),
  }),
)
