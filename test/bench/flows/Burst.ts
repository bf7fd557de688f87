// A burst of changes: API calls move fifty thousand contacts to other cities while twenty flows are active. Nineteen flows are
// entered by one city each; the twentieth has all contacts as members and drops one city. Measured are the time until all have
// entered or been dropped, and the time of reading a contact meanwhile.
import { Flows } from "@tentpole/core/flows/Flows"
import type { FlowId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { activeFlow } from "../../support/Blast.ts"
import { pause, until } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import type { Sender, World } from "../World.ts"
import { comparison, figure, ratioAtMost, timeAtMost } from "../Report.ts"
import { spreadOf, timed } from "../Timing.ts"
import { lives, members, rest, standing } from "./Members.ts"

const flows_count = 20
/** Contacts of a call. */
const batch_max = 100
const callers = 2
const cityOf = (nth: number): string => `City ${nth % flows_count}`

export const burst = async (bench: Bench, world: World): Promise<void> => {
  const count = bench.quick ? 5_000 : 50_000
  const [changes, flows] = [count.toLocaleString("en-US"), flows_count]
  bench.report.say(`${changes} changes at once …`)
  const sender = await world.sender("burst", { contacts: count })
  const watching = await flowsOf(world, sender)
  const ids = await contactsOf(world, sender)
  const worker = await world.worker({ without: "mail" })
  const atRest = await readers(sender, ids, pause(5_000))
  const began = performance.now()
  const over = Promise.all([change(sender, ids), settled(world, watching, count)])
  const meanwhile = await readers(sender, ids, over)
  const [changed_ms, settled_ms] = await over
  await world.stop(worker)
  await world.inside.run(
    Effect.flatMap(Flows, (all) =>
      Effect.forEach([...watching.entered, watching.dropped], (id) => all.pause(sender.id, id)),
    ),
  )
  const [all_ms, last_ms] = [settled_ms - began, settled_ms - changed_ms]
  bench.report.section(`A burst of ${changes} changes of contacts, ${flows} active flows, one worker`, [
    figure(
      "until all have entered a flow, or been dropped from one",
      "ms",
      spreadOf([all_ms]),
      timeAtMost(30_000, all_ms),
    ),
    figure("of that, after the last of the changes was answered", "ms", spreadOf([last_ms])),
    comparison(
      "reading a contact meanwhile, beside at rest; of the p95",
      "ms",
      { reference: atRest, ours: meanwhile },
      (ratio) => [ratioAtMost(3, ratio)],
      "p95",
    ),
  ])
}

interface Watching {
  /** One flow for each city but the last, entered by its contacts. */
  readonly entered: ReadonlyArray<FlowId>
  /** All contacts wait in it; those of the last city are dropped. */
  readonly dropped: FlowId
}

const flowsOf = async (world: World, sender: Sender): Promise<Watching> => {
  const dropped = await activeFlow(world.deployment, sender.id, rest, {
    disqualification_rules: lives(cityOf(flows_count - 1)),
  })
  await members(world, sender, dropped, { until_ms: Date.now() + 364 * 86_400_000 })
  const entered: Array<FlowId> = []
  for (let nth = 0; nth < flows_count - 1; nth++) {
    const trigger = { type: "contact_updated", field: "city", operator: "equals", value: cityOf(nth) }
    entered.push(await activeFlow(world.deployment, sender.id, rest, { triggers: [trigger] }))
  }
  return { entered, dropped }
}

const contactsOf = async ({ inside }: World, { id }: Sender): Promise<ReadonlyArray<string>> => {
  const rows = await inside.asOwner<{ contact_id: string }>(
    "select contact_id from contact where workspace_id = $1::uuid order by contact_id",
    [id],
  )
  return rows.map(({ contact_id }) => contact_id)
}

/** Returns when the last call was answered. */
const change = async ({ call }: Sender, ids: ReadonlyArray<string>): Promise<number> => {
  let from = 0
  const caller = async (): Promise<void> => {
    while (from < ids.length) {
      const first = from
      from += batch_max
      const items = ids.slice(first, from).map((contact_id, at) => ({ contact_id, city: cityOf(first + at) }))
      await call("POST", "/v1/contacts/update", { items })
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return performance.now()
}

/** Returns when all contacts have entered or been dropped. */
const settled = async (world: World, { dropped, entered }: Watching, count: number): Promise<number> => {
  await until(
    "all contacts to have entered or been dropped",
    async () => {
      const all = await Promise.all(entered.map((flow) => standing(world, flow)))
      const inside = all.reduce((sum, { active, waiting }) => sum + active + waiting, 0)
      return inside + (await standing(world, dropped)).dropped === count
    },
    { within_ms: 300_000, every_ms: 250 },
  )
  return performance.now()
}

/** Reads one contact after the other, with pauses, until `over`; returns the times. */
const readers = async ({ call }: Sender, ids: ReadonlyArray<string>, over: Promise<unknown>) => {
  let isOver = false
  const ended = over.finally(() => (isOver = true))
  const times_ms: Array<number> = []
  for (let nth = 0; !isOver; nth++) {
    times_ms.push(await timed(() => call("GET", `/v1/contacts/${ids[(nth * 7919) % ids.length]}`)))
    await pause(20)
  }
  await ended
  return spreadOf(times_ms)
}
