// Counts of segments while a blast goes out: sending must not slow them down.
import { pause, until } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import { comparison, ratioAtMost } from "../Report.ts"
import { startBlast } from "../../support/Blast.ts"
import { countOf, spanOf } from "../Arrivals.ts"
import { spreadOf, timed } from "../Timing.ts"
import { type Asked, askedOf } from "./SegmentCalls.ts"
import { questionsOf } from "./Questions.ts"
import type { LargeWorkspace } from "./LargeWorkspace.ts"

interface Asking {
  readonly what: string
  readonly asked: Asked
}

/** The pause between two counts. */
const look_ms = 50

/** Counts the five segments in turn; returns the times of each. */
const ask = async (questions: ReadonlyArray<Asking>, goesOn: (rounds: number) => boolean) => {
  const times = questions.map((): Array<number> => [])
  for (let rounds = 0; goesOn(rounds); rounds++) {
    for (const [at, { asked }] of questions.entries()) {
      times[at]?.push(await timed(asked.count))
      await pause(look_ms)
    }
  }
  return times
}

/** Looks every half second whether the blast is still sending. */
const watching = (probe: () => Promise<boolean>) => {
  let [goesOn, wanted] = [true, true]
  const ended = (async () => {
    while (wanted && goesOn) {
      await pause(500)
      goesOn = await probe()
    }
  })()
  const stop = async () => {
    wanted = false
    await ended
  }
  return { goesOn: () => goesOn, stop }
}

/** Messages that arrive meanwhile, and their rate from the first one on. */
const rateOf = async ({ smtp }: LargeWorkspace, meanwhile: () => Promise<void>) => {
  await smtp.reset()
  await meanwhile()
  const arrivals = await smtp.arrivals()
  const count = countOf(arrivals)
  return { count, rate: (count / (Date.now() - spanOf(arrivals).first_ms)) * 1000 }
}

export const beside = async (bench: Bench, world: LargeWorkspace): Promise<void> => {
  const { call } = world
  const questions = await Promise.all(
    questionsOf(world).map(async ({ what, tree }): Promise<Asking> => ({ what, asked: await askedOf(world, tree) })),
  )
  await ask(questions, (rounds) => rounds < 3)
  const alone = await ask(questions, (rounds) => rounds < (bench.quick ? 5 : 30))
  // A tenth of the contacts: more than are sent meanwhile.
  const blast = await startBlast(call, world.lists.tenth)
  const undisturbed = await rateOf(world, async () => {
    const wanted = bench.quick ? 1_000 : 2_000
    const came = async () => countOf(await world.smtp.arrivals()) >= wanted
    await until("the blast to be under way", came, { every_ms: 20 })
  })
  const watch = watching(async () => (await call("GET", `/v1/email-blasts/${blast}`)).status === "sending")
  const end_ms = performance.now() + (bench.quick ? 4_000 : 60_000)
  let busy: ReadonlyArray<ReadonlyArray<number>> = []
  const counted = await rateOf(world, async () => {
    busy = await ask(questions, () => watch.goesOn() && performance.now() < end_ms)
  })
  await watch.stop()
  const rows = questions.map(({ what }, at) => {
    const times = { reference: spreadOf(alone[at] ?? []), ours: spreadOf(busy[at] ?? []) }
    return comparison(what, "ms", times, (ratio) => [ratioAtMost(3, ratio)], "p95")
  })
  bench.report.section(
    "The five counts: alone (as reference), and beside a blast (as ours); the ratio is of the p95",
    rows,
    [
      `${(undisturbed.count + counted.count).toLocaleString("en-US")} messages, ${Math.round(undisturbed.rate)} a second by itself, ${Math.round(counted.rate)} while it was counted ${busy[0]?.length ?? 0} times`,
    ],
  )
}
