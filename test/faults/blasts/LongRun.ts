// A large blast with all faults at once: one worker is killed repeatedly, another one freezes, the database is cut off, and the
// mail server refuses, hangs up and answers late.
import type { SenderOptions } from "@tentpole/worker/sender/Sender"
import type { Dice } from "../../simulation/Dice.ts"
import { pause } from "../../support/Service.ts"
import { type Scenario, unless } from "../Campaign.ts"
import type { Bounds } from "./Judge.ts"
import type { RunningBlast } from "./RunningBlast.ts"
import type { Behaviour } from "@tentpole/adapters/test/FakeSmtpScript"
import type { Dot } from "../../support/smtp/FakeSmtpProcess.ts"
import type { World } from "./World.ts"

const bounds: Bounds = { connections: 32, settle_batch_max: 64 }

const options = {
  times: {
    claim_batch_max: 500,
    settle_batch_max: bounds.settle_batch_max,
    lease_ms: 3_000,
  } satisfies Partial<SenderOptions>,
  variables: { SMTP_CONNECTIONS: String(bounds.connections) },
}

/** Slow replies, so that the faults meet a running blast. */
const reply_ms = 200

const moody = (dice: Dice): Partial<Behaviour> => ({
  seed: dice.between(1, 1_000_000),
  later: 0.05,
  refused: 0.02,
  cut: 0.003,
  late: 0.005,
  late_ms: 1_500,
  pause_ms: reply_ms,
})

interface Troubles {
  readonly kills: number
  readonly cuts: number
  readonly freezes: number
}

/** Returns when sending workers were killed, in milliseconds since the epoch. */
const trouble = async (
  world: World,
  blast: RunningBlast,
  dice: Dice,
  troubles: Troubles,
): Promise<ReadonlyArray<number>> => {
  let killed = await world.worker(options)
  const other = await world.worker(options)
  const kills: Array<number> = []
  const acts = [
    ...Array.from({ length: troubles.kills }, () => "kill" as const),
    ...Array.from({ length: troubles.cuts }, () => "cut" as const),
    ...Array.from({ length: troubles.freezes }, () => "freeze" as const),
  ]
  while (acts.length > 0) {
    const [act] = acts.splice(dice.between(0, acts.length - 1), 1)
    await pause(dice.between(50, 900))
    await blast.hurry()
    if (act === "cut") world.toDatabase.cut()
    else if (act === "freeze") {
      other.process.freeze()
      await pause(2 * options.times.lease_ms)
      other.process.wake()
    } else {
      if ((await blast.status()) === "sending") kills.push(Date.now())
      await killed.process.kill()
      killed = await world.worker(options)
    }
  }
  await blast.ended(900_000)
  return kills
}

/** The most deliveries that a kill left unconfirmed, without those whose reply the mail server withheld. */
const doubtsOf = async (
  world: World,
  blast: RunningBlast,
  dots: ReadonlyArray<Dot>,
  kills: ReadonlyArray<number>,
): Promise<number> => {
  const rows = await world.deployment.inside.asOwner<{ delivery_id: string; at: Date }>(
    `select h.delivery_id, max(h.at) as at from delivery_history h join delivery d using (blast_id, delivery_id)
      where blast_id = $1::uuid and h.became = 'handed_over' and d.state = 'unconfirmed' group by h.delivery_id`,
    [blast.id],
  )
  const withheld = new Set(dots.filter((dot) => dot.withheld).map(({ delivery }) => delivery))
  const counts = kills.map((at, nth) => {
    const before = kills[nth - 1] ?? 0
    return rows.filter((row) => !withheld.has(row.delivery_id) && row.at.getTime() > before && row.at.getTime() <= at)
      .length
  })
  return Math.max(0, ...counts)
}

const run = (
  name: string,
  count: number,
  quick_count: number,
  troublesOf: (quick: boolean) => Troubles,
): Scenario<World> => ({
  name,
  run: async ({ dice, quick, say }, world) => {
    const troubles = troublesOf(quick)
    const disturbed = troubles.kills + troubles.cuts + troubles.freezes > 0
    await world.sink.behave({ ...moody(dice), ...(disturbed ? {} : { cut: 0, pause_ms: 0 }) })
    const recipients_count = quick ? quick_count : count
    const blast = await world.blast(recipients_count)
    const kills = await trouble(world, blast, dice, troubles)
    const dots = await blast.dots()
    const judged = await blast.verdict(say, { ...bounds, deaths: kills.length }, `of ${recipients_count}`)
    const doubts = await doubtsOf(world, blast, dots, kills)
    const doubts_max = bounds.connections + bounds.settle_batch_max
    say(`  ${kills.length} kills met the blast, and left ${doubts} unconfirmed at most (bound ${doubts_max})`)
    const met_min = Math.floor(troubles.kills * 0.8)
    const refused = Object.values(judged.failed).reduce((sum, each) => sum + each, 0)
    return [
      ...judged.found,
      ...unless(
        kills.length >= met_min,
        `${kills.length} kills met a blast that was being sent, fewer than ${met_min}`,
      ),
      ...unless(doubts <= doubts_max, `${doubts} are unconfirmed by one kill`),
      ...unless(disturbed || judged.unconfirmed === 0, `${judged.unconfirmed} are unconfirmed without a kill or a cut`),
      ...unless(
        refused >= recipients_count * 0.01,
        `only ${refused} were refused: the mail server misbehaved too rarely`,
      ),
    ]
  },
})

export const longRuns: ReadonlyArray<Scenario<World>> = [
  run("a long run with kills, a freeze and cuts", 20_000, 1_500, (quick) =>
    quick ? { kills: 3, cuts: 1, freezes: 0 } : { kills: 20, cuts: 5, freezes: 1 },
  ),
  run("a long run without kills or cuts", 5_000, 1_000, () => ({ kills: 0, cuts: 0, freezes: 0 })),
]
