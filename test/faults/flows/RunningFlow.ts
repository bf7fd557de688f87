// RunningFlow: a flow that a campaign disturbs. Contacts enter it, time passes, and some contacts open their messages.
import { recount } from "@tentpole/adapters/test/Recount"
import { EngagementChange } from "@tentpole/core/tracking/Engagement"
import { EngagementStore } from "@tentpole/core/tracking/EngagementStore"
import { DeliveryId, type FlowId } from "@tentpole/core/kernel/Ids"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Data, DateTime, Effect } from "effect"
import { activeFlow, approvedEmail, letterFrom, sendingWorkspace } from "../../support/Blast.ts"
import type { OpenWorkspace } from "../../support/Inside.ts"
import { until } from "../../support/Service.ts"
import type { Dot } from "../../support/smtp/FakeSmtpProcess.ts"
import { cityOf, opens, stepsOf } from "./Week.ts"
import type { World } from "./World.ts"

/** The work that is left at this moment. */
interface Standing {
  readonly due: number
  readonly open: number
  readonly pending: number
  /** Until the next member is due; null: no member waits. */
  readonly next_ms: number | null
}

interface Parts {
  readonly world: World
  readonly workspace: OpenWorkspace
  readonly emailId: string
  readonly flowId: FlowId
  readonly count: number
  readonly domain: string
}

/** Contacts or openings of one transaction. */
const batch_max = 500

const patience = { within_ms: 120_000, every_ms: 50 }

export class RunningFlow extends Data.Class<Parts> {
  /** `count`: the contacts that will enter. */
  static async begin(world: World, name: string, count: number): Promise<RunningFlow> {
    const { deployment } = world
    const workspace = await sendingWorkspace(deployment, name)
    const domain = `${name}.test`
    const emailId = await approvedEmail(workspace.call, letterFrom(`news@${domain}`))
    const flowId = await activeFlow(deployment, workspace.id, stepsOf(emailId), {
      triggers: [{ type: "contact_created" }],
    })
    return new RunningFlow({ world, workspace, emailId, flowId, count, domain })
  }

  /** Creates the contacts in batches, each with the event that makes it enter. */
  async people(): Promise<void> {
    for (let from = 0; from < this.count; from += batch_max) {
      const nths = Array.from({ length: Math.min(batch_max, this.count - from) }, (_, at) => from + at)
      await this.world.deployment.inside.asOwner(
        `with people as (
           insert into contact (workspace_id, contact_id, email, email_normalized, city, city_folded, unsubscribed,
             marketing_email_invalid, created_at, updated_at)
           select $1::uuid, uuid_v7(), p.email, p.email, p.city, lower(p.city), false, false, now(), now()
           from unnest($2::text[], $3::text[]) as p (email, city)
           returning contact_id
         ), stream as (
           update outbox_stream set position = position + cardinality($2::text[]) where workspace_id = $1::uuid
           returning position
         ), events as (
           insert into outbox_event (workspace_id, position, type, contact_id, at, data)
           select $1::uuid, position + 1 - row_number() over (), 'contact_created', contact_id, clock_timestamp(), '{}'
           from people, stream
         )
         select hint_due('flow_events', $1::uuid, clock_timestamp())`,
        [this.workspace.id, nths.map((nth) => `person${nth}@${this.domain}`), nths.map(cityOf)],
      )
    }
    await this.world.deployment.inside.asOwner(recount, [this.workspace.id])
  }

  async standing(): Promise<Standing> {
    const [row] = await this.world.deployment.inside.asOwner<Standing>(
      `with clock as materialized (select clock_timestamp() as now)
       select
         (select count(*) from flow_membership, clock where workspace_id = $1::uuid and due_at <= now)::int as due,
         (select count(*) from delivery
          where workspace_id = $1::uuid and state in ('queued', 'claimed', 'handed_over'))::int as open,
         (select count(*) from outbox_event e where e.workspace_id = $1::uuid and not exists (
            select from outbox_consumer c where c.workspace_id = $1::uuid and c.consumer = 'flows'
              and c.position >= e.position))::int as pending,
         (select extract(epoch from min(due_at) - now)::float8 * 1000 from flow_membership, clock
          where workspace_id = $1::uuid group by now) as next_ms`,
      [this.workspace.id],
    )
    return row ?? { due: 0, open: 0, pending: 0, next_ms: null }
  }

  async isBusy(): Promise<boolean> {
    const { due, open, pending } = await this.standing()
    return due + open + pending > 0
  }

  /** Waits until no work is left at this moment. */
  async quiet(): Promise<void> {
    await until("the members to come to rest", async () => !(await this.isBusy()), patience).catch(
      async (error: unknown) => {
        throw new Error(`${String(error)}: ${JSON.stringify(await this.standing())}`)
      },
    )
  }

  /** Opens every message that its recipient opens. */
  async openMail(): Promise<void> {
    const { clock, deployment } = this.world
    const unopened = await deployment.inside.asOwner<{
      readonly delivery_id: string
      readonly email: string
      readonly step_id: string
      readonly visit: number
    }>(
      `select delivery_id, email, step_id, visit from delivery
        where workspace_id = $1::uuid and state = 'sent' and opened_at is null order by delivery_id`,
      [this.workspace.id],
    )
    const opened = unopened
      .filter(({ email, step_id, visit }) => opens(Number(/\d+/.exec(email)?.[0]), step_id, visit))
      .map(({ delivery_id }) => DeliveryId.make(delivery_id))
    const { id } = this.workspace
    const at = DateTime.makeUnsafe(clock.now_ms)
    for (let from = 0; from < opened.length; from += batch_max) {
      const ids = opened.slice(from, from + batch_max)
      await deployment.inside.run(
        Effect.gen(function* () {
          const engagement = yield* EngagementStore
          const { transact } = yield* Transactor
          const happenings = ids.map((deliveryId) => ({ deliveryId, event: { _tag: "opened" as const }, at }))
          const locked = engagement.lock(id, ids)
          const change = Effect.map(locked, (found) => EngagementChange.ofAll(found, happenings))
          yield* transact(Effect.flatMap(change, (each) => engagement.apply(id, each)))
        }),
      )
    }
  }

  dots(): Promise<ReadonlyArray<Dot>> {
    return this.world.sink.dots(this.domain)
  }
}
