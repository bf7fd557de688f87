// Members advanced a second by one worker: a hundred thousand whose wait is over, through a condition to a message that goes
// nowhere; beside one job of graphile-worker for each member, which loads the member and writes its step in one transaction.
import type { Bench } from "../Benchmark.ts"
import { rateAtLeast, ratioAtLeast } from "../Report.ts"
import { rateSpreadOf } from "../Timing.ts"
import type { World } from "../blasts/World.ts"
import { activeFlow, approvedEmail, members, welcome, when } from "./Ground.ts"
import { graphileRate } from "./Graphile.ts"

export const advancing = async (bench: Bench, world: World): Promise<void> => {
  const count = bench.quick ? 5_000 : 100_000
  bench.report.say(`advancing ${count.toLocaleString("en-US")} members …`)
  const sender = await world.sender("flows", { contacts: count })
  const flow = await activeFlow(world, sender, welcome(await approvedEmail(sender)))
  await members(world, sender, flow, { until_ms: Date.now() - 1 })
  const worker = await world.worker({ module: new URL("NullMailWorker.ts", import.meta.url).href })
  const began = await when(world, flow, ({ waiting }) => waiting < count)
  const advanced = await when(world, flow, ({ waiting }) => waiting === 0)
  const mailed = await when(world, flow, ({ completed }) => completed === count)
  await world.stop(worker)
  const perSecond = (from: number, to: number) => rateSpreadOf([(count / (to - from)) * 1000])
  const ours = perSecond(began, advanced)
  const reference = rateSpreadOf([await graphileRate(bench, world, sender)])
  const ratio = ours.median / reference.median
  bench.report.section(
    "Members advanced a second by one worker, wait – condition – send, beside a job of graphile-worker each (concurrency 10)",
    [
      {
        what: `${count.toLocaleString("en-US")} whose wait is over`,
        unit: "/s",
        reference,
        ours,
        ratio,
        bars: bench.quick ? [] : [rateAtLeast(3_000, ours.median), ratioAtLeast(5, ratio)],
      },
      {
        what: "until each message has left, and its member is through",
        unit: "/s",
        reference: null,
        ours: perSecond(began, mailed),
        ratio: null,
        bars: [],
      },
    ],
    [
      "the worker sends at the same time, to a mailer that takes everything at once; what is advanced is three steps a member",
    ],
  )
}
