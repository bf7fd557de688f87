// The benchmark `messages`: how fast single messages are accepted, and what they wait until the mail server takes their body, idle and
// while a blast is sent. Messages are accepted by the use case, in the process of the benchmark: HTTP is not measured.
import { EmailMessages } from "@tentpole/core/messages/EmailMessages"
import { Effect, Redacted } from "effect"
import { Inside } from "../../support/Inside.ts"
import { pause } from "../../support/Service.ts"
import { rateBetween } from "../../support/smtp/FakeSmtpProcess.ts"
import type { Bench, Benchmark } from "../Benchmark.ts"
import { comparison, figure, rateAtLeast, ratioAtLeast, timeAtMost } from "../Report.ts"
import { rateSpreadOf, spreadOf, timed } from "../Timing.ts"
import { type Sender, World } from "../World.ts"

const sizeOf = ({ full, quick }: Bench) => ({
  messages: quick ? 20 : 200,
  rounds: quick ? 1 : 3,
  round_ms: quick ? 1_000 : 4_000,
  recipients: full ? 1_000_000 : quick ? 20_000 : 100_000,
  window_ms: quick ? 2_000 : 10_000,
})

const http_connections = 20
/** Requests that wait for their answer at the same time. */
const requests = 16
const batch = 100
/** Of single messages beside a blast. */
const every_ms = 50

export const messages: Benchmark = async (bench) => {
  const begun = await World.begin(bench)
  // As many connections to the database as an HTTP process has.
  const inside = new Inside(begun.deployment.variables, Redacted.make(begun.databaseUrl), http_connections)
  await bench.ending.with(() => inside.close())
  const world = new World({ ...begun, inside })
  const shop = await world.sender("shop", { contacts: 1_000 })
  await accepting(bench, world, shop)
  const worker = await world.worker()
  await until(world, shop)
  await idle(bench, world, shop)
  await besideBlast(bench, world, shop)
  await world.stop(worker)
}

const letter = ({ name }: Sender, to: string) => ({
  to: { email: to },
  subject: "Your order {{data.order.id}}",
  html: "<p>Thank you for order {{data.order.id}}, <b>{{data.order.total}}</b>.</p>".repeat(20),
  from_address: `orders@${name}.test`,
  data: { order: { id: 17, total: "19.90 €" } },
  tags: { kind: "receipt" },
})

let sent = 0
const next = (sender: Sender) => letter(sender, `buyer${sent++}@d0.orders.test`)

const send = ({ inside }: World, sender: Sender) =>
  inside.run(Effect.flatMap(EmailMessages, (all) => all.send(sender.id, next(sender), null)))

const sendMany = ({ inside }: World, sender: Sender) =>
  inside.run(
    Effect.flatMap(EmailMessages, (all) =>
      all.sendMany(
        sender.id,
        Array.from({ length: batch }, () => next(sender)),
        null,
      ),
    ),
  )

/** Times a second, with so many at the same time. */
const rateFor = async (during_ms: number, concurrency: number, run: () => Promise<unknown>): Promise<number> => {
  const began_ms = performance.now()
  let count = 0
  const loop = async (): Promise<void> => {
    while (performance.now() - began_ms < during_ms) {
      await run()
      count++
    }
  }
  await Promise.all(Array.from({ length: concurrency }, loop))
  return (count * 1_000) / (performance.now() - began_ms)
}

const accepting = async (bench: Bench, world: World, shop: Sender): Promise<void> => {
  bench.report.say("accepting messages …")
  const { round_ms, rounds } = sizeOf(bench)
  const [singles, batches]: [Array<number>, Array<number>] = [[], []]
  await rateFor(1_000, requests, () => send(world, shop))
  for (let round = 0; round < rounds; round++) {
    singles.push(await rateFor(round_ms, requests, () => send(world, shop)))
    batches.push(batch * (await rateFor(round_ms, 4, () => sendMany(world, shop))))
  }
  const [one, many] = [rateSpreadOf(singles), rateSpreadOf(batches)]
  bench.report.section("Acceptance of single messages, without a worker", [
    figure(`one a request, ${requests} at once`, "/s", one, rateAtLeast(500, one.median)),
    figure(`batches of ${batch}, 4 at once`, "/s", many, rateAtLeast(3_000, many.median)),
  ])
}

const until = async (world: World, { id }: Sender): Promise<void> => {
  for (;;) {
    const [row] = await world.byHand<{ waits: boolean }>(
      `select exists (select from delivery_queue where workspace_id = '${id}') as waits`,
    )
    if (row?.waits === false) return
    await pause(200)
  }
}

/** What each message takes from its request to the intent, which follows the 354 of the mail server. */
const waits = async (world: World, sender: Sender, count: number) => {
  const asked = new Map<string, number>()
  const accepted_ms: Array<number> = []
  for (let each = 0; each < count; each++) {
    const asked_ms = Date.now()
    accepted_ms.push(
      await timed(async () => {
        const { message } = await send(world, sender)
        asked.set(message.id, asked_ms)
      }),
    )
    await pause(every_ms)
  }
  await until(world, sender)
  const rows = await world.byHand<{ id: string; ms: number }>(
    `select delivery_id as id, (extract(epoch from handed_over_at) * 1000)::float8 as ms from delivery
     where workspace_id = '${sender.id}' and delivery_id in (${[...asked.keys()].map((id) => `'${id}'`).join(", ")})`,
  )
  return { accepted: spreadOf(accepted_ms), handedOver: spreadOf(rows.map(({ id, ms }) => ms - (asked.get(id) ?? 0))) }
}

const idle = async (bench: Bench, world: World, shop: Sender): Promise<void> => {
  bench.report.say("sending messages, idle …")
  await waits(world, shop, 20)
  const { accepted, handedOver } = await waits(world, shop, sizeOf(bench).messages)
  bench.report.section("Single messages, idle", [
    figure("accepted", "ms", accepted, timeAtMost(50, accepted.p95)),
    figure("from the request to the server's 354", "ms", handedOver, timeAtMost(150, handedOver.p95)),
  ])
}

const besideBlast = async (bench: Bench, world: World, shop: Sender): Promise<void> => {
  const { messages: count, recipients, window_ms } = sizeOf(bench)
  bench.report.say(`a blast to ${recipients.toLocaleString("en-US")} contacts …`)
  const many = await world.sender("many", { contacts: recipients, domains: 100 })
  await world.smtp.reset()
  const blast = await world.launch(many)
  await world.come(many, 1_000)
  const rateOfBlast = async (during: () => Promise<unknown>) => {
    const from_ms = Date.now()
    await during()
    const to_ms = Date.now()
    return rateBetween(await world.arrivals(many), from_ms, to_ms)
  }
  const before = await rateOfBlast(() => pause(window_ms))
  let seen = await Promise.resolve({ accepted: spreadOf([]), handedOver: spreadOf([]) })
  const beside = await rateOfBlast(async () => {
    seen = await waits(world, shop, count)
  })
  const after = await rateOfBlast(() => pause(window_ms))
  await world.turn(many, blast, "cancel")
  const share = 1_000 / every_ms
  const rates = { reference: rateSpreadOf([before, after]), ours: rateSpreadOf([beside + share]) }
  const { handedOver } = seen
  bench.report.section(
    "Single messages while a blast is sent",
    [
      figure("from the request to the server's 354", "ms", handedOver, timeAtMost(1_000, handedOver.p95)),
      comparison("messages a second of the blast alone (as reference), and of both", "/s", rates, (ratio) =>
        bench.quick ? [] : [ratioAtLeast(0.95, ratio)],
      ),
    ],
    [`${count} single messages, ${Math.round(share)} a second at most`],
  )
}
