// Whether a second worker doubles the rate where the mail server is the bottleneck.
import { pause } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import { comparison, ratioAtLeast } from "../Report.ts"
import { rateSpreadOf } from "../Timing.ts"
import { countOf, rateBetween } from "../Arrivals.ts"
import type { Sender, World } from "../World.ts"

const answer_ms = 50
const connections_each = 16
/** The rate of one worker if only the mail server took time. */
const per_second_max = (connections_each * 1000) / answer_ms

export const twoWorkers = async (bench: Bench, world: World): Promise<void> => {
  const window_ms = bench.quick ? 3_000 : 6_000
  const windows = bench.quick ? 1 : 2
  bench.report.say("one worker and two …")
  const seconds = (window_ms / 1000 + 2) * windows
  const sender = await world.sender("slow", { contacts: Math.ceil(per_second_max * seconds * 3.2) })
  await world.smtp.behave({ pause_ms: answer_ms })
  await world.smtp.reset()
  const blast = await world.launch(sender)
  const first = await world.worker({ connections: connections_each })
  await world.come(sender, per_second_max)
  const rates = { one: Array.of<number>(), two: Array.of<number>() }
  for (let window = 0; window < windows; window++) {
    rates.one.push(await rateOver(world, sender, window_ms))
    const second = await world.worker({ connections: connections_each })
    await pause(1_500)
    rates.two.push(await rateOver(world, sender, window_ms))
    await world.stop(second)
    await pause(500)
  }
  const sent = countOf(await world.arrivals(sender))
  await world.turn(sender, blast, "cancel")
  await world.stop(first)
  await world.smtp.behave()
  const both = { reference: rateSpreadOf(rates.one), ours: rateSpreadOf(rates.two) }
  bench.report.section(
    `Messages a second of two workers (as ours), beside one (as reference): a mail server that answers after ${answer_ms} ms`,
    [
      comparison(`${connections_each} connections a worker`, "/s", both, (ratio) =>
        bench.quick ? [] : [ratioAtLeast(1.6, ratio)],
      ),
    ],
    [
      `a worker that waited for nothing else would send ${per_second_max} a second; ${sent.toLocaleString("en-US")} were sent in all`,
    ],
  )
}

const rateOver = async (world: World, sender: Sender, window_ms: number): Promise<number> => {
  const from_ms = Date.now()
  await pause(window_ms)
  return rateBetween(await world.arrivals(sender), from_ms, from_ms + window_ms)
}
