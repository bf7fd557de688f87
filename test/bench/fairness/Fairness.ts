// The benchmark `fairness`: what a workspace waits while another one fills its share of long reads, and while a visitor sends forms
// at the allowed rate.
import { callsOf } from "../../support/Service.ts"
import type { Bench, Benchmark } from "../Benchmark.ts"
import { publishedPage } from "../pages/Page.ts"
import { comparison, figure, ratioAtMost, timeAtMost } from "../Report.ts"
import { spreadOf, timed } from "../Timing.ts"
import type { Sender, World } from "../World.ts"

const sizeOf = ({ quick }: Bench) => ({
  contacts: quick ? 12_500 : 250_000,
  searches: 16,
  reads: quick ? 20 : 40,
})

const search_ms_max = 1_000
const read_ratio_max = 2

const search = ({ call }: Sender, text: string) => call("GET", `/v1/contacts?limit=25&search=${text}`)

export const fairness: Benchmark = async (bench) => {
  const page = await publishedPage(bench)
  const { world } = page
  const { contacts, reads, searches } = sizeOf(bench)
  bench.report.say(`planting ${contacts.toLocaleString("en-US")} contacts …`)
  const large = await world.sender("large", { contacts })
  const small = await world.sender("small", { contacts: 1_000 })
  const read = () => timesOf(reads, () => search(small, "person7"))
  const idle = spreadOf(await read())

  bench.report.say("searching …")
  const searching = repeating(searches, (each) => search(large, `erson%20${each % 10}`))
  const busy = spreadOf(await read())
  await searching.stop()
  bench.report.section(
    `A search of a workspace with 1,000 contacts, while another one searches ${contacts.toLocaleString("en-US")} contacts ${searches} times at once`,
    [figure("idle", "ms", idle), figure("busy", "ms", busy, timeAtMost(search_ms_max, busy.p95))],
    [`${searching.count()} searches of the other workspace were answered`],
  )
  await forms(bench, world, page.tentId, small)
}

const forms = async (bench: Bench, world: World, tentId: string, small: Sender): Promise<void> => {
  const { reads } = sizeOf(bench)
  const html = await world.deployment.call("GET", `/v1/tents/${tentId}/content`)
  const action = /<form[^>]*action="[^"]*\/f\/[^/]+\/([^"]+)"/.exec(html.text)?.[1] ?? "form-1"
  const call = callsOf(small)
  const quick = () => timesOf(reads * 5, () => call("GET", "/v1/contact-lists?limit=1"))
  await quick()
  const idle = spreadOf(await quick())
  const statuses = new Map<number, number>()
  // The limit holds for one visitor: the burst, and everything above it is refused.
  const sending = repeating(2, async () => {
    const { status } = await fetch(`http://127.0.0.1:${world.deployment.pagesPort}/f/${tentId}/${action}`, {
      method: "POST",
      headers: {
        host: `default.localhost:${world.deployment.pagesPort}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({ email: `ann${statuses.size}@example.com`, message: "x".repeat(9_000) }),
    })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
  })
  const busy = spreadOf(await quick())
  await sending.stop()
  bench.report.section(
    "Reads of a workspace, idle (as reference), and while a visitor of another one sends forms beyond the allowed rate (as ours)",
    [
      comparison(
        "GET /v1/contact-lists",
        "ms",
        { reference: idle, ours: busy },
        (ratio) => [ratioAtMost(read_ratio_max, ratio)],
        "p95",
      ),
    ],
    [`answers to forms: ${[...statuses].map(([status, count]) => `${status} × ${count}`).join(", ")}`],
  )
}

const timesOf = async (count: number, run: () => Promise<unknown>): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  for (let each = 0; each < count; each++) times.push(await timed(run))
  return times
}

/** Runs something again and again, several times at once, until it is stopped. */
const repeating = (concurrency: number, run: (each: number) => Promise<unknown>) => {
  let stopped = false
  let count = 0
  const all = Array.from({ length: concurrency }, async (_, each) => {
    while (!stopped) {
      await run(each)
      count++
    }
  })
  return {
    count: () => count,
    stop: async () => {
      stopped = true
      await Promise.all(all)
    },
  }
}
