// A burst of changes: fifty thousand contacts are moved to other cities by calls of the API while twenty flows watch. Nineteen wait
// for a city each; in the twentieth everybody rests, and one city is dropped from it. How long until all of them are where they
// belong, and what somebody waits for who reads a contact meanwhile.
import { Flows } from "@tentpole/core/flows/Flows"
import type { FlowId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { pause, until } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import type { Sender, World } from "../blasts/World.ts"
import { ratioAtMost, timeAtMost } from "../Report.ts"
import { spreadOf, timed } from "../Timing.ts"
import { activeFlow, lives, members, standing } from "./Ground.ts"

const flows_count = 20
/** What a call takes. */
const batch_max = 100
const callers = 2
/** Nobody comes to the end of it. */
const rest = [{ type: "wait", step_id: "rest", duration_amount: 12, duration_unit: "months" }]
const cityOf = (nth: number): string => `City ${nth % flows_count}`

export const burst = async (bench: Bench, world: World): Promise<void> => {
  const count = bench.quick ? 5_000 : 50_000
  const [changes, flows] = [count.toLocaleString("en-US"), flows_count]
  bench.report.say(`${changes} changes at once …`)
  const sender = await world.sender("burst", { contacts: count })
  const watching = await flowsOf(world, sender)
  const ids = await contactsOf(world, sender)
  const worker = await world.worker({ module: new URL("NullMailWorker.ts", import.meta.url).href })
  const atRest = await readers(sender, ids, pause(5_000))
  const began = performance.now()
  const over = Promise.all([change(sender, ids), settled(world, watching, count)])
  const meanwhile = await readers(sender, ids, over)
  const [changed_ms, settled_ms] = await over
  await world.stop(worker)
  await world.deployment.inside.run(
    Effect.flatMap(Flows, (all) =>
      Effect.forEach([...watching.entered, watching.dropped], (id) => all.pause(sender.id, id)),
    ),
  )
  const ratio = meanwhile.p95 / atRest.p95
  bench.report.section(`A burst of ${changes} changes of contacts, ${flows} active flows, one worker`, [
    {
      what: "until all of them have entered a flow, or been dropped from one",
      unit: "ms",
      reference: null,
      ours: spreadOf([settled_ms - began]),
      ratio: null,
      bars: [timeAtMost(30_000, settled_ms - began)],
    },
    {
      what: "of that, after the last of the changes was answered",
      unit: "ms",
      reference: null,
      ours: spreadOf([settled_ms - changed_ms]),
      ratio: null,
      bars: [],
    },
    {
      what: `the changes by themselves, ${batch_max} a call, ${callers} calls at once`,
      unit: "ms",
      reference: null,
      ours: spreadOf([changed_ms - began]),
      ratio: null,
      bars: [],
    },
    {
      what: "somebody reads a contact meanwhile, beside at rest; of the p95",
      unit: "ms",
      reference: atRest,
      ours: meanwhile,
      ratio,
      bars: [ratioAtMost(3, ratio)],
    },
  ])
}

interface Watching {
  /** Of each city but the last, the flow that its people enter. */
  readonly entered: ReadonlyArray<FlowId>
  /** Everybody rests in it; whoever comes to the last city is dropped. */
  readonly dropped: FlowId
}

const flowsOf = async (world: World, sender: Sender): Promise<Watching> => {
  const dropped = await activeFlow(world, sender, rest, { disqualification_rules: lives(cityOf(flows_count - 1)) })
  await members(world, sender, dropped, { until_ms: Date.now() + 364 * 86_400_000 })
  const entered: Array<FlowId> = []
  for (let nth = 0; nth < flows_count - 1; nth++) {
    const trigger = { type: "contact_updated", field: "city", operator: "equals", value: cityOf(nth) }
    entered.push(await activeFlow(world, sender, rest, { triggers: [trigger] }))
  }
  return { entered, dropped }
}

const contactsOf = async ({ deployment }: World, { id }: Sender): Promise<ReadonlyArray<string>> => {
  const rows = await deployment.inside.asOwner<{ contact_id: string }>(
    "select contact_id from contact where workspace_id = $1::uuid order by contact_id",
    [id],
  )
  return rows.map(({ contact_id }) => contact_id)
}

/** Answers when the last call was answered. */
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

/** Answers when everybody is where they belong. */
const settled = async (world: World, { dropped, entered }: Watching, count: number): Promise<number> => {
  await until(
    "everybody to have entered or been dropped",
    async () => {
      const all = await Promise.all(entered.map((flow) => standing(world, flow)))
      const inside = all.reduce((sum, { active, waiting }) => sum + active + waiting, 0)
      return inside + (await standing(world, dropped)).dropped === count
    },
    { within_ms: 300_000, every_ms: 250 },
  )
  return performance.now()
}

/** Somebody who reads one contact after the other, and thinks in between, until something is over: what each reading took. */
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
