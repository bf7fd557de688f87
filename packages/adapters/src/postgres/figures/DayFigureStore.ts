// `DayFigureStore` on PostgreSQL.
import type { PgClient } from "@effect/sql-pg"
import type { DayFigure } from "@tentpole/core/figures/DayFigures"
import { DayFigureStore, type StoredFigures } from "@tentpole/core/figures/DayFigureStore"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Day } from "@tentpole/core/traffic/Analytics"
import { Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { storeLayer } from "../StoreLayer.ts"

/** One statement, so that sums and present numbers are of the same snapshot. */
const countsFrom = (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  first: Day,
  figures: ReadonlyArray<DayFigure>,
  detail?: string,
) =>
  Effect.map(
    sql<StoredFigures>`
      select (
          select coalesce(jsonb_agg(jsonb_build_object('day', g.day, 'figure', g.figure, 'detail', g.detail, 'count', g.count)
            order by g.day, g.figure collate "C", g.detail), '[]')
          from (
            select f.day, f.figure, f.detail, sum(f.count)::int as count from figure_day f
            where f.workspace_id = ${workspace} and f.day >= ${first}::date and f.figure = any(${texts(figures)}::text[])
              ${detail === undefined ? sql`` : sql`and f.detail = ${detail}`}
            group by 1, 2, 3
          ) as g
        ) as counts,
        (select coalesce(sum(t.contacts), 0)::int from contact_tally t where t.workspace_id = ${workspace}) as contacts,
        (select coalesce(sum(w.credits), 0)::int from workspace w where w.workspace_id = ${workspace}) as credits`,
    ([row]): StoredFigures => row ?? { counts: [], contacts: 0, credits: 0 },
  )

export const layer = storeLayer(DayFigureStore, ({ quick }) => ({
  from: (workspace, first, figures, detail) =>
    quick.read(workspace, (sql) => countsFrom(sql, workspace, first, figures, detail)),
}))
