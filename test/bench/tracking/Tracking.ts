// Whether readers disturb the sending: a blast that goes out at 500 messages a second, by itself and while 5,000 messages a second
// of an earlier one are opened.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { pause, until } from "../../support/Service.ts"
import { processorTimes } from "./Processors.ts"
import type { Bench, Benchmark } from "../Benchmark.ts"
import { ratioAtLeast } from "../Report.ts"
import { startBlast } from "../../support/Blast.ts"
import { rateOf } from "../Sending.ts"
import { rateSpreadOf, type Spread } from "../Timing.ts"
import type { Order, Outcome } from "./Openings.ts"
import { makeWorld, per_second_max, type World } from "./World.ts"

const openings_per_second = 5_000

const sizeOf = ({ quick }: Bench) => ({ windows: quick ? 3 : 15, window_ms: 1_000 })

export const tracking: Benchmark = {
  run: async (bench) => {
    const { window_ms, windows } = sizeOf(bench)
    const seconds = (windows * window_ms) / 1000
    // The blast goes on for both halves, and some seconds before and between.
    const world = await makeWorld(bench, {
      members: Math.ceil(per_second_max * (2 * seconds + 10)),
      sent: openings_per_second * seconds,
    })
    const { report } = bench
    report.say("sending …")
    await startBlast(world.service, world.listId)
    await until("the blast to be under way", async () => world.sink.mails.length >= 2 * per_second_max, {
      every_ms: 20,
      within_ms: 60_000,
    })
    const alone = await ratesOf(world, windows, window_ms)
    const times = await processorTimes(world.service)
    const opening = openAll(world)
    const busy = await ratesOf(world, windows, window_ms)
    const spent = await times.since()
    const atTheEnd = await written(world)
    const outcome = await opening
    const began = performance.now()
    await until("all openings to be written", async () => (await written(world)) >= outcome.answered, {
      within_ms: 120_000,
    })
    const ratio = busy.mean / alone.mean
    const none: Spread = { median: Number.NaN, p95: Number.NaN }
    report.section(
      `Messages a second, held at ${per_second_max}: by themselves (as reference), and beside a burst of openings (as ours)`,
      [
        {
          what: "messages",
          unit: "/s",
          reference: alone.spread,
          ours: busy.spread,
          ratio,
          bars: [ratioAtLeast(0.95, ratio)],
        },
        { what: "an opening", unit: "ms", reference: null, ours: outcome.times_ms ?? none, ratio: null, bars: [] },
      ],
      [
        `${outcome.answered.toLocaleString("en-US")} openings, ${Math.round(outcome.per_second).toLocaleString("en-US")} a second of ${openings_per_second.toLocaleString("en-US")} wanted`,
        `${atTheEnd.toLocaleString("en-US")} were written when the messages had been counted, the last ${((performance.now() - began) / 1000).toFixed(1)} s after the last was answered`,
        `processor time meanwhile: ${spent}`,
      ],
    )
  },
}

/** Messages a second, window by window and on the whole. */
const ratesOf = async ({ sink }: World, windows: number, window_ms: number) => {
  const rates: Array<number> = []
  const mean = await rateOf(sink, async () => {
    for (let window = 0; window < windows; window++) rates.push(await rateOf(sink, () => pause(window_ms)))
  })
  return { mean, spread: rateSpreadOf(rates) }
}

const openAll = async ({ pixels, service }: World): Promise<Outcome> => {
  const order: Order = { port: service.pagesPort, paths: pixels, per_second: openings_per_second, connections: 64 }
  const child = spawn(process.execPath, [fileURLToPath(new URL("Openings.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  child.stdin.end(JSON.stringify(order))
  const [said] = await Promise.all([text(child.stdout), once(child, "exit")])
  if (child.exitCode !== 0) throw new Error(`the process that opens messages ended with ${child.exitCode}`)
  return JSON.parse(said)
}

const written = async ({ asOwner }: World): Promise<number> => {
  const [row] = await asOwner<{ count: number }>("select count(opened_at)::int as count from delivery")
  return row?.count ?? 0
}
