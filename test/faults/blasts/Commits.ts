// Commits whose answer never comes, so that the worker cannot know the outcome. Without an intent's answer nothing is sent; a
// settlement is repeated until it is known to be written, and counts once.
import { pause } from "../../support/Service.ts"
import { type Scenario, unless } from "../Campaign.ts"
import { Gate, type Waiting } from "../Gate.ts"
import type { World } from "./World.ts"

interface Fate {
  readonly name: string
  /** Acts on the sessions that wait in their COMMIT. */
  readonly befall: (world: World, waiting: ReadonlyArray<Waiting>, open: () => Promise<void>) => Promise<void>
}

const fates: ReadonlyArray<Fate> = [
  {
    name: "was committed, and the answer was lost",
    befall: async ({ toDatabase }, waiting, open) => {
      const deaf = waiting.map(({ port }) => toDatabase.deafen(port))
      await open()
      await pause(100)
      for (const each of deaf) each.cut()
    },
  },
  {
    name: "was not committed: its session was ended",
    befall: async ({ deployment }, waiting, open) => {
      for (const { pid } of waiting) await deployment.inside.asOwner("select pg_terminate_backend($1)", [pid])
      await open()
    },
  },
  {
    name: "is committed only after its worker has given the connection up",
    befall: async ({ toDatabase }, waiting, open) => {
      for (const { port } of waiting) toDatabase.deafen(port).cut()
      await pause(500)
      await open()
    },
  },
]

/** All messages must be sent: the worker is alive and finds out what was committed. */
const inDoubt = (what: "an intent" | "a settlement", { befall, name }: Fate): Scenario<World> => ({
  name: `${what} ${name}`,
  run: async ({ say }, world) => {
    const blast = await world.blast(60)
    const gate = await Gate.close(world.deployment.inside, {
      table: what === "an intent" ? "delivery_queue" : "delivery",
      condition: what === "an intent" ? "new.state = 'handed_over'" : "new.state = 'sent'",
      at: "commit",
    })
    const worker = await world.worker()
    await befall(world, await gate.reached(), () => gate.open())
    await blast.ended()
    const judged = await blast.verdict(say)
    return [
      ...judged.found,
      ...unless(worker.process.alive, "the worker did not survive it"),
      ...unless(judged.sent === 60, `${judged.sent} of 60 were sent`),
    ]
  },
})

const killedCounting: Scenario<World> = {
  name: "killed while the counters are written: they move with the rows or not at all",
  run: async ({ say }, world) => {
    const blast = await world.blast(60)
    const gate = await Gate.close(world.deployment.inside, {
      table: "delivery_tally",
      condition: "new.sent > 0",
      write: "insert",
    })
    const worker = await world.worker()
    const waiting = await gate.reached()
    await worker.process.kill()
    // The dead worker's session would continue otherwise.
    for (const { pid } of waiting) await world.deployment.inside.asOwner("select pg_terminate_backend($1)", [pid])
    await gate.open()
    await world.worker()
    await blast.ended()
    return (await blast.verdict(say, { deaths: 1 })).found
  },
}

export const commits: ReadonlyArray<Scenario<World>> = [
  ...fates.flatMap((fate) => [inDoubt("an intent", fate), inDoubt("a settlement", fate)]),
  killedCounting,
]
