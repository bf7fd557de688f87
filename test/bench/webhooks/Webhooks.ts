// The benchmark `webhooks`: one worker and a local receiver that answers at once, beside a loop of undici that signs and posts as
// many. Events are written by hand: their producers have benchmarks of their own.
import { signedHeaders } from "@tentpole/core/webhooks/Signature"
import { createHmac, randomBytes, randomUUID } from "node:crypto"
import { Pool } from "undici"
import { pause, until } from "../../support/Service.ts"
import { rateOf as sentRateOf } from "../../support/smtp/FakeSmtpProcess.ts"
import { eventsOf, type Received, ReceiverProcess } from "../../support/webhooks/ReceiverProcess.ts"
import type { Bench, Benchmark } from "../Benchmark.ts"
import { comparison, figure, rateAtLeast, ratioAtLeast, timeAtMost } from "../Report.ts"
import { rateSpreadOf, spreadOf } from "../Timing.ts"
import { type Sender, World } from "../World.ts"

const connections = 20
const rounds = 3
/** Rates of mail differ more between rounds. */
const sending_rounds = 5

export const webhooks: Benchmark = async (bench) => {
  const world = await World.begin(bench, { WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1/32" })
  const receiver = await ReceiverProcess.start(bench.ending)
  const count = bench.quick ? 2_000 : 20_000
  await singles(bench, world, receiver, count)
  await batches(bench, world, receiver, 5 * count)
  await besideDead(bench, world, receiver, count / 4)
  await afterCommit(bench, world, receiver)
  await besideSending(bench, world, receiver)
}

/** One event a request. */
const singles = async (bench: Bench, world: World, receiver: ReceiverProcess, count: number): Promise<void> => {
  bench.report.say("one event a request …")
  const sender = await world.sender("singles", { contacts: 1_000 })
  await endpoint(sender, receiver.url("/singles"), { max_in_flight: connections })
  const worker = await world.worker({ without: "mail" })
  const [reference, ours]: [Array<number>, Array<number>] = [[], []]
  for (let round = 0; round < rounds; round++) {
    reference.push(await bareLoop(receiver, count))
    await write(world, sender, count)
    ours.push(rateOf(await come(receiver, "/singles", count)))
  }
  await world.stop(worker)
  const spreads = { reference: rateSpreadOf(reference), ours: rateSpreadOf(ours) }
  bench.report.section(`Webhooks, one event a request, ${connections} connections`, [
    comparison("beside a loop of undici that signs and posts", "/s", spreads, (ratio) => [
      rateAtLeast(2_000, spreads.ours.median),
      ratioAtLeast(0.35, ratio),
    ]),
  ])
}

const batches = async (bench: Bench, world: World, receiver: ReceiverProcess, count: number): Promise<void> => {
  bench.report.say("batches …")
  const sender = await world.sender("batches", { contacts: 1_000 })
  await endpoint(sender, receiver.url("/batches"), { batch: { max_events: 100, max_wait_ms: 1_000 } })
  const worker = await world.worker({ without: "mail" })
  const rates: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    await receiver.reset()
    await write(world, sender, count)
    rates.push(rateOf(await come(receiver, "/batches", count)))
  }
  await world.stop(worker)
  const spread = rateSpreadOf(rates)
  bench.report.section("Events in batches of 100", [figure("events", "/s", spread, rateAtLeast(20_000, spread.median))])
}

/** Nine endpoints that work, alone, beside one that does not accept connections, and beside one that never answers. */
const besideDead = async (bench: Bench, world: World, receiver: ReceiverProcess, count: number): Promise<void> => {
  bench.report.say("dead endpoints …")
  const worker = await world.worker({ without: "mail" })
  const measured = async (name: string): Promise<{ readonly sender: Sender; readonly rates: Array<number> }> => ({
    sender: await nine(world, receiver, name),
    rates: [],
  })
  const [alone, closed, silent] = [await measured("alone"), await measured("closed"), await measured("silent")]
  await endpoint(closed.sender, "http://127.0.0.1:9/dead")
  await endpoint(silent.sender, receiver.url("/dead"))
  for (let round = 0; round < rounds; round++) {
    for (const { rates, sender } of [alone, closed, silent]) {
      await receiver.reset()
      await receiver.behave({ path: "/dead", times: 1e9, does: "hang" })
      await write(world, sender, count)
      rates.push(rateOf(await come(receiver, `/${sender.name}`, 9 * count)))
    }
  }
  await world.stop(worker)
  const beside = (what: string, { rates }: typeof alone) =>
    comparison(what, "/s", { reference: rateSpreadOf(alone.rates), ours: rateSpreadOf(rates) }, (ratio) => [
      ratioAtLeast(0.95, ratio),
    ])
  bench.report.section("Deliveries of nine endpoints beside a dead one, and alone as reference", [
    beside("one that does not accept connections", closed),
    beside("one that never answers", silent),
  ])
}

const nine = async (world: World, receiver: ReceiverProcess, name: string): Promise<Sender> => {
  const sender = await world.sender(name, { contacts: 1_000 })
  for (let nth = 1; nth <= 9; nth++) await endpoint(sender, receiver.url(`/${name}/${nth}`))
  return sender
}

/** The time from the commit of an event to its arrival, while nothing else happens. */
const afterCommit = async (bench: Bench, world: World, receiver: ReceiverProcess): Promise<void> => {
  bench.report.say("from the commit to the arrival …")
  const sender = await world.sender("idle", { contacts: 10 })
  await endpoint(sender, receiver.url("/idle"))
  const worker = await world.worker({ without: "mail" })
  const times_ms: Array<number> = []
  for (let round = 0; round < (bench.quick ? 10 : 50); round++) {
    await receiver.reset()
    await write(world, sender, 1)
    const written_ms = Date.now()
    const [first] = await come(receiver, "/idle", 1)
    times_ms.push(Math.max(0, (first?.at_ms ?? Number.NaN) - written_ms))
  }
  await world.stop(worker)
  const spread = spreadOf(times_ms)
  bench.report.section("One event while nothing else happens", [
    figure("from its commit to its arrival; of the p95", "ms", spread, timeAtMost(1_000, spread.p95)),
  ])
}

/**
 * A blast of a workspace without an endpoint, and one of a workspace with an endpoint that gets all events. Meanwhile another
 * workspace has an event a second.
 */
const besideSending = async (bench: Bench, world: World, receiver: ReceiverProcess): Promise<void> => {
  bench.report.say("sending with an endpoint …")
  const contacts = bench.quick ? 2_000 : 15_000
  const senders = [await world.sender("plain", { contacts }), await world.sender("hooked", { contacts })] as const
  const other = await world.sender("other", { contacts: 10 })
  await endpoint(senders[1], receiver.url("/hooked"), { event_types: ["*"] })
  await endpoint(other, receiver.url("/other"))
  const worker = await world.worker()
  const rates: [Array<number>, Array<number>] = [[], []]
  const times_ms: Array<number> = []
  for (let round = -1; round < sending_rounds; round++) {
    for (const [which, sender] of senders.entries()) {
      await receiver.reset()
      await world.smtp.reset()
      const blast = await world.launch(sender)
      const arriving = world.come(sender, contacts)
      if (which === 1) times_ms.push(...(await timesDuring(arriving, world, receiver, other)))
      const arrivals = await arriving
      await world.sent(sender, blast)
      if (which === 1) await come(receiver, "/hooked", 2 * contacts)
      if (round >= 0) rates[which === 0 ? 0 : 1].push(sentRateOf(arrivals))
    }
  }
  await world.stop(worker)
  const spreads = { reference: rateSpreadOf(rates[0]), ours: rateSpreadOf(rates[1]) }
  const spread = spreadOf(times_ms)
  bench.report.section("A blast of a workspace with an endpoint that gets all events", [
    comparison("messages, beside a workspace without an endpoint", "/s", spreads, (ratio) => [
      ratioAtLeast(0.9, ratio),
    ]),
    figure(
      "an event of another workspace, from its commit to its arrival",
      "ms",
      spread,
      timeAtMost(5_000, spread.p95),
    ),
  ])
}

/** What an event a second takes from its commit to its arrival, until the other work has ended. */
const timesDuring = async (
  work: Promise<unknown>,
  world: World,
  receiver: ReceiverProcess,
  sender: Sender,
): Promise<ReadonlyArray<number>> => {
  const written_ms: Array<number> = []
  let hasEnded = false
  const end = work.finally(() => (hasEnded = true))
  while (!hasEnded) {
    await write(world, sender, 1)
    written_ms.push(Date.now())
    await Promise.race([end, pause(1_000)])
  }
  const received = await come(receiver, `/${sender.name}`, written_ms.length)
  const arrived_ms = received
    .flatMap(({ at_ms, events }) => Array.from({ length: events }, () => at_ms))
    .toSorted((left, right) => left - right)
  return written_ms.map((at_ms, nth) => Math.max(0, (arrived_ms[nth] ?? Number.NaN) - at_ms))
}

const endpoint = async ({ call }: Sender, url: string, more: object = {}): Promise<void> => {
  await call("POST", "/v1/webhook-endpoints", { url, event_types: ["contact.*"], ...more })
}

/** Writes events in one transaction, as producers do: `contact.created` of the sender's contacts, in turn. */
const write = async (world: World, { id }: Sender, count: number): Promise<void> => {
  await world.inside.asOwner(
    `with people as (
       select contact_id, row_number() over () - 1 as nth, count(*) over () as size from contact where workspace_id = $1::uuid),
     moved as (
       update outbox_stream set position = position + $2::int where workspace_id = $1::uuid returning position - $2::int as before),
     written as (
       insert into outbox_event (workspace_id, position, type, contact_id, at, data)
       select $1::uuid, moved.before + i, 'contact_created', people.contact_id, now(), '{"original_source": "api"}'
       from moved cross join generate_series(1, $2::int) as i join people on people.nth = i % people.size)
     select hint_due('webhooks', $1::uuid, now())`,
    [id, count],
  )
}

const come = (receiver: ReceiverProcess, path: string, count: number): Promise<ReadonlyArray<Received>> =>
  until(
    `${count} events at ${path}`,
    async () => {
      const received = (await receiver.received()).filter((each) => each.path.startsWith(path))
      return eventsOf(received) >= count ? received : undefined
    },
    { within_ms: 120_000, every_ms: 100 },
  )

/** Events a second, from the first to the last. */
const rateOf = (received: ReadonlyArray<Received>): number => {
  const times = received.map(({ at_ms }) => at_ms)
  return (eventsOf(received) / Math.max(1, Math.max(...times) - Math.min(...times))) * 1_000
}

const hmac = (key: Uint8Array, message: Uint8Array): Uint8Array => createHmac("sha256", key).update(message).digest()

/** Signs and posts bodies of an event's size, over as many connections. */
const bareLoop = async (receiver: ReceiverProcess, count: number): Promise<number> => {
  await receiver.reset()
  const pool = new Pool(receiver.url(""), { connections, pipelining: 1 })
  const keys = [randomBytes(32)]
  const body = JSON.stringify({ sequence: "0".repeat(32), filler: "x".repeat(450) })
  let left = count
  const sends = Array.from({ length: connections }, async () => {
    while (left-- > 0) {
      const signed = signedHeaders(hmac, { id: randomUUID(), time_s: Math.floor(Date.now() / 1000), body, keys })
      const headers = { "content-type": "application/json", ...signed }
      const answer = await pool.request({ method: "POST", path: "/bare", headers, body })
      await answer.body.dump()
    }
  })
  await Promise.all(sends)
  await pool.close()
  const rate = rateOf(await come(receiver, "/bare", count))
  await receiver.reset()
  return rate
}
