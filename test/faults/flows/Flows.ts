// The campaign `flows`: each member takes the predicted path once, although workers die before a step is committed, during its
// COMMIT, and again and again during a week.
import { pause } from "../../support/Service.ts"
import type { Dice } from "../../simulation/Dice.ts"
import { bounds } from "../blasts/Times.ts"
import { campaignOf, type Scenario, type Trial } from "../Campaign.ts"
import { Gate } from "../Gate.ts"
import { judge } from "./Judge.ts"
import type { RunningFlow } from "./RunningFlow.ts"
import { World } from "./World.ts"

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms
/** Members that entered one after the other are due one after the other. */
const spread_ms = 10 * 60_000

/** Moves the clock from one due time to the next; an hour after each, messages are opened. */
const pass = async (flow: RunningFlow, days: number, begun: () => void = () => undefined): Promise<void> => {
  const { world } = flow
  const end_ms = world.clock.now_ms + days * day_ms
  for (;;) {
    begun()
    await flow.quiet()
    await world.move(hour_ms)
    // Members that are due by then advance first: the order of simultaneous events is undefined.
    await flow.quiet()
    await flow.openMail()
    await flow.quiet()
    const { next_ms } = await flow.standing()
    if (next_ms === null || world.clock.now_ms + next_ms > end_ms) return
    await world.move(Math.max(0, next_ms) + spread_ms)
  }
}

const judged = async (flow: RunningFlow, deaths: number, say: Trial["say"]): Promise<ReadonlyArray<string>> => {
  const unconfirmed_max = deaths * (bounds.connections + bounds.settle_batch_max)
  const { found, lines, mails, members, unconfirmed } = await judge(flow, { unconfirmed_max })
  say(`  ${members} members, ${lines} lines, ${mails} mails, ${unconfirmed} unconfirmed (at most ${unconfirmed_max})`)
  return found
}

const few = 40

const atGate = (at: "update" | "commit"): Scenario<World> => ({
  name: `killed while a step is written, before ${at === "update" ? "it is" : "that is committed"}`,
  run: async ({ quick, say }, world) => {
    const { inside } = world.deployment
    const flow = await world.flow(few)
    const gate = await Gate.close(inside, { table: "flow_membership", condition: "new.status = 'active'", at })
    const worker = await world.worker()
    await flow.people()
    await gate.reached()
    await worker.kill()
    await gate.open()
    await world.deployment.workersForgotten()
    await world.worker()
    await pass(flow, quick ? 1 : 2)
    return judged(flow, 1, say)
  },
})

/** The least number of due times in a week; the kills are spread over them. */
const phases_min = 8

/** Kills a random worker while there is work, and starts another one, until the week is over. */
const killing = (flow: RunningFlow, dice: Dice, { delay_ms, kills }: { delay_ms: number; kills: number }) => {
  const { world } = flow
  let phase = 0
  let over = false
  const killed = async (): Promise<number> => {
    let count = 0
    while (count < kills && !over) {
      await pause(50)
      if (count >= Math.ceil((kills * phase) / phases_min) || !(await flow.isBusy())) continue
      await pause(dice.between(0, delay_ms))
      const victim = dice.pick([...world.deployment.workers].filter(({ alive }) => alive))
      if (victim === undefined || !(await flow.isBusy())) continue
      await victim.kill()
      count++
      await world.worker()
    }
    return count
  }
  const counting = killed()
  return {
    begun: () => void phase++,
    end: () => {
      over = true
      return counting
    },
  }
}

const week: Scenario<World> = {
  name: "a week in which workers are killed",
  run: async ({ dice, quick, say }, world) => {
    const [count, kills] = quick ? [300, 4] : [10_000, 20]
    // Slow replies keep workers busy, so that kills meet them at work.
    await world.sink.behave({ pause_ms: quick ? 60 : 5 })
    const flow = await world.flow(count)
    await Promise.all([world.worker(), world.worker()])
    const killer = killing(flow, dice, { delay_ms: quick ? 300 : 1_500, kills })
    const began = performance.now()
    await flow.people()
    await pass(flow, 7, killer.begun)
    const deaths = await killer.end()
    const found = [...(await judged(flow, deaths, say))]
    say(`  ${deaths} kills, ${Math.round((performance.now() - began) / 1000)} s`)
    return deaths < kills ? [...found, `${deaths} kills met workers at work, fewer than ${kills}`] : found
  },
}

/** The quick run: a single kill, and some kills in a week: about a minute. */
export const flows = campaignOf(
  ({ ending }) => World.begin(ending),
  [atGate("update"), atGate("commit"), week],
  (name) => !name.includes("committed"),
)
