// A million members who wait: processor time of an idle worker, beside ten thousand, and the time of finding the next due one.
import { earliestDue } from "@tentpole/adapters/postgres/flows/MembershipLocks"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { activeFlow } from "../../support/Blast.ts"
import * as Owner from "../../support/Owner.ts"
import { processorTime_ms } from "../../support/ProcessFacts.ts"
import { pause } from "../../support/Service.ts"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import type { Bench } from "../Benchmark.ts"
import type { World } from "../World.ts"
import { comparison, ratioAtMost, timeAtMost } from "../Report.ts"
import { spreadOf, type Spread } from "../Timing.ts"
import { members, rest } from "./Members.ts"

const few = 10_000
const flows_count = 10
const year_ms = 365 * 86_400_000

export const waiting = async (bench: Bench, world: World): Promise<void> => {
  const many = bench.quick ? 100_000 : 1_000_000
  bench.report.say(`${many.toLocaleString("en-US")} members who wait …`)
  const sender = await world.sender("waiting", { contacts: many / flows_count })
  const resting = async (count: number) => {
    const flow = await activeFlow(world.deployment, sender.id, rest)
    await members(world, sender, flow, { until_ms: Date.now() + year_ms, count })
  }
  await resting(few)
  const worker = await world.worker({ without: "mail" })
  const measured = async () => ({
    idle: await idleTime(bench, world, worker),
    look: await nextLook(world, sender.id),
  })
  const before = await measured()
  for (let nth = 0; nth < flows_count; nth++) await resting(many / flows_count)
  const after = await measured()
  await world.stop(worker)
  const looks = { reference: before.look.times, ours: after.look.times }
  const [small, large] = [few, many + few].map((count) => count.toLocaleString("en-US"))
  bench.report.section(
    `${large} members who wait, beside ${small}`,
    [
      comparison(
        "an idle worker and its database sessions take, a second",
        "ms",
        { reference: before.idle, ours: after.idle },
        (ratio) => [ratioAtMost(1.5, ratio)],
      ),
      comparison("finding when to look next", "ms", looks, () => [
        timeAtMost(5, looks.ours.median),
        { says: "by the index alone", met: after.look.scans.every((scan) => scan.startsWith("Index")) },
      ]),
    ],
    [
      `${large} are in ${flows_count + 1} flows, ${small} in one; the plan reads by ${[...new Set(after.look.scans)].join(", ")}`,
    ],
  )
}

/** Milliseconds of processor time a second, of the worker and of its database sessions. */
const idleTime = async (bench: Bench, { inside }: World, { pid }: ServiceProcess): Promise<Spread> => {
  const sessions = async () =>
    inside.asOwner<{ pid: number }>("select pid::int from pg_stat_activity where application_name = 'tentpole worker'")
  const taken = async (): Promise<number> => {
    const pids = [pid, ...(await sessions()).map((each) => each.pid)]
    const times = await Promise.all(pids.map(processorTime_ms))
    return times.reduce((sum: number, each) => sum + (each ?? 0), 0)
  }
  // The worker is idle by then.
  await pause(3_000)
  const shares: Array<number> = []
  for (let round = 0; round < (bench.quick ? 5 : 15); round++) {
    const [began, before] = [performance.now(), await taken()]
    await pause(1_000)
    shares.push(((await taken()) - before) / ((performance.now() - began) / 1_000))
  }
  return spreadOf(shares)
}

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly Plans?: ReadonlyArray<Plan>
}

interface Explained {
  readonly Plan: Plan
  readonly "Execution Time": number
}

/** Time and plan of the statement that finds the next due member. */
const nextLook = ({ inside }: World, workspace: WorkspaceId) =>
  inside.run(
    Effect.gen(function* () {
      const sql = yield* Owner.Owner
      const explain = sql<{ readonly "QUERY PLAN": readonly [Explained] }>`
        explain (analyze, format json)
        with recursive ${earliestDue(sql, workspace)} select min(due_at) from earliest`
      const plans = (yield* Effect.replicateEffect(explain, 15)).flatMap((rows) =>
        rows.map((row) => row["QUERY PLAN"][0]),
      )
      return {
        times: spreadOf(plans.map((each) => each["Execution Time"])),
        scans: plans.flatMap((each) => scansOf(each.Plan)),
      }
    }),
  )

const scansOf = (plan: Plan): ReadonlyArray<string> => [
  ...(plan["Relation Name"] === "flow_membership" ? [plan["Node Type"]] : []),
  ...(plan.Plans ?? []).flatMap(scansOf),
]
