// The benchmark `scale`: ten million contacts in one workspace. Counts of segments beside SQL by hand, listings, and a blast to all
// of the contacts. `--quick` takes 50,000 contacts.
import { countOf, spanOf } from "../../support/smtp/FakeSmtpProcess.ts"
import { startBlast } from "../../support/Blast.ts"
import { until } from "../../support/Service.ts"
import { filledWorkspace, type LargeWorkspace } from "../audience/LargeWorkspace.ts"
import { segments } from "../audience/Segments.ts"
import type { Bench, Benchmark } from "../Benchmark.ts"
import { secondsAtMost, time, watchMemory } from "../blasts/Million.ts"
import { figure, timeAtMost } from "../Report.ts"
import { spreadOf, timed } from "../Timing.ts"
import { World } from "../World.ts"

export const scale: Benchmark = async (bench) => {
  const world = await World.begin(bench)
  const workspace = await filledWorkspace(bench, world, bench.quick ? 50_000 : 10_000_000)
  await listings(bench, workspace)
  await blastToAll(bench, world, workspace)
  // A count reads up to ten million rows.
  await segments(bench, workspace, { p95_max_ms: null, rounds: { warmup: 1, rounds: 5, time_max_ms: 60_000 } })
}

const paths = {
  contacts: "/v1/contacts?page=1",
  "contacts by email": "/v1/contacts?page=1&sort=normalized_email&order=asc",
  lists: "/v1/contact-lists",
}

/** First pages over HTTP. */
const listings = async ({ quick, report }: Bench, { call }: LargeWorkspace): Promise<void> => {
  const rows = []
  for (const [what, path] of Object.entries(paths)) {
    const times_ms: Array<number> = []
    for (let round = 0; round < (quick ? 10 : 100); round++) times_ms.push(await timed(() => call("GET", path)))
    const spread = spreadOf(times_ms)
    rows.push(figure(what, "ms", spread, timeAtMost(50, spread.median)))
  }
  report.section("Page 1 of a listing", rows)
}

/** The blast is not sent to its end. */
const blastToAll = async (
  { quick, report }: Bench,
  world: World,
  { call, workspace }: LargeWorkspace,
): Promise<void> => {
  const [all] = await world.byHand<{ list_id: string }>(
    `select list_id from list where workspace_id = '${workspace}'::uuid and system_list = 'all_contacts'`,
  )
  const worker = await world.worker()
  await world.smtp.reset()
  report.say("sending …")
  const began_ms = Date.now()
  await startBlast(call, all?.list_id ?? "")
  const first = await until("the first message", async () => {
    const arrivals = await world.smtp.arrivals()
    return countOf(arrivals) > 0 ? arrivals : undefined
  })
  const first_ms = spanOf(first).first_ms - began_ms
  const { note, row } = await watchMemory(worker, quick ? 4_000 : 120_000)
  const sent_count = countOf(await world.smtp.arrivals())
  await world.stop(worker)
  report.section(
    "A blast to all contacts",
    [time("from the start to the first message", [first_ms], secondsAtMost(15, first_ms)), row],
    [note, `${sent_count.toLocaleString("en-US")} messages were sent meanwhile`],
  )
}
