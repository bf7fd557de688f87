// The benchmark `pages`: serving a page beside a bare server, the cost of counting views, and reading the traffic of a week with
// a million views a day.
import type { Bench, Benchmark } from "../Benchmark.ts"
import { compareLoads } from "../Load.ts"
import { comparison, figure, ratioAtLeast, timeAtMost } from "../Report.ts"
import { spreadOf, timed } from "../Timing.ts"
import { bareServer, type Page, plantViews, publishedPage, visitsOf } from "./Page.ts"

const sizeOf = ({ quick }: Bench) => ({
  connections: 64,
  windows: quick ? 3 : 7,
  window_ms: quick ? 2_000 : 3_000,
  views_a_day: quick ? 100_000 : 1_000_000,
  tents: 100,
  reads: quick ? 30 : 100,
})

/** As a share of the bare server: the socket takes most of a request. */
const served_share_min = 0.6
/** As a share of the rate for visitors that are not counted. */
const counted_share_min = 0.9
const read_ms_max = 100

export const pages: Benchmark = async (bench) => {
  const { report } = bench
  const page = await publishedPage(bench)
  const machines = visitsOf(page, "machines")
  const bare = await bareServer(bench, machines)
  report.say("serving …")
  const served = await compareLoads({ reference: bare, ours: machines }, sizeOf(bench))
  report.section(
    "A page, warm: a bare node:http server that sends the same bytes and headers (as reference), and the page server (as ours)",
    [comparison("requests", "/s", served, (ratio) => [ratioAtLeast(served_share_min, ratio)])],
    [`${sizeOf(bench).connections} connections; the load comes from this process, on the same machine`],
  )
  await counting(bench, page)
  await reading(bench, page)
}

const counting = async (bench: Bench, page: Page): Promise<void> => {
  bench.report.say("counting …")
  const targets = { reference: visitsOf(page, "machines"), ours: visitsOf(page, "people") }
  const counted = await compareLoads(targets, sizeOf(bench))
  const [row] = await page.world.byHand<{ views: number }>(
    "select coalesce(sum(views), 0)::int as views from workspace_view_day where dimension = 'all'",
  )
  bench.report.section(
    "Visits by machines, which are not counted (as reference), and by people, whose views are written (as ours)",
    [comparison("requests", "/s", counted, (ratio) => [ratioAtLeast(counted_share_min, ratio)])],
    [
      `${(row?.views ?? 0).toLocaleString("en-US")} views were written; views above the rate of writing are dropped and logged`,
    ],
  )
}

const reading = async (bench: Bench, page: Page): Promise<void> => {
  const { reads, tents, views_a_day } = sizeOf(bench)
  bench.report.say(`planting a week of ${views_a_day.toLocaleString("en-US")} views a day …`)
  await plantViews(page, { views_a_day, tents })
  const rows = []
  for (const [what, path] of [
    ["GET /v1/analytics/tent", `/v1/analytics/tent?tentIdOrAlias=${page.tentId}`],
    ["GET /v1/analytics/workspace", "/v1/analytics/workspace"],
  ] as const) {
    const times_ms: Array<number> = []
    for (let turn = -5; turn < reads; turn++) {
      const ms = await timed(async () => {
        const { status, text } = await page.world.deployment.call("GET", path)
        if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`)
      })
      if (turn >= 0) times_ms.push(ms)
    }
    const ours = spreadOf(times_ms)
    rows.push(figure(what, "ms", ours, timeAtMost(read_ms_max, ours.p95)))
  }
  bench.report.section(
    `Traffic of 7 days with ${views_a_day.toLocaleString("en-US")} views a day, of ${tents} tents`,
    rows,
  )
}
