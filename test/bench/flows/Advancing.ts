// Members advanced a second by one worker: a hundred thousand whose wait is over, through a condition to a message that goes
// nowhere.
import { activeFlow, approvedEmail, letterFrom } from "../../support/Blast.ts"
import type { Bench } from "../Benchmark.ts"
import { figure, rateAtLeast } from "../Report.ts"
import { rateSpreadOf } from "../Timing.ts"
import type { World } from "../World.ts"
import { members, welcome, when } from "./Members.ts"

const letter = {
  subject: "Hello {{contact.first_name|you}}",
  html: "<p>Hello {{contact.first_name}}, your gift is {{campaign.dynamic.gift|a cake}}</p>",
}

export const advancing = async (bench: Bench, world: World): Promise<void> => {
  const count = bench.quick ? 5_000 : 100_000
  bench.report.say(`advancing ${count.toLocaleString("en-US")} members …`)
  const sender = await world.sender("flows", { contacts: count })
  const emailId = await approvedEmail(sender.call, letterFrom(`news@${sender.name}.test`, letter))
  const flow = await activeFlow(world.deployment, sender.id, welcome(emailId))
  await members(world, sender, flow, { until_ms: Date.now() - 1 })
  const worker = await world.worker({ without: "mail" })
  const began = await when(world, flow, ({ waiting }) => waiting < count)
  const advanced = await when(world, flow, ({ waiting }) => waiting === 0)
  const mailed = await when(world, flow, ({ completed }) => completed === count)
  await world.stop(worker)
  const perSecond = (took_ms: number) => rateSpreadOf([(count / took_ms) * 1000])
  const ours = perSecond(advanced - began)
  bench.report.section(
    "Members advanced a second by one worker, wait – condition – send",
    [
      figure(
        `${count.toLocaleString("en-US")} whose wait is over`,
        "/s",
        ours,
        ...(bench.quick ? [] : [rateAtLeast(3_000, ours.median)]),
      ),
      figure("until each message has left, and its member has completed", "/s", perSecond(mailed - began)),
    ],
    ["the worker sends at the same time, to a mailer that takes everything at once; a member advances by three steps"],
  )
}
