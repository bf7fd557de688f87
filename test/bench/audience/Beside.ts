// Counts of segments while a blast goes out: sending must not slow them down.
import { countOf } from "../../support/smtp/FakeSmtpProcess.ts"
import { pause, until } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import { comparison, ratioAtMost } from "../Report.ts"
import { startBlast } from "../../support/Blast.ts"
import { spreadOf, timed } from "../Timing.ts"
import { type Asked, askedOf } from "./Segments.ts"
import { questionsOf } from "./Questions.ts"
import type { LargeWorkspace } from "./LargeWorkspace.ts"

/** The pause between two counts. */
const look_ms = 50

/** Counts the five segments in turn; returns the times of each. */
const ask = async (
  questions: ReadonlyArray<{ readonly asked: Asked }>,
  goesOn: (rounds: number) => Promise<boolean> | boolean,
) => {
  const times = questions.map((): Array<number> => [])
  for (let rounds = 0; await goesOn(rounds); rounds++) {
    for (const [at, { asked }] of questions.entries()) {
      times[at]?.push(await timed(asked.count))
      await pause(look_ms)
    }
  }
  return times
}

export const beside = async (bench: Bench, world: LargeWorkspace): Promise<void> => {
  const { call } = world
  const questions = await Promise.all(
    questionsOf(world).map(async ({ what, tree }) => ({ what, asked: await askedOf(world, tree) })),
  )
  await ask(questions, (rounds) => rounds < 3)
  const alone = await ask(questions, (rounds) => rounds < (bench.quick ? 5 : 30))
  // A tenth of the contacts: more than are sent meanwhile.
  const blast = await startBlast(call, world.lists.tenth)
  const arrived = async () => countOf(await world.smtp.arrivals())
  await world.smtp.reset()
  const wanted = bench.quick ? 1_000 : 2_000
  await until("the blast to be under way", async () => (await arrived()) >= wanted, { every_ms: 20 })
  const isSending = async () => (await call("GET", `/v1/email-blasts/${blast}`)).status === "sending"
  const end_ms = performance.now() + (bench.quick ? 4_000 : 60_000)
  const busy = await ask(questions, async () => performance.now() < end_ms && (await isSending()))
  const rows = questions.map(({ what }, at) => {
    const times = { reference: spreadOf(alone[at] ?? []), ours: spreadOf(busy[at] ?? []) }
    return comparison(what, "ms", times, (ratio) => [ratioAtMost(3, ratio)], "p95")
  })
  bench.report.section(
    "The five counts: alone (as reference), and beside a blast (as ours); the ratio is of the p95",
    rows,
    [`${(await arrived()).toLocaleString("en-US")} messages; each was counted ${busy[0]?.length ?? 0} times meanwhile`],
  )
}
