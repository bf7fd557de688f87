// Scenarios in which users unsubscribe, pause, resume and cancel at the worst moment.
import { pause, until } from "../../support/Service.ts"
import { Effect } from "effect"
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { type Scenario, unless } from "../Campaign.ts"
import { Gate } from "../Gate.ts"
import type { RunningBlast } from "./RunningBlast.ts"
import { bounds } from "./Times.ts"
import type { World } from "./World.ts"

const unsubscribed: Scenario<World> = {
  name: "people unsubscribe between the claim and the intent",
  run: async ({ say }, world) => {
    const blast = await world.blast(60)
    const worker = await world.worker({ gate: "before-intent" })
    const leaving = Array.from({ length: 20 }, (_, at) => `person${at * 3}@${blast.domain}`)
    await blast.workspace.call("POST", "/v1/contacts/upsert", {
      items: leaving.map((email) => ({ email, unsubscribed: true })),
    })
    await worker.openGate()
    await blast.ended()
    const judged = await blast.verdict(say)
    const unsubscribed = new Set(leaving)
    const mailed = (await blast.dots())
      .filter(({ to }) => unsubscribed.has(to))
      .map(({ to }) => `${to} was mailed afterwards (I9)`)
    const rows = (await blast.rows()).filter(({ email }) => unsubscribed.has(email))
    const others = rows
      .filter(({ reason }) => reason !== "unsubscribed")
      .map(({ email, reason }) => `${email} ended with ${reason}`)
    return [...judged.found, ...mailed, ...others]
  },
}

/** Violations of a pause or a cancel: intents and messages after it was answered. */
const lateDots = async (world: World, blast: RunningBlast, answered_at_ms: number): Promise<ReadonlyArray<string>> => {
  const late = await world.deployment.inside.asOwner(
    `select 1 from delivery_history where blast_id = $1::uuid and became = 'handed_over' and was <> 'handed_over'
      and at > to_timestamp($2::float8 / 1000)`,
    [blast.id, answered_at_ms],
  )
  const dots = (await blast.dots()).filter(({ at_ms }) => at_ms > answered_at_ms)
  return [
    ...unless(late.length === 0, `${late.length} intents were committed afterwards (I8)`),
    ...unless(dots.length <= bounds.connections, `${dots.length} dots came afterwards (I8)`),
  ]
}

const heldRow: Scenario<World> = {
  name: "a pause that commits while a batch of intents waits for a row",
  run: async ({ say }, world) => {
    const { inside } = world.deployment
    const blast = await world.blast(60)
    const gate = await Gate.close(inside, { table: "delivery_queue", condition: "new.state = 'handed_over'" })
    await world.worker()
    await gate.reached()
    const pausing = blast.turn("pause")
    await pause(300)
    const [early] = await inside.asOwner<{ paused: boolean }>("select paused from blast where blast_id = $1::uuid", [
      blast.id,
    ])
    await gate.open()
    await pausing
    const at_ms = Date.now()
    await pause(1_000)
    const late = await lateDots(world, blast, at_ms)
    await blast.turn("resume")
    await blast.ended()
    const judged = await blast.verdict(say)
    return [...judged.found, ...late, ...unless(early?.paused !== true, "the pause did not wait for the batch")]
  },
}

const turns: Scenario<World> = {
  name: "pause, resume and at last cancel in a tight loop",
  run: async ({ dice, quick, say }, world) => {
    const blast = await world.blast(800)
    await world.worker()
    await world.worker()
    await until("some to be sent", async () => (await blast.dots()).length > 20, { every_ms: 5 })
    const found: Array<string> = []
    for (let turn = 0; turn < (quick ? 3 : 10); turn++) {
      await blast.turn("pause")
      const at_ms = Date.now()
      await pause(dice.between(0, 60))
      found.push(...(await lateDots(world, blast, at_ms)))
      await blast.turn("resume")
      await pause(dice.between(0, 60))
    }
    await blast.turn("cancel")
    const at_ms = Date.now()
    const isOver = async () => !Object.keys(await blast.states()).some((state) => /queued|claimed|handed/.test(state))
    await until("all recipients to be at their end", isOver)
    const judged = await blast.verdict(say, { status: "cancelled" })
    found.push(...(await lateDots(world, blast, at_ms)), ...judged.found)
    return [...found, ...unless(judged.blocked > 0, "everything had been sent before the cancel: nothing was tried")]
  },
}

const sweepers: Scenario<World> = {
  name: "eight sweepers, eight builders of the audience and four workers at once",
  run: async ({ say }, world) => {
    const blast = await world.blast(200)
    const first = await world.worker({ gate: "before-intent" })
    await first.process.kill()
    await pause(2_600)
    const swept = await world.deployment.inside.run(
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const { transact } = yield* Transactor
        const eight = Array.from({ length: 8 }, (_, at) => at)
        return yield* Effect.forEach(eight, () => transact(store.sweep(blast.workspace.id)), { concurrency: 8 })
      }),
    )
    const [row] = await world.deployment.inside.asOwner<{ lapsed: number }>(
      "select count(*)::int as lapsed from delivery_history where blast_id = $1::uuid and was = 'claimed' and became = 'queued'",
      [blast.id],
    )
    const ended = swept.reduce((sum, { queued }) => sum + queued, 0)
    await Promise.all(Array.from({ length: 4 }, () => world.worker()))
    await Promise.all(Array.from({ length: 8 }, () => blast.fixAudience()))
    await blast.ended()
    const judged = await blast.verdict(say, { deaths: 1 }, `${ended} leases ended`)
    const isEqual = ended === row?.lapsed && ended > 0
    return [...judged.found, ...unless(isEqual, `${ended} leases were ended, ${row?.lapsed} rows moved`)]
  },
}

const second: Scenario<World> = {
  name: "a second delivery for a person or an address is refused by the database itself (I7)",
  run: async (_, world) => {
    const blast = await world.blast(3)
    /** The id of a delivery follows from its blast and its contact. */
    const copied = (id: string, contact: string, email: string) =>
      world.deployment.inside
        .asOwner(
          `insert into delivery (workspace_id, delivery_id, blast_id, contact_id, approval_id, email, email_normalized, operational,
            state, created_at)
            select workspace_id, ${id}, blast_id, ${contact}, approval_id, ${email}, ${email}, operational, 'queued', now()
            from delivery where blast_id = $1::uuid limit 1`,
          [blast.id],
        )
        .then(
          () => "no",
          (error: unknown) => String(error instanceof Error ? (error.cause ?? error) : error),
        )
    const person = await copied("delivery_id", "contact_id", "'other@else.test'")
    const address = await copied("uuid_v7()", "uuid_v7()", "email")
    return [
      ...unless(/unique|duplicate/i.test(person), `a person got a second delivery: ${person}`),
      ...unless(/unique|duplicate/i.test(address), `an address got a second delivery: ${address}`),
    ]
  },
}

export const interventions: ReadonlyArray<Scenario<World>> = [unsubscribed, heldRow, turns, sweepers, second]
