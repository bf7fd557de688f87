// Counts of segments while a blast goes out: who looks at an audience must not wait for who mails one.
import { answered, pause, until } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import { ratioAtMost } from "../Report.ts"
import { startBlast } from "../../support/Blast.ts"
import { rateOf } from "../Sending.ts"
import { spreadOf, timed } from "../Timing.ts"
import { type Asked, askedOf } from "./Asked.ts"
import { questionsOf } from "./Questions.ts"
import type { World } from "./World.ts"

interface Asking {
  readonly what: string
  readonly asked: Asked
}

/** How long somebody looks at a count before the next one is wanted. */
const look_ms = 50

/** The five in turn, again and again. The times of each. */
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

/** Looks every half second whether something still goes on. */
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

export const beside = async (bench: Bench, world: World): Promise<void> => {
  const { service, sink } = world
  const questions = await Promise.all(
    questionsOf(world).map(async ({ what, tree }): Promise<Asking> => ({ what, asked: await askedOf(world, tree) })),
  )
  await ask(questions, (rounds) => rounds < 3)
  const alone = await ask(questions, (rounds) => rounds < (bench.quick ? 5 : 30))
  // A tenth of the audience: more than goes out meanwhile.
  const blast = await startBlast(service, world.lists.tenth)
  const undisturbed = await rateOf(sink, async () => {
    const wanted = sink.mails.length + (bench.quick ? 1_000 : 2_000)
    await until("the blast to be under way", async () => sink.mails.length >= wanted, {
      every_ms: 20,
      within_ms: 120_000,
    })
  })
  const watch = watching(async () => (await answered(service, "GET", `/v1/email-blasts/${blast}`)).status === "sending")
  const end_ms = performance.now() + (bench.quick ? 4_000 : 60_000)
  let busy: ReadonlyArray<ReadonlyArray<number>> = []
  const counted = await rateOf(sink, async () => {
    busy = await ask(questions, () => watch.goesOn() && performance.now() < end_ms)
  })
  await watch.stop()
  const rows = questions.map(({ what }, at) => {
    const [reference, ours] = [spreadOf(alone[at] ?? []), spreadOf(busy[at] ?? [])]
    const ratio = ours.p95 / reference.p95
    return { what, unit: "ms", reference, ours, ratio, bars: [ratioAtMost(3, ratio)] } as const
  })
  bench.report.section(
    "The five counts: alone (as reference), and beside a blast (as ours); the ratio is of the p95",
    rows,
    [
      `${sink.mails.length.toLocaleString("en-US")} messages, ${Math.round(undisturbed)} a second by itself, ${Math.round(counted)} while it was counted ${busy[0]?.length ?? 0} times`,
    ],
  )
}
