// A blast that a campaign disturbs, and how to look at it.
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { BlastId } from "@tentpole/core/kernel/Ids"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect } from "effect"
import type { Inside, OpenWorkspace } from "../../support/Inside.ts"
import { until } from "../../support/Service.ts"
import { type Circumstances, type DeliveryRow, judge, type Judged, rowsOf } from "./Judge.ts"
import type { Dot } from "./Sink.ts"
import { bounds } from "./Times.ts"
import type { World } from "./World.ts"

const emailFrom = (address: string) => ({
  source: "inline",
  subject: "News for {{contact.first_name}}",
  from_name: "News",
  from_address: address,
  reply_to_email: address,
  html: '<html><body><p>Hello {{contact.first_name}}</p><a href="https://example.com/?a=1&amp;b=2">Read</a></body></html>',
})

/** People with these addresses, all of them members of a list. */
const addPeople = async (inside: Inside, workspace: string, list: string, addresses: ReadonlyArray<string>) => {
  await inside.asOwner(
    `with people as (
       insert into contact (workspace_id, contact_id, email, email_normalized, first_name, first_name_folded, unsubscribed,
         marketing_email_invalid, created_at, updated_at)
       select $1::uuid, uuidv7_or_v4(), address, address, 'Ann', 'ann', false, false, now(), now()
       from unnest($3::text[]) as address
       returning contact_id
     )
     insert into list_member (workspace_id, list_id, contact_id, added_at)
     select $1::uuid, $2::uuid, contact_id, now() from people`,
    [workspace, list, addresses],
  )
}

export class RunningBlast {
  readonly id: string
  readonly workspace: OpenWorkspace
  readonly domain: string
  readonly #world: World
  readonly #count: number

  private constructor(world: World, workspace: OpenWorkspace, id: string, domain: string, count: number) {
    this.#world = world
    this.workspace = workspace
    this.id = id
    this.domain = domain
    this.#count = count
  }

  static async launch(world: World, names: ReadonlyArray<string>, domain: string): Promise<RunningBlast> {
    const { inside } = world.deployment
    const workspace = await inside.workspace(world.deployment, domain)
    const { call, id } = workspace
    // The free plan sends a hundred a day.
    await inside.asOwner("update workspace set plan = 'max' where workspace_id = $1::uuid", [id])
    await inside.run(
      Effect.gen(function* () {
        const workspaces = yield* Workspaces
        const added = yield* workspaces.addDomain(id, domain)
        yield* workspaces.verifyDomain(id, added.domain.id)
      }),
    )
    const list = await call("POST", "/v1/contact-lists", { name: "People", kind: "static" })
    await addPeople(
      inside,
      id,
      list.list_id,
      names.map((name) => `${name}@${domain}`),
    )
    const { blast_id } = await call("POST", "/v1/email-blasts", { name: "Disturbed" })
    await call("PUT", `/v1/email-blasts/${blast_id}/audience`, { source: "existing", list_id: list.list_id })
    const written = await call("PUT", `/v1/email-blasts/${blast_id}/email`, emailFrom(`news@${domain}`))
    await call("POST", `/v1/emails/${written.email.email_id}/approve`, {})
    await call("POST", `/v1/email-blasts/${blast_id}/send-now`, {})
    return new RunningBlast(world, workspace, blast_id, domain, names.length)
  }

  /** As the job does that its launch has left. */
  async fixAudience(): Promise<void> {
    await this.#world.deployment.inside.run(
      Effect.flatMap(Deliveries, (deliveries) => deliveries.fixAudience(this.workspace.id, BlastId.make(this.id))),
    )
  }

  /** `pause`, `resume` or `cancel`. */
  async turn(verb: string): Promise<void> {
    await this.workspace.call("POST", `/v1/email-blasts/${this.id}/${verb}`)
  }

  rows(): Promise<ReadonlyArray<DeliveryRow>> {
    return rowsOf(this.#world.deployment.inside, this.id)
  }

  /** How many deliveries are in each state. */
  async states(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.#world.deployment.inside.asOwner<{ state: string; count: number }>(
      "select state, count(*)::int as count from delivery where blast_id = $1::uuid group by state",
      [this.id],
    )
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
  }

  dots(): Promise<ReadonlyArray<Dot>> {
    return this.#world.sink.dots(this.domain)
  }

  /** The last contact that its audience has come to; null before the first slice, and when all of it is written. */
  async reached(): Promise<string | null> {
    const [row] = await this.#world.deployment.inside.asOwner<{ through: string | null }>(
      "select audience_through as through from blast where blast_id = $1::uuid",
      [this.id],
    )
    return row?.through ?? null
  }

  async status(): Promise<string> {
    const [row] = await this.#world.deployment.inside.asOwner<{ status: string }>(
      "select status from blast where blast_id = $1::uuid",
      [this.id],
    )
    return row?.status ?? "gone"
  }

  /** Whoever waits for another try is due at once, as half a minute to an hour later. */
  async hurry(): Promise<void> {
    const { inside } = this.#world.deployment
    const moved = await inside.asOwner(
      `update delivery set due_at = clock_timestamp()
        where blast_id = $1::uuid and state = 'queued' and due_at > clock_timestamp() returning 1`,
      [this.id],
    )
    if (moved.length === 0) return
    await inside.asOwner(
      "update due_work set due_at = clock_timestamp() where kind = 'deliveries' and workspace_id = $1::uuid",
      [this.workspace.id],
    )
  }

  /** Waits until it is over, hurrying; says what is open when it does not come to that (I11). */
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

  /** As if the mail server had told this. */
  judgedBy(dots: ReadonlyArray<Dot>, circumstances: Partial<Circumstances> = {}): Promise<Judged> {
    const all = { ...bounds, deaths: 0, cuts: 0, status: "sent", ...circumstances } as const
    return judge(this.#world.deployment.inside, { id: this.id, expected_count: this.#count }, dots, all)
  }
}
