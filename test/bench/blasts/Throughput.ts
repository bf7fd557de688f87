// Messages a second of one worker, intents and database included, beside a loop over nodemailer's pool with as many connections.
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Bench } from "../Benchmark.ts"
import { comparison, ratioAtLeast } from "../Report.ts"
import { rateSpreadOf } from "../Timing.ts"
import type { Order } from "./ByHand.ts"
import { rateOf } from "../Arrivals.ts"
import { connections, type Sender, type World } from "../World.ts"

/** Rounds that do not count, since new code runs slowly. */
const warm_ups = 2

/** Messages of a round: some seconds of work, so that its beginning and end do not matter. */
const sizeOf = ({ quick }: Bench) =>
  quick
    ? { rounds: 1, signed: { ours: 1_000, byHand: 500 }, "ready-made": { ours: 1_000, byHand: 1_000 } }
    : { rounds: 3, signed: { ours: 6_000, byHand: 2_000 }, "ready-made": { ours: 15_000, byHand: 15_000 } }

export const throughput = async (bench: Bench, world: World): Promise<void> => {
  const size = sizeOf(bench)
  const signed = await world.sender("signed", { contacts: size.signed.ours })
  const unsigned = await world.sender("unsigned", { contacts: size["ready-made"].ours })
  await compared(bench, world, signed, { how: "signed", connections })
  await compared(bench, world, unsigned, { how: "ready-made", connections })
  await compared(bench, world, unsigned, { how: "ready-made", connections: many_connections })
}

/** The more connections, the more intents share a commit. */
const many_connections = 64

const ways = {
  signed: { title: "Messages a second, signed", without: undefined, ratio_min: 3 },
  "ready-made": {
    title: "Messages a second, not signed",
    without: "signature",
    ratio_min: 1,
  },
} as const

interface Way {
  readonly how: keyof typeof ways
  readonly connections: number
}

const compared = async (bench: Bench, world: World, sender: Sender, way: Way): Promise<void> => {
  const { connections, how } = way
  const { rounds, [how]: size } = sizeOf(bench)
  const { ratio_min, title, without } = ways[how]
  bench.report.say(`${title.toLowerCase()}, ${connections} connections …`)
  const worker = await world.worker({ connections, ...(without === undefined ? {} : { without }) })
  const rates = { reference: Array.of<number>(), ours: Array.of<number>() }
  for (let round = -warm_ups; round < rounds; round++) {
    const theirs = await runByHand(world, way, size.byHand)
    const seen = await runOurs(world, sender, size.ours)
    if (round < 0) continue
    rates.reference.push(theirs)
    rates.ours.push(seen)
  }
  await world.stop(worker)
  const both = { reference: rateSpreadOf(rates.reference), ours: rateSpreadOf(rates.ours) }
  const beside = how === "signed" ? "composing and signing" : "ready-made"
  const row = comparison(`beside nodemailer's pool, ${beside}`, "/s", both, (ratio) =>
    bench.quick ? [] : [ratioAtLeast(ratio_min, ratio)],
  )
  bench.report.section(
    `${title}, ${connections} connections`,
    [row],
    [`${connections} connections on either side; ${size.ours.toLocaleString("en-US")} messages of ours a round`],
  )
}

const runByHand = async (world: World, { connections, how }: Way, messages: number): Promise<number> => {
  const { privateKeyPem } = await world.inside.run(Effect.flatMap(Secrets, (secrets) => secrets.rsaKeyPair))
  const order: Order = { port: world.smtp.port, connections, messages, how, domain: "people.test", privateKeyPem }
  await world.smtp.reset()
  const child = spawn(process.execPath, [fileURLToPath(new URL("ByHand.ts", import.meta.url))], {
    stdio: ["pipe", "inherit", "inherit"],
  })
  child.stdin.end(JSON.stringify(order))
  await once(child, "exit")
  if (child.exitCode !== 0) throw new Error(`the loop by hand ended with ${child.exitCode}`)
  return rateOf(await world.smtp.arrivals())
}

const runOurs = async (world: World, sender: Sender, messages: number): Promise<number> => {
  await world.smtp.reset()
  const blast = await world.launch(sender)
  const arrivals = await world.come(sender, messages)
  await world.sent(sender, blast)
  return rateOf(arrivals)
}
