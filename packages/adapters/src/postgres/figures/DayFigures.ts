// Writes the figures by day. A transaction writes one shard of each count, so that processes rarely wait for each other.
import type { PgClient } from "@effect/sql-pg"
import type { DayCount } from "@tentpole/core/figures/DayFigures"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { ints, texts } from "../kernel/Arrays.ts"
import { counterShard } from "../kernel/Postgres.ts"

/** A statement that adds counts, or a part of a WITH. It runs in the caller's fence. */
export const addDayCounts = (sql: PgClient.PgClient, workspace: WorkspaceId, counts: ReadonlyArray<DayCount>) =>
  Effect.map(
    counterShard(16),
    (shard) => sql`
      insert into figure_day as f (workspace_id, day, figure, detail, shard, count)
      select ${workspace}::uuid, g.day, g.figure, g.detail, ${shard}::smallint, g.count
      from unnest(${texts(counts.map(({ day }) => day))}::date[], ${texts(counts.map(({ figure }) => figure))}::text[],
        ${texts(counts.map(({ detail }) => detail))}::text[], ${ints(counts.map(({ count }) => count))}::int[])
        as g (day, figure, detail, count)
      on conflict (workspace_id, day, figure, detail, shard) do update set count = f.count + excluded.count`,
  )
