// Processor time of an idle service: one worker and PostgreSQL, with ten workspaces and with two thousand, and of a round of
// maintenance. Each workspace has an active flow and a contact who waits in it.
import { recount } from "@tentpole/adapters/test/Recount"
import { Memberships } from "@tentpole/core/flows/Memberships"
import type { ContactId } from "@tentpole/core/kernel/Ids"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Maintenance } from "@tentpole/core/ports/Maintenance"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect } from "effect"
import { activeFlow } from "../../support/Blast.ts"
import { processorTime_ms } from "../../support/ProcessFacts.ts"
import { pause, until } from "../../support/Service.ts"
import type { Bench, Benchmark } from "../Benchmark.ts"
import { rest } from "../flows/Members.ts"
import { comparison, type Row } from "../Report.ts"
import { spreadOf } from "../Timing.ts"
import { World } from "../World.ts"

const few = 10
/** From the start of a worker until it is idle. */
const start_ms = 10_000

export const idle: Benchmark = async (bench) => {
  const many = bench.quick ? 200 : 2_000
  const idle_ms = bench.quick ? 5_000 : 20_000
  const world = await World.begin(bench)
  await grow(bench, world, 0, few)
  const small = await measured(world, idle_ms)
  await grow(bench, world, few, many)
  const large = await measured(world, idle_ms)
  const row = (what: string, part: keyof typeof small): Row =>
    comparison(what, "ms", { reference: spreadOf([small[part]]), ours: spreadOf([large[part]]) }, (ratio) => [
      { says: "≤ 1.2×, or 50 ms more", met: ratio <= 1.2 || large[part] - small[part] <= 50 },
    ])
  bench.report.section(
    `Processor time of a worker and PostgreSQL, ${many.toLocaleString("en-US")} workspaces beside ${few}`,
    [
      row("the first ten seconds of the worker", "start"),
      row(`${idle_ms / 1_000} idle seconds`, "idle"),
      row("a round of maintenance", "maintenance"),
      row("an idle hour: the same seconds, as often as it has them, and a round", "hour"),
    ],
    ["each workspace has an active flow with a contact who waits for a year"],
  )
}

const grow = async ({ report }: Bench, world: World, from: number, to: number): Promise<void> => {
  report.say(`${to.toLocaleString("en-US")} workspaces with an active flow …`)
  for (let nth = from; nth < to; nth++) await addWorkspace(world, `idle${nth}`)
  // The work that the activations have created.
  const worker = await world.worker({ without: "mail" })
  await until(
    "the workspaces to be idle",
    async () => {
      const due = await world.byHand("select 1 from due_work where kind like 'flow%' and due_at <= clock_timestamp()")
      return due.length < few ? true : undefined
    },
    { within_ms: 600_000 },
  )
  await pause(start_ms)
  await world.stop(worker)
  await world.inside.asOwner("vacuum analyze")
}

const addWorkspace = async (world: World, name: string): Promise<void> => {
  const { inside } = world
  const { id } = await inside.run(Effect.flatMap(Workspaces, (workspaces) => workspaces.create({ name })))
  await inside.asOwner("update workspace set plan = 'max' where workspace_id = $1::uuid", [id])
  const flow = await activeFlow(world.deployment, id, rest)
  const people = await inside.asOwner<{ readonly contact_id: ContactId }>(
    `insert into contact (workspace_id, contact_id, email, email_normalized, unsubscribed, marketing_email_invalid, created_at,
       updated_at)
     values ($1::uuid, uuid_v7(), 'ann@example.com', 'ann@example.com', false, false, now(), now())
     returning contact_id`,
    [id],
  )
  await inside.asOwner(recount, [id])
  await inside.run(
    Effect.flatMap(Memberships, (memberships) =>
      Effect.forEach(people, ({ contact_id }) => memberships.add(id, flow, contact_id, {})),
    ),
  )
}

/** In milliseconds. */
const measured = async (world: World, idle_ms: number) => {
  const database = () => world.databaseTime_ms()
  const before_ms = await database()
  const worker = await world.worker({ without: "mail" })
  const total = async () => (await database()) + ((await processorTime_ms(worker.pid)) ?? Number.NaN)
  await pause(start_ms)
  const started_ms = await total()
  await pause(idle_ms)
  const ended_ms = await total()
  await world.stop(worker)
  const start = started_ms - before_ms
  const idle = ended_ms - started_ms
  const maintenance = await maintenance_ms(world)
  return { start, idle, maintenance, hour: (idle * hour_ms) / idle_ms + maintenance }
}

const hour_ms = 3_600_000

/** As a worker runs it every hour, here in the process of the benchmark. */
const maintenance_ms = async (world: World): Promise<number> => {
  const round = Effect.flatMap(Effect.all([Maintenance, Settings]), ([{ run }, { retention }]) => run(retention))
  // The first round creates partitions.
  await world.inside.run(round)
  const before_ms = await world.databaseTime_ms()
  const before = process.cpuUsage()
  await world.inside.run(round)
  const { system, user } = process.cpuUsage(before)
  return (await world.databaseTime_ms()) - before_ms + (system + user) / 1_000
}
