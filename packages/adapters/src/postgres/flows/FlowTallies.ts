// The counters of flows, in shards: the transaction that changes memberships adds its moves to one shard.
import type { PgClient } from "@effect/sql-pg"
import { memberStatuses } from "@tentpole/core/flows/members/Membership"
import { type CountedChange, tallyMoves } from "@tentpole/core/flows/members/TallyMoves"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { ints, texts } from "../kernel/Arrays.ts"
import { iso } from "../kernel/Instants.ts"
import { counterShard } from "../kernel/Postgres.ts"

const sums = memberStatuses.map((status) => `${status} = t.${status} + excluded.${status}`).join(", ")

/** Writes in the order of flows and steps, so that two transactions on one shard wait for each other without a deadlock. */
export const moveTallies = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  changes: ReadonlyArray<CountedChange>,
) {
  const moves = tallyMoves(changes)
  const flows = [...moves.tallies].filter(
    ([, tally]) => tally.lastEntryAt !== null || memberStatuses.some((status) => tally[status] !== 0),
  )
  const steps = [...moves.steps].flatMap(([flow, members]) =>
    [...members].map(([step, count]) => ({ flow, step, count })),
  )
  if (flows.length + steps.length === 0) return
  const shard = yield* counterShard(16)
  yield* sql`
    with stepped as (
      insert into flow_step_tally as t (workspace_id, flow_id, step_id, shard, members)
      select ${workspace}, g.flow_id, g.step_id, ${shard}::smallint, g.members
      from unnest(${texts(steps.map(({ flow }) => flow))}::uuid[], ${texts(steps.map(({ step }) => step))}::text[],
        ${ints(steps.map(({ count }) => count))}::int[]) as g (flow_id, step_id, members)
      order by g.flow_id, g.step_id
      on conflict (workspace_id, flow_id, step_id, shard) do update set members = t.members + excluded.members)
    insert into flow_tally as t (workspace_id, flow_id, shard, ${sql.literal(memberStatuses.join(", "))}, last_entry_at)
    select ${workspace}, g.flow_id, ${shard}::smallint, ${sql.literal(memberStatuses.map((status) => `g.${status}`).join(", "))},
      g.last_entry_at
    from unnest(${texts(flows.map(([flow]) => flow))}::uuid[], ${sql.csv(
      memberStatuses.map((status) => sql`${ints(flows.map(([, tally]) => tally[status]))}::int[]`),
    )}, ${texts(flows.map(([, { lastEntryAt }]) => iso(lastEntryAt)))}::timestamptz[])
      as g (flow_id, ${sql.literal(memberStatuses.join(", "))}, last_entry_at)
    order by g.flow_id
    on conflict (workspace_id, flow_id, shard) do update
      set ${sql.literal(sums)}, last_entry_at = greatest(t.last_entry_at, excluded.last_entry_at)`
})
