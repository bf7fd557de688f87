// RunningBlast: a blast that a campaign disturbs.
import { recount } from "@tentpole/adapters/test/Recount"
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { BlastId } from "@tentpole/core/kernel/Ids"
import { Data, Effect } from "effect"
import type { Inside, OpenWorkspace } from "../../support/Inside.ts"
import { until } from "../../support/Service.ts"
import { type Circumstances, type DeliveryRow, judge, type Judged, rowsOf } from "./Judge.ts"
import { letterFrom, sendingWorkspace, startBlast } from "../../support/Blast.ts"
import type { Dot } from "../../support/smtp/FakeSmtpProcess.ts"
import type { Trial } from "../Campaign.ts"
import { bounds } from "./Times.ts"
import type { World } from "./World.ts"

/** Creates contacts with these addresses as members of the list. */
const addPeople = async (inside: Inside, workspace: string, list: string, addresses: ReadonlyArray<string>) => {
  await inside.asOwner(
    `with people as (
       insert into contact (workspace_id, contact_id, email, email_normalized, first_name, first_name_folded, unsubscribed,
         marketing_email_invalid, created_at, updated_at)
       select $1::uuid, uuid_v7(), address, address, 'Ann', 'ann', false, false, now(), now()
       from unnest($3::text[]) as address
       returning contact_id
     )
     insert into list_member (workspace_id, list_id, contact_id, added_at)
     select $1::uuid, $2::uuid, contact_id, now() from people`,
    [workspace, list, addresses],
  )
  await inside.asOwner(recount, [workspace])
}

interface Parts {
  readonly world: World
  readonly workspace: OpenWorkspace
  readonly id: string
  readonly domain: string
  readonly count: number
}

export class RunningBlast extends Data.Class<Parts> {
  static async launch(world: World, names: ReadonlyArray<string>, domain: string): Promise<RunningBlast> {
    const { inside } = world.deployment
    const workspace = await sendingWorkspace(world.deployment, domain, domain)
    const { call, id } = workspace
    // Events are written for a consumer only, and the audit checks them.
    await inside.asOwner("select outbox_subscribe($1::uuid, 'test')", [id])
    const list = await call("POST", "/v1/contact-lists", { name: "People", kind: "static" })
    await addPeople(
      inside,
      id,
      list.list_id,
      names.map((name) => `${name}@${domain}`),
    )
    const blastId = await startBlast(call, list.list_id, letterFrom(`news@${domain}`))
    return new RunningBlast({ world, workspace, id: blastId, domain, count: names.length })
  }

  /** Runs the launch job. */
  async fixAudience(): Promise<void> {
    await this.world.deployment.inside.run(
      Effect.flatMap(Deliveries, (deliveries) => deliveries.fixAudience(this.workspace.id, BlastId.make(this.id))),
    )
  }

  /** `pause`, `resume` or `cancel`. */
  async turn(verb: string): Promise<void> {
    await this.workspace.call("POST", `/v1/email-blasts/${this.id}/${verb}`)
  }

  rows(): Promise<ReadonlyArray<DeliveryRow>> {
    return rowsOf(this.world.deployment.inside, this.id)
  }

  /** The number of deliveries in each state. */
  async states(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.world.deployment.inside.asOwner<{ state: string; count: number }>(
      `select coalesce(q.state, d.state) as state, count(*)::int as count
        from delivery d left join delivery_queue q using (workspace_id, delivery_id)
        where d.blast_id = $1::uuid group by 1`,
      [this.id],
    )
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
  }

  dots(): Promise<ReadonlyArray<Dot>> {
    return this.world.sink.dots(this.domain)
  }

  /** The last contact of the audience so far; null before the first slice and after the last one. */
  async reached(): Promise<string | null> {
    const [row] = await this.world.deployment.inside.asOwner<{ through: string | null }>(
      "select audience_through as through from blast where blast_id = $1::uuid",
      [this.id],
    )
    return row?.through ?? null
  }

  async status(): Promise<string> {
    const [row] = await this.world.deployment.inside.asOwner<{ status: string }>(
      "select status from blast where workspace_id = $2::uuid and blast_id = $1::uuid",
      [this.id, this.workspace.id],
    )
    return row?.status ?? "deleted"
  }

  /** Makes all retries due now, as they would be within an hour. */
  async hurry(): Promise<void> {
    const { inside } = this.world.deployment
    const moved = await inside.asOwner(
      `update delivery_queue set due_at = now()
        where workspace_id = $2::uuid and blast_id = $1::uuid and state = 'queued' and due_at > now() returning 1`,
      [this.id, this.workspace.id],
    )
    if (moved.length === 0) return
    await inside.asOwner("update due_work set due_at = now() where kind = 'deliveries' and workspace_id = $1::uuid", [
      this.workspace.id,
    ])
  }

  /** Waits until the blast has ended, and hurries retries; the error names the open states (I11). */
  async ended(within_ms = 120_000): Promise<void> {
    await until(
      "the blast to end",
      async () => {
        await this.hurry()
        return (await this.status()) !== "sending"
      },
      { within_ms, every_ms: 50 },
    ).catch(async (error: unknown) => {
      throw new Error(`${String(error)} (I11): ${JSON.stringify(await this.states())}`)
    })
  }

  async judged(circumstances: Partial<Circumstances> = {}): Promise<Judged> {
    return this.judgedBy(await this.dots(), circumstances)
  }

  /** Checks the invariants and prints the result in a line. */
  async verdict(say: Trial["say"], circumstances: Partial<Circumstances> = {}, more = ""): Promise<Judged> {
    const judged = await this.judged(circumstances)
    const { blocked, failed, sent, unconfirmed } = judged
    const counts = [
      ...(sent > 0 ? [`${sent} sent`] : []),
      ...(blocked > 0 ? [`${blocked} blocked`] : []),
      `${unconfirmed} unconfirmed`,
      ...Object.entries(failed).map(([reason, count]) => `${count} ${reason}`),
    ]
    say(`  ${[...counts, more].filter(Boolean).join(", ")}`)
    return judged
  }

  /** Adds an entry to the log of the mail server. */
  judgedBy(dots: ReadonlyArray<Dot>, circumstances: Partial<Circumstances> = {}): Promise<Judged> {
    const { hasHistory } = this.world
    const all = { ...bounds, hasHistory, deaths: 0, cuts: 0, status: "sent", ...circumstances } as const
    return judge(this.world.deployment.inside, { id: this.id, expected_count: this.count }, dots, all)
  }
}
