// Messages a second of one worker, intents and database included, beside a loop over nodemailer's pool with as many connections.
import { rateBetween, rateOf } from "../../support/smtp/FakeSmtpProcess.ts"
import { BlastId } from "@tentpole/core/kernel/Ids"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { pause } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import { comparison, figure, ratioAtLeast } from "../Report.ts"
import { rateSpreadOf, spreadOf } from "../Timing.ts"
import type { Order } from "./ByHand.ts"
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
  await compared(bench, world, signed, { how: "signed", connections, ratio_min: 3.5 })
  await compared(bench, world, unsigned, { how: "ready-made", connections, ratio_min: 1 })
  await compared(bench, world, unsigned, { how: "ready-made", connections: many_connections, ratio_min: 1.3 })
}

/** The more connections, the more intents share a commit. */
const many_connections = 64

const ways = {
  signed: { title: "Messages a second, signed", without: undefined },
  "ready-made": { title: "Messages a second, not signed", without: "signature" },
} as const

interface Way {
  readonly how: keyof typeof ways
  readonly connections: number
  /** The bar: our rate beside the loop by hand. */
  readonly ratio_min: number
}

const compared = async (bench: Bench, world: World, sender: Sender, way: Way): Promise<void> => {
  const { connections, how, ratio_min } = way
  const { rounds, [how]: size } = sizeOf(bench)
  const { title, without } = ways[how]
  bench.report.say(`${title.toLowerCase()}, ${connections} connections …`)
  const audience_us = await audiencePass_us(world, sender, size.ours)
  const worker = await world.worker({ connections, ...(without === undefined ? {} : { without }) })
  const rates = { reference: Array.of<number>(), ours: Array.of<number>() }
  const database_us = Array.of<number>()
  const settlement_us = Array.of<number>()
  for (let round = -warm_ups; round < rounds; round++) {
    const theirs = await runByHand(world, way, size.byHand)
    const before = { settlement_ms: await world.settlementTime_ms(), database_ms: await world.databaseTime_ms() }
    const seen = await runOurs(world, sender, size.ours)
    const database_ms = (await world.databaseTime_ms()) - before.database_ms
    const settlement_ms = (await world.settlementTime_ms()) - before.settlement_ms
    if (round < 0) continue
    database_us.push((database_ms * 1000) / size.ours)
    settlement_us.push((settlement_ms * 1000) / size.ours)
    rates.reference.push(theirs)
    rates.ours.push(seen)
  }
  await world.stop(worker)
  const both = { reference: rateSpreadOf(rates.reference), ours: rateSpreadOf(rates.ours) }
  const beside = how === "signed" ? "composing and signing" : "ready-made"
  const row = comparison(`beside nodemailer's pool, ${beside}`, "/s", both, (ratio) =>
    bench.quick ? [] : [ratioAtLeast(ratio_min, ratio)],
  )
  const sending_us = database_us.map((each) => each - audience_us)
  bench.report.section(`${title}, ${connections} connections on either side`, [
    row,
    figure("processor time of PostgreSQL a message, audience pass included", "µs", spreadOf(database_us)),
    figure("the same without the audience pass", "µs", spreadOf(sending_us)),
    figure("time of the statements of intents and outcomes alone", "µs", spreadOf(settlement_us)),
  ])
}

/** The processor time of PostgreSQL a recipient while an audience is written and nothing is sent. */
const audiencePass_us = async (world: World, sender: Sender, recipients: number): Promise<number> => {
  const blast = await world.launch(sender)
  const before_ms = await world.databaseTime_ms()
  await world.inside.run(
    Effect.flatMap(Deliveries, (deliveries) => deliveries.fixAudience(sender.id, BlastId.make(blast))),
  )
  const pass_ms = (await world.databaseTime_ms()) - before_ms
  await world.turn(sender, blast, "cancel")
  return (pass_ms * 1000) / recipients
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

// Whether a second worker doubles the rate where the mail server is the bottleneck.
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
  )
}

const rateOver = async (world: World, sender: Sender, window_ms: number): Promise<number> => {
  const from_ms = Date.now()
  await pause(window_ms)
  return rateBetween(await world.arrivals(sender), from_ms, from_ms + window_ms)
}
