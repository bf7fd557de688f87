// Shops: workspaces that send a blast each, in which contacts are created meanwhile, and whose events are read meanwhile.
import { Outbox } from "@tentpole/core/kernel/changes/Outbox"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Effect } from "effect"
import { letterFrom, sendingWorkspace, startBlast } from "../../support/Blast.ts"
import { pause } from "../../support/Service.ts"
import { RunningBlast } from "../blasts/RunningBlast.ts"
import type { World } from "../blasts/World.ts"
import { unless } from "../Campaign.ts"

const batch_max = 100
const events_max = 200
const consumer = "test"

export class Shop {
  readonly positions: Array<number> = []
  /** The contacts that events say were created. */
  readonly created: Array<string> = []

  readonly blast: RunningBlast

  constructor(blast: RunningBlast) {
    this.blast = blast
  }

  static async open(world: World, domain: string, count: number): Promise<Shop> {
    const workspace = await sendingWorkspace(world.deployment, domain, domain)
    const { call, id } = workspace
    await world.deployment.inside.asOwner("select outbox_subscribe($1::uuid, $2)", [id, consumer])
    const list = await call("POST", "/v1/contact-lists", { name: "People", kind: "static" })
    for (let first = 0; first < count; first += batch_max) {
      const items = Array.from({ length: Math.min(batch_max, count - first) }, (_, nth) => ({
        email: `person${first + nth}@${domain}`,
      }))
      await call("POST", "/v1/contacts", { items })
    }
    const people = await world.deployment.inside.asOwner<{ id: string }>(
      "select contact_id as id from contact where workspace_id = $1::uuid",
      [id],
    )
    await call("POST", `/v1/contact-lists/${list.list_id}/contacts`, { contact_ids: people.map((each) => each.id) })
    const blastId = await startBlast(call, list.list_id, letterFrom(`news@${domain}`))
    return new Shop(new RunningBlast({ world, workspace, id: blastId, domain, count }))
  }

  get workspace(): string {
    return this.blast.workspace.id
  }

  /** Reads the next events. Each is marked as read in a transaction of its own, as a consumer does. */
  async follow(): Promise<number> {
    const { world, workspace } = this.blast
    const events = await world.deployment.inside.run(
      Effect.gen(function* () {
        const outbox = yield* Outbox
        const found = yield* outbox.read(workspace.id, consumer, events_max)
        const last = found.at(-1)
        if (last !== undefined) {
          const { transact } = yield* Transactor
          yield* transact(outbox.advance(workspace.id, consumer, last.position))
        }
        return found
      }),
    )
    for (const { contactId, position, type } of events) {
      this.positions.push(Number(position))
      if (type === "contact_created" && contactId !== null) this.created.push(contactId)
    }
    return events.length
  }

  /** Reads all events, and returns how they differ from what the workspace has. */
  async eventFaults(): Promise<ReadonlyArray<string>> {
    while ((await this.follow()) > 0) {
      // More may follow.
    }
    const { domain, world } = this.blast
    const contacts = await world.deployment.inside.asOwner<{ id: string }>(
      "select contact_id as id from contact where workspace_id = $1::uuid",
      [this.workspace],
    )
    const [stream] = await world.deployment.inside.asOwner<{ position: number }>(
      "select position::int as position from outbox_stream where workspace_id = $1::uuid",
      [this.workspace],
    )
    const gaps = this.positions.filter((position, nth) => position !== nth + 1).length
    const known = new Set(this.created)
    const silent = contacts.filter(({ id }) => !known.has(id)).length
    return [
      ...unless(gaps === 0, `${domain}: ${gaps} events were skipped, repeated or out of order`),
      ...unless(
        this.positions.length === stream?.position,
        `${domain}: ${this.positions.length} of ${stream?.position} events were read`,
      ),
      ...unless(silent === 0, `${domain}: ${silent} contacts have no event`),
      ...unless(known.size === this.created.length, `${domain}: the creation of a contact has two events`),
    ]
  }
}

/** Creates contacts and reads events of all shops. Failures are counted: a node may be dead. */
export class Bustle {
  created = 0
  failures = 0
  #over = false
  readonly #shops: ReadonlyArray<Shop>

  constructor(shops: ReadonlyArray<Shop>) {
    this.#shops = shops
  }

  async during<A>(work: () => Promise<A>): Promise<A> {
    const going = this.#go()
    try {
      return await work()
    } finally {
      this.#over = true
      await going
    }
  }

  async #go(): Promise<void> {
    const failed = () => void this.failures++
    for (let nth = 1; !this.#over; nth++) {
      for (const shop of this.#shops) {
        if (this.#over) break
        const { domain, workspace } = shop.blast
        const items = [{ email: `visitor${nth}@${domain}` }]
        await workspace.call("POST", "/v1/contacts", { items }).then(() => void this.created++, failed)
        await shop.follow().catch(failed)
      }
      await pause(20)
    }
  }
}
