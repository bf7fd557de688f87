// The flows of the benchmarks: their steps and waiting members.
import type { FlowId } from "@tentpole/core/kernel/Ids"
import { until } from "../../support/Service.ts"
import type { Sender, World } from "../World.ts"

const pause_ms = 86_400_000

export const lives = (city: string) => ({
  kind: "group",
  operator: "and",
  conditions: [{ kind: "condition", source: "contact", field: "city", operator: "equals", value: city }],
})

/** Waits a day, looks at the city, and sends a message to the contacts in Rome: to all of them. */
export const welcome = (email_id: string): ReadonlyArray<object> => [
  { type: "wait", step_id: "rest", duration_amount: 1, duration_unit: "days", next_step_id: "where" },
  { type: "condition_check", step_id: "where", condition: lives("Rome"), true_step_id: "hello" },
  { type: "send_email", step_id: "hello", email_id },
]

/** A flow that keeps its members waiting for a year. */
export const rest = [{ type: "wait", step_id: "rest", duration_amount: 12, duration_unit: "months" }]

/** Makes contacts of the workspace members who wait at the first step; all of them, unless `count` says how many. */
export const members = async (
  { inside }: World,
  { id }: Pick<Sender, "id">,
  flow: FlowId,
  { count, until_ms }: { readonly until_ms: number | null; readonly count?: number },
): Promise<void> => {
  const now_ms = Date.now()
  await inside.asOwner(
    `with added as (
     insert into flow_membership (workspace_id, membership_id, flow_id, contact_id, entry_source, tokens, state, status,
       step_id, due_at, sole, entered_at, updated_at)
     select $1::uuid, uuid_v7(), $2::uuid, contact_id, 'manual', '{"gift": "cake"}', jsonb_build_object('status', 'waiting',
         'visit', '{"stepId": "rest", "number": 1}'::jsonb, 'since', $3::bigint, 'until', $4::bigint),
       'waiting', 'rest', to_timestamp($4::bigint / 1000.0), false, to_timestamp($3::bigint / 1000.0),
       to_timestamp($3::bigint / 1000.0)
     from contact where workspace_id = $1::uuid limit $5::int
     returning entered_at),
     steps as (
       insert into flow_step_tally as t (workspace_id, flow_id, step_id, shard, members)
       select $1::uuid, $2::uuid, 'rest', 0, count(*) from added
       on conflict (workspace_id, flow_id, step_id, shard) do update set members = t.members + excluded.members)
     insert into flow_tally as t (workspace_id, flow_id, shard, waiting, last_entry_at)
     select $1::uuid, $2::uuid, 0, count(*), max(entered_at) from added
     on conflict (workspace_id, flow_id, shard) do update
       set waiting = t.waiting + excluded.waiting, last_entry_at = excluded.last_entry_at`,
    [id, flow, now_ms - pause_ms, until_ms, count ?? null],
  )
  await inside.asOwner("select hint_due('flows', $1::uuid, clock_timestamp())", [id])
  await inside.asOwner("vacuum (analyze) flow_membership")
}

/** How many members of a flow there are of each status. */
export const standing = async ({ inside }: World, flow: FlowId) => {
  const [row] = await inside.asOwner<{
    readonly active: number
    readonly waiting: number
    readonly completed: number
    readonly dropped: number
  }>(
    `select coalesce(sum(active), 0)::int as active, coalesce(sum(waiting), 0)::int as waiting,
       coalesce(sum(completed), 0)::int as completed, coalesce(sum(dropped), 0)::int as dropped
     from flow_tally where flow_id = $1::uuid`,
    [flow],
  )
  return row ?? { active: 0, waiting: 0, completed: 0, dropped: 0 }
}

export type Standing = Awaited<ReturnType<typeof standing>>

/** Waits until the condition holds; returns when, by `performance.now`. */
export const when = async (
  world: World,
  flow: FlowId,
  holds: (standing: Standing) => boolean,
  within_ms = 900_000,
): Promise<number> => {
  await until("members to move on", async () => holds(await standing(world, flow)), { within_ms, every_ms: 25 })
  return performance.now()
}
