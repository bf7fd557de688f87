// The benchmark of send rate limits: whether a workspace sends exactly at its limit.
import { pause } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import { comparison, type Row } from "../Report.ts"
import { rateSpreadOf } from "../Timing.ts"
import { type Arrival, rateBetween, spanOf } from "../../support/smtp/FakeSmtpProcess.ts"
import type { Sender, World } from "../World.ts"

const per_second = 200
const per_domain_per_second = 25
const domains = 4
/** As a share of the limit. */
const tolerance = 0.05

export const speeds = async (bench: Bench, world: World): Promise<void> => {
  const window_ms = bench.quick ? 3_000 : 10_000
  bench.report.say("settings of speed …")
  const contacts = Math.ceil(per_second * (window_ms / 1000 + 4))
  const worker = await world.worker()
  const whole = await world.sender("paced", { contacts, domains })
  await setting(world, whole, `sending_per_second = ${per_second}`)
  const all = await actualRate(world, whole, window_ms)
  const parted = await world.sender("laned", { contacts: Math.ceil(contacts / 2), domains })
  await setting(world, parted, `sending_per_domain_per_second = ${per_domain_per_second}`)
  const each = await actualRate(world, parted, window_ms)
  await world.stop(worker)
  const ofDomain = Array.from({ length: domains }, (_, at) => `d${at}.laned.test`).map((domain) =>
    each((arrival) => arrival.domain === domain),
  )
  bench.report.section(
    `A setting of speed (as reference), and the messages a second that left, over ${window_ms / 1000} s`,
    [
      row(
        "of a workspace",
        per_second,
        all(() => true),
      ),
      row(`of a recipient domain, the slowest of ${domains}`, per_domain_per_second, Math.min(...ofDomain)),
      row(`of a recipient domain, the fastest of ${domains}`, per_domain_per_second, Math.max(...ofDomain)),
    ],
  )
}

const setting = async ({ inside }: World, { id }: Sender, assignment: string): Promise<void> => {
  await inside.asOwner(`update workspace set ${assignment} where workspace_id = $1::uuid`, [id])
}

/** Sends for a while; returns the rate of chosen arrivals from a second after the first one. */
const actualRate = async (world: World, sender: Sender, window_ms: number) => {
  await world.smtp.reset()
  const blast = await world.launch(sender)
  const from_ms = spanOf(await world.come(sender, 1)).first_ms + 1_000
  await pause(from_ms + window_ms - Date.now() + 100)
  const arrivals = await world.arrivals(sender)
  await world.turn(sender, blast, "cancel")
  return (which: (arrival: Arrival) => boolean): number =>
    rateBetween(arrivals.filter(which), from_ms, from_ms + window_ms)
}

const row = (what: string, wanted: number, rate: number): Row =>
  comparison(what, "/s", { reference: rateSpreadOf([wanted]), ours: rateSpreadOf([rate]) }, (ratio) => [
    { says: `within ${tolerance * 100} %`, met: Math.abs(ratio - 1) <= tolerance },
  ])
