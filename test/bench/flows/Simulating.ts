// Trying a flow out: a hundred steps over a year, by a call of the API.
import type { Bench } from "../Benchmark.ts"
import type { World } from "../blasts/World.ts"
import { timeAtMost } from "../Report.ts"
import { spreadOf, timed } from "../Timing.ts"
import { activeFlow, approvedEmail } from "./Ground.ts"

const halves = 50

export const simulating = async (bench: Bench, world: World): Promise<void> => {
  const sender = await world.sender("simulating", { contacts: 1 })
  const email_id = await approvedEmail(sender)
  const steps = Array.from({ length: halves }, (_, nth) => [
    { type: "send_email", step_id: `send${nth}`, email_id, next_step_id: `wait${nth}` },
    {
      type: "wait",
      step_id: `wait${nth}`,
      duration_amount: 7,
      duration_unit: "days",
      ...(nth < halves - 1 ? { next_step_id: `send${nth + 1}` } : {}),
    },
  ]).flat()
  const flow = await activeFlow(world, sender, steps)
  const events = [{ after: { amount: 1, unit: "hours" }, metric: "opened", step_id: "send0" }]
  const simulate = async () => {
    const { status } = await sender.call("POST", `/v1/email-flows/${flow}/simulate`, {
      contact: { email: "ann@example.com" },
      events,
    })
    if (status !== "completed") throw new Error(`the simulation ended ${status}`)
  }
  await simulate()
  const times: Array<number> = []
  for (let round = 0; round < 20; round++) times.push(await timed(simulate))
  const ours = spreadOf(times)
  bench.report.section("A simulation of a hundred steps over a year", [
    {
      what: "POST …/simulate, 50 messages",
      unit: "ms",
      reference: null,
      ours,
      ratio: null,
      bars: [timeAtMost(100, ours.median)],
    },
  ])
}
