// The benchmark `consent`: a million contacts with ten topics, all of them chosen. The preference page, exact counts, and the audience of
// a blast with a topic beside the same one without.
import { BlastId, ContactId } from "@tentpole/core/kernel/Ids"
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { Preferences } from "@tentpole/core/tracking/Preferences"
import { Effect } from "effect"
import type { Bench, Benchmark } from "../Benchmark.ts"
import { comparison, figure, ratioAtMost, timeAtMost } from "../Report.ts"
import { processorTime_ms } from "../../support/ProcessFacts.ts"
import { spreadOf, timed } from "../Timing.ts"
import { type Sender, World } from "../World.ts"
import { fillTopics } from "./Fill.ts"

const sizeOf = ({ quick }: Bench) => ({
  contacts: quick ? 50_000 : 1_000_000,
  pages: quick ? 40 : 400,
  counts: quick ? 10 : 60,
  audiences: 3,
})

/** Pages before the first that is measured. */
const warmup = 20
const page_max_ms = 50
const count_max_ms = 300
const audience_ratio_max = 1.2

export const consent: Benchmark = async (bench) => {
  const world = await World.begin(bench)
  const { contacts } = sizeOf(bench)
  bench.report.say(`creating ${contacts.toLocaleString("en-US")} contacts …`)
  const sender = await world.sender("consent", { contacts, domains: 100 })
  const topics = await fillTopics(world, sender, (text) => bench.report.say(text))
  await pages(bench, world, sender)
  await counts(bench, world, sender)
  await audiences(bench, world, sender, topics.at(-1) ?? "")
}

/** Any contacts, not only those whose rows are in memory. */
const someContacts = (world: World, { id }: Sender, count: number) =>
  world.byHand<{ id: ContactId }>(
    `select contact_id as id from contact where workspace_id = '${id}' order by md5(contact_id::text) limit ${count}`,
  )

const pages = async (bench: Bench, world: World, sender: Sender): Promise<void> => {
  bench.report.say("preference pages …")
  const { deployment, inside } = world
  const links: Array<string> = []
  for (const { id } of await someContacts(world, sender, sizeOf(bench).pages)) {
    const { url } = await inside.run(
      Effect.flatMap(Preferences, (preferences) => preferences.createLink(sender.id, ContactId.make(id), 1)),
    )
    links.push(`http://127.0.0.1:${deployment.pagesPort}${new URL(url).pathname}`)
  }
  const ask = async (url: string, body?: string): Promise<string> => {
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    const answer = await fetch(url, body === undefined ? {} : { method: "POST", body, headers })
    if (!answer.ok) throw new Error(`a preference page answered ${answer.status}`)
    return answer.text()
  }
  const [shown, saved]: [Array<number>, Array<number>] = [[], []]
  const answers: Array<readonly [url: string, page: string]> = []
  for (const url of links.slice(0, warmup)) await ask(url)
  const times = async () => [
    (await processorTime_ms(deployment.http?.pid ?? 0)) ?? Number.NaN,
    await world.databaseTime_ms(),
  ]
  const before = await times()
  for (const url of links.slice(warmup)) shown.push(await timed(async () => void answers.push([url, await ask(url)])))
  const [own_ms, database_ms] = (await times()).map((ms, at) => (ms - (before[at] ?? 0)) / shown.length)
  for (const [url, page] of answers) {
    // Half of the topics, which changes some.
    const all = [...page.matchAll(/name="shown" value="([^"]+)"/g)].map(([, id = ""]) => id)
    const body = new URLSearchParams({ action: "save" })
    for (const [at, id] of all.entries()) {
      body.append("shown", id)
      if (at % 2 === 0) body.append("topics", id)
    }
    saved.push(await timed(() => ask(url, body.toString())))
  }
  const [page, save] = [spreadOf(shown), spreadOf(saved)]
  bench.report.section(
    "The preference page of a contact",
    [
      figure("shown", "ms", page, timeAtMost(page_max_ms, page.p95)),
      figure("saved, with half of the topics ticked", "ms", save),
    ],
    [
      `processor time of a page that is shown: ${own_ms?.toFixed(1)} ms, and ${database_ms?.toFixed(1)} ms of PostgreSQL`,
    ],
  )
}

const counts = async (bench: Bench, world: World, { call, id }: Sender): Promise<void> => {
  bench.report.say("counts …")
  const { topics: listed } = await call("GET", "/v1/topics")
  const counted = await world.byHand<{ id: string; count: number }>(
    `select o.topic_id as id, count(*) filter (where coalesce(h.status, o.default_subscription) = 'subscribed')::int as count
     from topic o cross join contact c
     left join topic_choice h on h.workspace_id = o.workspace_id and h.topic_id = o.topic_id and h.contact_id = c.contact_id
     where o.workspace_id = '${id}' and c.workspace_id = '${id}' and not c.unsubscribed group by o.topic_id`,
  )
  const exact = new Map(counted.map((each) => [each.id, each.count]))
  for (const { subscribed_count, topic_id } of listed) {
    if (exact.get(topic_id) !== subscribed_count) throw new Error(`${topic_id} has ${subscribed_count} subscribers`)
  }
  const times: Array<number> = []
  for (let round = 0; round < sizeOf(bench).counts; round++) times.push(await timed(() => call("GET", "/v1/topics")))
  const all = spreadOf(times)
  bench.report.section("The exact numbers of subscribers of ten topics", [
    figure("all topics, over HTTP", "ms", all, timeAtMost(count_max_ms, all.p95)),
  ])
}

interface Pass {
  readonly took_ms: number
  /** The processor time of PostgreSQL. */
  readonly database_ms: number
}

/** Fixes the audience as the job of the launch does; no worker runs. */
const fixed = async (world: World, sender: Sender, topic: string | null): Promise<Pass> => {
  const blast = await world.draft(sender)
  if (topic !== null) await sender.call("PATCH", `/v1/email-blasts/${blast}`, { topic_id: topic })
  await world.turn(sender, blast, "send-now")
  const before_ms = await world.databaseTime_ms()
  const took_ms = await timed(() =>
    world.inside.run(
      Effect.flatMap(Deliveries, (deliveries) => deliveries.fixAudience(sender.id, BlastId.make(blast))),
    ),
  )
  const database_ms = (await world.databaseTime_ms()) - before_ms
  await world.turn(sender, blast, "pause")
  return { took_ms, database_ms }
}

/** In turn, since each audience makes the tables larger. */
const audiences = async (bench: Bench, world: World, sender: Sender, everyone: string): Promise<void> => {
  bench.report.say("audiences …")
  const [without, withTopic]: [Array<Pass>, Array<Pass>] = [[], []]
  for (let round = 0; round < sizeOf(bench).audiences; round++) {
    const plain = async () => void without.push(await fixed(world, sender, null))
    const ofTopic = async () => void withTopic.push(await fixed(world, sender, everyone))
    for (const run of round % 2 === 0 ? [plain, ofTopic] : [ofTopic, plain]) await run()
  }
  const spread = (passes: ReadonlyArray<Pass>) => spreadOf(passes.map(({ took_ms }) => took_ms))
  const times = { reference: spread(without), ours: spread(withTopic) }
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
  const shown = (passes: ReadonlyArray<Pass>) =>
    passes.map(({ database_ms, took_ms }) => `${seconds(took_ms)} (${seconds(database_ms)})`).join(", ")
  bench.report.section(
    "The audience of a blast to all: without a topic (as reference), and with one to which all are subscribed",
    [comparison("the audience fixed", "ms", times, (ratio) => [ratioAtMost(audience_ratio_max, ratio)])],
    [`without: ${shown(without)}; with: ${shown(withTopic)}; in parentheses the processor time of PostgreSQL`],
  )
}
