// Counts of segments while a blast goes out: who looks at an audience must not wait for who mails one.
import { until } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import { ratioAtMost } from "../Report.ts"
import { spreadOf, timed } from "../Timing.ts"
import { type Asked, askedOf } from "./Asked.ts"
import { questionsOf } from "./Questions.ts"
import { answered, type World } from "./World.ts"

const html = `<html><body><h1>Hello {{contact.first_name|friend}}</h1>
<p>There is <a href="https://example.com/news?from=mail">news</a> from {{contact.city}}.</p></body></html>`

const startBlast = async ({ service }: World, listId: string): Promise<string> => {
  const { blast_id } = await answered(service, "POST", "/v1/email-blasts", { name: "Hello" })
  await answered(service, "PUT", `/v1/email-blasts/${blast_id}/audience`, { source: "existing", list_id: listId })
  const { email } = await answered(service, "PUT", `/v1/email-blasts/${blast_id}/email`, {
    source: "inline",
    html,
    subject: "Hello {{contact.first_name}}",
    from_name: "Tentpole",
    from_address: "hello@example.test",
    reply_to_email: "hello@example.test",
  })
  await answered(service, "POST", `/v1/emails/${email.email_id}/approve`, {})
  await answered(service, "POST", `/v1/email-blasts/${blast_id}/send-now`, {})
  return blast_id
}

interface Asking {
  readonly what: string
  readonly asked: Asked
}

/** The five in turn, again and again. The times of each. */
const ask = async (questions: ReadonlyArray<Asking>, goesOn: (rounds: number) => boolean) => {
  const times = questions.map((): Array<number> => [])
  for (let rounds = 0; goesOn(rounds); rounds++) {
    for (const [at, { asked }] of questions.entries()) times[at]?.push(await timed(asked.count))
  }
  return times
}

export const beside = async (bench: Bench, world: World): Promise<void> => {
  const { service, sink } = world
  const questions = await Promise.all(
    questionsOf(world).map(async ({ what, tree }): Promise<Asking> => ({ what, asked: await askedOf(world, tree) })),
  )
  await ask(questions, (rounds) => rounds < 12)
  const alone = await ask(questions, (rounds) => rounds < (bench.quick ? 30 : 60))
  // Ten thousand at full size, five thousand in the quick one: some seconds of sending.
  const blast = await startBlast(world, bench.quick ? world.lists.tenth : world.lists.hundredth)
  await until("the blast to be under way", async () => sink.mails.length > 100, { every_ms: 20, within_ms: 120_000 })
  const sending = async () => (await answered(service, "GET", `/v1/email-blasts/${blast}`)).status === "sending"
  let goesOut = true
  const watched = (async () => {
    while (await sending()) await new Promise((resolve) => setTimeout(resolve, 500))
    goesOut = false
  })()
  const [from_ms, sentBefore] = [Date.now(), sink.mails.length]
  const busy = await ask(questions, () => goesOut)
  const rate = ((sink.mails.length - sentBefore) / (Date.now() - from_ms)) * 1000
  await watched
  const rows = questions.map(({ what }, at) => {
    const [reference, ours] = [spreadOf(alone[at] ?? []), spreadOf(busy[at] ?? [])]
    const ratio = ours.p95 / reference.p95
    return { what, unit: "ms", reference, ours, ratio, bars: [ratioAtMost(3, ratio)] } as const
  })
  bench.report.section(
    "The five counts: alone (as reference), and beside a blast (as ours); the ratio is of the p95",
    rows,
    [
      `${sink.mails.length.toLocaleString("en-US")} messages, ${Math.round(rate)} a second while it was counted ${busy[0]?.length ?? 0} times`,
    ],
  )
}
