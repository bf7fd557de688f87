// The benchmark `fairness`: what a workspace waits while another one fills its share of long reads, while a visitor reads pages,
// opens messages and sends forms, and while others have queued many exports and imports.
import type { DeliveryId } from "@tentpole/core/kernel/Ids"
import { Links } from "@tentpole/core/rendering/Links"
import { Effect } from "effect"
import { once } from "node:events"
import { request, type RequestOptions } from "node:http"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { beginImport, importEnded, importingWorkspace } from "../../support/ImportCalls.ts"
import { writePeople } from "../../support/PeopleFile.ts"
import { pause, until } from "../../support/Service.ts"
import type { Bench, Benchmark } from "../Benchmark.ts"
import { type Page, publishedPage } from "../pages/Page.ts"
import { comparison, figure, ratioAtMost, timeAtMost } from "../Report.ts"
import { spreadOf, timed } from "../Timing.ts"
import type { Sender } from "../World.ts"

const sizeOf = ({ quick }: Bench) => ({
  contacts: quick ? 12_500 : 250_000,
  searches: 16,
  reads: quick ? 20 : 40,
  queued: quick ? 40 : 200,
  rounds: quick ? 3 : 10,
})

const search_ms_max = 1_000
const read_ratio_max = 2
const job_ms_max = 5_000

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
  await visits(bench, page, small)
  await jobs(bench, page, large, small)
}

/** Of each kind of request by the visitor; the limit of forms holds anyway. */
const every_ms = 25

const form = { "content-type": "application/x-www-form-urlencoded" }

/** `fetch` sends no other host than that of the address. */
const answered = async (method: "GET" | "POST", options: RequestOptions, text: string) => {
  const sending = request({ ...options, method })
  sending.end(text)
  const [response] = await once(sending, "response")
  return { status: Number(response.statusCode), text: (await buffer(response)).toString() }
}

/** An anonymous visitor reads a page, opens a message again and again, and sends forms beyond the allowed rate. */
const visitor = async ({ world, ...page }: Page): Promise<ReadonlyArray<() => Promise<number>>> => {
  const host = `default.localhost:${world.deployment.pagesPort}`
  const send = (method: "GET" | "POST", path: string, text = "") =>
    answered(method, { host: "127.0.0.1", port: world.deployment.pagesPort, path, headers: { host, ...form } }, text)
  const [, action] = /action="([^"]*\/f\/[^"]+)"/.exec((await send("GET", page.path)).text) ?? []
  if (action === undefined) throw new Error("the page has no form")
  const reader = await world.sender("reader", { contacts: 1 })
  await world.sent(reader, await world.launch(reader))
  const [delivery] = await world.inside.asOwner<{ id: DeliveryId }>(
    "select delivery_id as id from delivery where workspace_id = $1::uuid",
    [reader.id],
  )
  if (delivery === undefined) throw new Error("the message has no delivery")
  const opened = await world.inside.run(
    Effect.map(Links, (links) => links.of({ workspaceId: reader.id, deliveryId: delivery.id }).open),
  )
  const body = new URLSearchParams({ email: "ann@example.com", message: "x".repeat(9_000) }).toString()
  return [
    () => send("GET", page.path),
    () => send("GET", new URL(opened).pathname),
    () => send("POST", new URL(action, `http://${host}`).pathname, body),
  ].map((visit) => async () => (await visit()).status)
}

const visits = async (bench: Bench, page: Page, small: Sender): Promise<void> => {
  const { reads } = sizeOf(bench)
  const requests = await visitor(page)
  const quick = () => timesOf(reads * 25, () => small.call("GET", "/v1/contact-lists?limit=1"))
  await quick()
  const idle = spreadOf(await quick())
  const counts = new Map<string, number>()
  const visiting = repeating(requests.length, async (each) => {
    const seen = `${["page", "open", "form"][each]} ${await requests[each]?.()}`
    counts.set(seen, (counts.get(seen) ?? 0) + 1)
    await pause(every_ms)
  })
  const busy = spreadOf(await quick())
  await visiting.stop()
  for (const wanted of ["page 200", "open 200", "form 200"]) {
    if (!counts.has(wanted)) throw new Error(`the visitor got no ${wanted}, but ${[...counts.keys()].join(", ")}`)
  }
  bench.report.section(
    "Reads of a workspace, idle (as reference), and while a visitor of others reads a page, opens a message and sends forms (as ours)",
    [
      comparison(
        "GET /v1/contact-lists",
        "ms",
        { reference: idle, ours: busy },
        (ratio) => [ratioAtMost(read_ratio_max, ratio)],
        "p95",
      ),
    ],
    [`answers: ${[...counts].map(([seen, count]) => `${seen} × ${count}`).join(", ")}`],
  )
}

/** Until an export of all contacts has ended. */
const exported = async ({ call, listId }: Sender): Promise<void> => {
  const { export_id } = await call("POST", `/v1/contact-lists/${listId}/export`, {})
  const isEnded = async () =>
    (await call("GET", `/v1/contact-lists/${listId}/export/${export_id}`)).status === "completed"
  await until("the export to end", isEnded, { within_ms: 300_000, every_ms: 20 })
}

const jobs = async (bench: Bench, { world }: Page, large: Sender, small: Sender): Promise<void> => {
  const { queued, rounds } = sizeOf(bench)
  const path = join(await bench.ending.folder(), "people.csv")
  await writePeople(path, { rows_count: 1_000, edition: 1, note_chars: 0 })
  const [theirs, own] = [
    await importingWorkspace(world.inside, world.deployment, "Large imports"),
    await importingWorkspace(world.inside, world.deployment, "Small imports"),
  ]
  const imported = async () => {
    await importEnded(own, await beginImport(own, path), { within_ms: 300_000, every_ms: 20 })
  }
  const both = async () => ({
    exports: spreadOf(await timesOf(rounds, () => exported(small))),
    imports: spreadOf(await timesOf(rounds, imported)),
  })
  await both()
  const idle = await both()
  bench.report.say(`queueing ${queued} exports and ${queued} imports …`)
  for (let each = 0; each < queued; each++) {
    await large.call("POST", `/v1/contact-lists/${large.listId}/export`, {})
    await beginImport(theirs, path)
  }
  const left = async () => {
    const [row] = await world.byHand<{ left: number }>(`
      select count(*)::int as left from jobs.job_queue
      where state in ('ready', 'running') and workspace_id in ('${large.id}', '${theirs.id}')`)
    return row?.left ?? 0
  }
  const before = await left()
  const busy = await both()
  const after = await left()
  const row = (what: keyof typeof busy) =>
    comparison(`${what} until their end`, "ms", { reference: idle[what], ours: busy[what] }, () => [
      timeAtMost(job_ms_max, busy[what].p95),
    ])
  bench.report.section(
    `A workspace's exports of 1,000 contacts and imports of 1,000 rows, idle (as reference), and while others have queued ${queued} exports of ${sizeOf(bench).contacts.toLocaleString("en-US")} contacts and ${queued} imports (as ours)`,
    [row("exports"), row("imports")],
    [`jobs of the others that waited or ran: ${before} at the beginning, ${after} at the end`],
  )
  if (after < 10) throw new Error("the queue of the others ended too early: nothing was measured")
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
