// What flows are measured on: a workspace full of people, flows as a user writes them, and members who stand where a section
// wants them.
import { Flows } from "@tentpole/core/flows/Flows"
import { FlowId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { until } from "../../support/Service.ts"
import type { Sender, World } from "../blasts/World.ts"

export const pause_ms = 86_400_000

export const lives = (city: string) => ({
  kind: "group",
  operator: "and",
  conditions: [{ kind: "condition", source: "contact", field: "city", operator: "equals", value: city }],
})

/** A day's rest, a look at where they live, and a message to those of Rome: that is everybody. */
export const welcome = (email_id: string): ReadonlyArray<object> => [
  { type: "wait", step_id: "rest", duration_amount: 1, duration_unit: "days", next_step_id: "where" },
  { type: "condition_check", step_id: "where", condition: lives("Rome"), true_step_id: "hello" },
  { type: "send_email", step_id: "hello", email_id },
]

export const approvedEmail = async ({ call, name }: Pick<Sender, "call" | "name">): Promise<string> => {
  const { email_id } = await call("POST", "/v1/emails", {
    name: "Welcome",
    subject: "Hello {{contact.first_name|you}}",
    html: "<p>Hello {{contact.first_name}}, your gift is {{campaign.dynamic.gift|a cake}}</p>",
    from_name: "News",
    from_address: `news@${name}.test`,
    reply_to_email: `reply@${name}.test`,
  })
  await call("POST", `/v1/emails/${email_id}/approve`, {})
  return email_id
}

export const activeFlow = (
  { deployment }: Pick<World, "deployment">,
  { id }: Pick<Sender, "id">,
  steps: ReadonlyArray<object>,
  more: object = {},
): Promise<FlowId> =>
  deployment.inside.run(
    Effect.gen(function* () {
      const flows = yield* Flows
      const { flow } = yield* flows.create(id, { name: "Welcome", steps, ...more })
      yield* flows.activate(id, flow.id)
      return flow.id
    }),
  )

/** Everybody of the workspace, or so many, in the flow since so long ago; they rest at its first step, until then or for ever. */
export const members = async (
  { deployment }: World,
  { id }: Pick<Sender, "id">,
  flow: FlowId,
  { count, until_ms }: { readonly until_ms: number | null; readonly count?: number },
): Promise<void> => {
  const now_ms = Date.now()
  await deployment.inside.asOwner(
    `insert into flow_membership (workspace_id, membership_id, flow_id, contact_id, entry_source, tokens, state, status,
       step_id, due_at, sole, entered_at, updated_at)
     select $1::uuid, uuidv7_or_v4(), $2::uuid, contact_id, 'manual', '{"gift": "cake"}', jsonb_build_object('status', 'waiting',
         'visit', '{"stepId": "rest", "number": 1}'::jsonb, 'since', $3::bigint, 'until', $4::bigint),
       'waiting', 'rest', to_timestamp($4::bigint / 1000.0), false, to_timestamp($3::bigint / 1000.0),
       to_timestamp($3::bigint / 1000.0)
     from contact where workspace_id = $1::uuid limit $5::int`,
    [id, flow, now_ms - pause_ms, until_ms, count ?? null],
  )
  await deployment.inside.asOwner("vacuum (analyze) flow_membership")
}

/** How many members of a flow there are of each status. */
export const standing = async ({ deployment }: World, flow: FlowId) => {
  const [row] = await deployment.inside.asOwner<{
    readonly active: number
    readonly waiting: number
    readonly completed: number
    readonly dropped: number
    readonly failed: number
  }>(
    `select coalesce(sum(active), 0)::int as active, coalesce(sum(waiting), 0)::int as waiting,
       coalesce(sum(completed), 0)::int as completed, coalesce(sum(dropped), 0)::int as dropped,
       coalesce(sum(failed), 0)::int as failed
     from flow_tally where flow_id = $1::uuid`,
    [flow],
  )
  return row ?? { active: 0, waiting: 0, completed: 0, dropped: 0, failed: 0 }
}

export type Standing = Awaited<ReturnType<typeof standing>>

/** Waits until it holds; answers when that was, by the process's clock. */
export const when = async (
  world: World,
  flow: FlowId,
  holds: (standing: Standing) => boolean,
  within_ms = 900_000,
): Promise<number> => {
  await until("members to move on", async () => holds(await standing(world, flow)), { within_ms, every_ms: 25 })
  return performance.now()
}
