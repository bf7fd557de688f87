// A blast to a million recipients: dry run, audience, first message, memory of the worker, and the wait of a neighbour with a
// hundred recipients.
import { rateOf, spanOf } from "../../support/smtp/FakeSmtpProcess.ts"
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { BlastId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { peakMemory_bytes, residentMemory_bytes } from "../../support/ProcessFacts.ts"
import { pause } from "../../support/Service.ts"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import type { Bench } from "../Benchmark.ts"
import { comparison, figure, megabytesAtMost, ratioAtMost, type Row } from "../Report.ts"
import { spreadOf, timed } from "../Timing.ts"
import type { Sender, World } from "../World.ts"

const sizeOf = ({ full, quick }: Bench) =>
  full
    ? { recipients: 1_000_000, sending_ms: 90_000 }
    : quick
      ? { recipients: 10_000, sending_ms: 4_000 }
      : { recipients: 100_000, sending_ms: 20_000 }

const neighbours = 100
const memory_look_every_ms = 250

export const million = async (bench: Bench, world: World): Promise<void> => {
  const { recipients } = sizeOf(bench)
  bench.report.say(`creating ${recipients.toLocaleString("en-US")} contacts …`)
  const many = await world.sender("many", { contacts: recipients, domains: 100 })
  const few = await world.sender("few", { contacts: neighbours })
  const rows: Array<Row> = []
  rows.push(await triedOut(bench, world, many))
  rows.push(...(await fixed(bench, world, many)))
  const worker = await world.worker()
  await world.smtp.reset()
  const began_ms = Date.now()
  await world.launch(many)
  const first_ms = spanOf(await world.come(many, 1)).first_ms - began_ms
  rows.push(time("from the start to the first message", [first_ms], secondsAtMost(15, first_ms)))
  bench.report.say("sending …")
  const sending = watchMemory(worker, sizeOf(bench).sending_ms)
  await pause(2_000)
  const asked_ms = Date.now()
  await world.launch(few)
  const neighbours_ms = spanOf(await world.come(few, neighbours)).last_ms - asked_ms
  rows.push(time(`${neighbours} of another workspace meanwhile`, [neighbours_ms], secondsAtMost(5, neighbours_ms)))
  const memory = await sending
  rows.push(memory.row)
  const rate = rateOf(await world.arrivals(many))
  await world.stop(worker)
  bench.report.section(`A blast to ${recipients.toLocaleString("en-US")} recipients`, rows, [
    memory.note,
    `meanwhile ${Math.round(rate).toLocaleString("en-US")} messages a second, for ${sizeOf(bench).sending_ms / 1000} s`,
  ])
}

export const secondsAtMost = (max_s: number, ms: number) => ({ says: `≤ ${max_s} s`, met: ms <= max_s * 1000 })

export const time = (what: string, times_ms: ReadonlyArray<number>, ...bars: Row["bars"]): Row =>
  figure(what, "ms", spreadOf(times_ms), ...bars)

const triedOut = async ({ report }: Bench, world: World, sender: Sender): Promise<Row> => {
  report.say("dry runs …")
  const blast = await world.draft(sender)
  const times_ms: Array<number> = []
  for (let round = 0; round < 3; round++) {
    times_ms.push(await timed(() => sender.call("POST", `/v1/email-blasts/${blast}/dry-run`, {})))
  }
  return time("a dry run", times_ms, secondsAtMost(10, spreadOf(times_ms).median))
}

/** The SQL of ids in the order of the rows. */
const inOrder = "uuid_v7()"
/** As deliveries have them: made of the contact, so that it has no second delivery, and in no order. */
const ofContacts = "timed_id(0, uuid_send($2::uuid) || uuid_send(c.contact_id))"

/** Fixes the audience as the job of the launch does; no worker runs. */
const fixed = async ({ quick, report }: Bench, world: World, sender: Sender): Promise<ReadonlyArray<Row>> => {
  const { inside } = world
  report.say("fixing the audience …")
  const ordered_ms = [await bareInsert(world, sender, inOrder)]
  const unordered_ms = [await bareInsert(world, sender, ofContacts)]
  const blast = await world.launch(sender)
  const ours_ms = await timed(() =>
    inside.run(Effect.flatMap(Deliveries, (deliveries) => deliveries.fixAudience(sender.id, BlastId.make(blast)))),
  )
  await world.turn(sender, blast, "pause")
  ordered_ms.push(await bareInsert(world, sender, inOrder))
  unordered_ms.push(await bareInsert(world, sender, ofContacts))
  const beside = (reference_ms: ReadonlyArray<number>) => ({
    reference: spreadOf(reference_ms),
    ours: spreadOf([ours_ms]),
  })
  return [
    comparison("the audience fixed, beside a bare INSERT … SELECT", "ms", beside(ordered_ms), (ratio) =>
      quick ? [] : [ratioAtMost(1.5, ratio)],
    ),
    comparison("the same, beside one with ids in no order, as deliveries have", "ms", beside(unordered_ms)),
  ]
}

/** The same rows into tables with the same columns and indexes, but without counters and references. `id`: the SQL of their ids. */
const bareInsert = async ({ inside }: World, { id: workspace }: Sender, id: string): Promise<number> => {
  await inside.asOwner("create table bare_delivery (like delivery_rest including all)")
  await inside.asOwner("create table bare_queue (like delivery_queue including all)")
  const took_ms = await timed(() =>
    inside.asOwner(
      `with added as (
         insert into bare_delivery (workspace_id, delivery_id, blast_id, contact_id, approval_id, email, email_normalized,
           display_name, display_name_folded, operational, state, reason, created_at)
         select c.workspace_id, ${id}, $2::uuid, c.contact_id, $2::uuid, c.email, c.email_normalized,
           c.display_name, c.display_name_folded, false, 'queued', null, now()
         from contact c
         left join suppression s on s.workspace_id = c.workspace_id and s.email_normalized = c.email_normalized
         where c.workspace_id = $1::uuid and c.email_normalized is not null and not c.unsubscribed and s.reason is null
         returning workspace_id, delivery_id, blast_id, contact_id, email_normalized, operational, created_at
       )
       insert into bare_queue (workspace_id, delivery_id, blast_id, contact_id, email_normalized, operational, due_at)
       select * from added`,
      [workspace, workspace],
    ),
  )
  await inside.asOwner("drop table bare_delivery, bare_queue")
  return took_ms
}

/** The memory of a worker that sends: its median and the most it ever had, and whether it stays flat. */
export const watchMemory = async ({ pid }: ServiceProcess, during_ms: number): Promise<{ row: Row; note: string }> => {
  const seen: Array<number> = []
  const end = Date.now() + during_ms
  while (Date.now() < end) {
    await pause(memory_look_every_ms)
    seen.push(megabytes(await residentMemory_bytes(pid)))
  }
  const peak = megabytes(await peakMemory_bytes(pid))
  const memory_mb = { median: spreadOf(seen).median, p95: peak }
  const third = Math.floor(seen.length / 3)
  const thirds = [seen.slice(0, third), seen.slice(third, 2 * third), seen.slice(2 * third)]
  return {
    row: figure("memory of the worker (p95: the most it ever had)", "MB", memory_mb, megabytesAtMost(300, peak)),
    note: `memory by thirds of the time of sending: ${thirds.map((each) => `${Math.round(spreadOf(each).median)} MB`).join(", ")}`,
  }
}

const megabytes = (bytes: number | null): number => (bytes ?? Number.NaN) / 1e6
