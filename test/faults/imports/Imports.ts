// The campaign `imports`: workers are killed, doubled and frozen during an import, and the result must equal that of an
// undisturbed import, row for row.
import { attempts_to_work } from "@tentpole/worker/jobs/Jobs"
import type { Dice } from "../../simulation/Dice.ts"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import type { Deployment } from "../Deployment.ts"
import { pause, until } from "../../support/Service.ts"
import { type Campaign, campaignOf, type Scenario, unless } from "../Campaign.ts"
import { Gate } from "../Gate.ts"
import { type DisturbedRun, disturbedRun, makeWorld, type World } from "./World.ts"

/** A delay after a worker started, or after it reached a row. */
type Moment =
  | { readonly at: "start"; readonly delay_ms: number }
  | { readonly at: "row"; readonly row: number; readonly delay_ms: number }

/** A worker takes about a second and a half to come up, and a chunk some hundred milliseconds. */
const start_ms = 2_500
const chunk_ms = 300

const drawMoments = (dice: Dice, count: number, rows_count: number): ReadonlyArray<Moment> => {
  // Not near the end, where the import waits for the last kill.
  const rows = Array.from({ length: count }, () => dice.between(0, Math.floor(rows_count * 0.8)))
  return rows
    .toSorted((left, right) => left - right)
    .map((row) =>
      dice.chance(0.15)
        ? { at: "start", delay_ms: dice.between(0, start_ms) }
        : { at: "row", row, delay_ms: dice.between(0, chunk_ms) },
    )
}

const described = (moment: Moment): string =>
  `${moment.at === "row" ? `row ${moment.row}` : "start"} + ${moment.delay_ms} ms`

const atCompletion = { table: "import_run", condition: "new.status = 'completed' and old.status = 'running'" }

/** A job fails after ten attempts; intended kills must not use them up. */
const attempts = 1

/**
 * Kills the worker at each moment and starts another one, which takes the job as if the lease had ended. Returns
 * the states in which the kills met the run.
 */
export const killAtMoments = async (
  deployment: Deployment,
  first: ServiceProcess,
  run: DisturbedRun,
  moments: ReadonlyArray<Moment>,
  { say, gate }: { readonly say: (text: string) => void; readonly gate?: Gate },
): Promise<ReadonlyArray<string>> => {
  say(`  drawn: ${moments.map(described).join(", ")}`)
  const met: Array<string> = []
  let worker = first
  for (const moment of moments) {
    // Beyond the row of the last kill, so that each worker has done some work.
    const { processed_rows: processed } = await run.state()
    if (moment.at === "row") await run.reached(Math.min(run.world.rows_count, Math.max(moment.row, processed + 1)))
    await pause(moment.delay_ms)
    await worker.kill()
    await gate?.endWaiting()
    await deployment.workersForgotten()
    const { status, processed_rows } = await run.state()
    met.push(status)
    say(`  killed ${moment.at === "start" ? "at its start" : "at work"}: ${status}, row ${processed_rows}`)
    await deployment.endLease(run.jobId, attempts)
    worker = await deployment.startWorker()
  }
  return met
}

const kills: Scenario<World> = {
  name: "killed at random instants",
  run: async ({ dice, quick, say }, world) => {
    const moments = drawMoments(dice, quick ? 5 : 20, world.rows_count)
    // However late a kill is on a loaded machine, the import waits for it at its completion.
    const gate = await Gate.close(world.deployment.inside, atCompletion)
    const first = await world.deployment.startWorker()
    const run = await disturbedRun(world, "Killed")
    const met = await killAtMoments(world.deployment, first, run, moments, { say, gate })
    await gate.open()
    const found = await run.judged()
    const running = met.filter((status) => status === "running").length
    // The first kills may precede the run.
    const least = Math.floor(moments.length * 0.8)
    say(`  ${moments.length} kills, ${running} of them met a running import`)
    return running >= least ? found : [...found, `${running} kills met a running import, fewer than ${least}`]
  },
}

const beforeCompletion: Scenario<World> = {
  name: "killed between the last chunk and the completion",
  run: async (_, world) => {
    const { deployment } = world
    const gate = await Gate.close(deployment.inside, atCompletion)
    const first = await deployment.startWorker()
    const run = await disturbedRun(world, "Killed before its completion")
    await gate.reached()
    await first.kill()
    await gate.open()
    await deployment.workersForgotten()
    const { status, processed_rows, total_rows } = await run.state()
    await deployment.endLease(run.jobId)
    await deployment.startWorker()
    const found = await run.judged()
    const between = status === "running" && processed_rows === total_rows
    const late = `the kill met a run that was ${status}, at row ${processed_rows} of ${total_rows}`
    return [...found, ...unless(between, late)]
  },
}

/** When the second worker starts: after the first chunks, and long before the end. */
const shareDone = 0.2

/** Starts a second worker on the same run, as if the first one's lease had ended. */
const joined = async ({ deployment, rows_count }: World, run: DisturbedRun) => {
  await run.reached(rows_count * shareDone)
  await deployment.endLease(run.jobId)
  const second = await deployment.startWorker()
  await until("the second worker to take the job", async () => (await deployment.job(run.jobId)).attempts > 1, {
    every_ms: 10,
  })
  return { second, ...(await run.state()) }
}

const two: Scenario<World> = {
  name: "two workers on one run",
  run: async ({ say }, world) => {
    const { deployment } = world
    const first = await deployment.startWorker()
    const run = await disturbedRun(world, "Two at once")
    const { second, status, processed_rows } = await joined(world, run)
    say(`  the second one came at row ${processed_rows}`)
    let meetings = 0
    const over = run.judged()
    let ended = false
    void over.finally(() => (ended = true)).catch(() => undefined)
    while (!ended) {
      if (await deployment.workersMeet()) meetings++
      await pause(20)
    }
    const found = [...(await over)]
    if (status !== "running") found.push(`the second worker met a run that was ${status}`)
    if (meetings === 0) found.push("the two workers never waited for each other: they did not work at once")
    if (!first.alive || !second.alive) found.push("a worker did not survive the other one")
    say(`  one was seen waiting for the other ${meetings} times`)
    return found
  },
}

const frozen_ms = 3_000

const frozen: Scenario<World> = {
  name: "frozen longer than its lease, and woken",
  run: async ({ dice, say }, world) => {
    const { deployment, rows_count } = world
    const first = await deployment.startWorker()
    const run = await disturbedRun(world, "Frozen")
    await run.reached(rows_count * shareDone)
    await pause(dice.between(0, 300))
    first.freeze()
    const { second, status, processed_rows } = await joined(world, run)
    say(`  frozen at row ${processed_rows}`)
    await pause(frozen_ms)
    first.wake()
    const found = [...(await run.judged())]
    if (status !== "running") found.push(`the worker was frozen in a run that was ${status}`)
    if (!first.alive || !second.alive) found.push("a worker did not survive the other one")
    return found
  },
}

const lastAttempt: Scenario<World> = {
  name: "killed at each attempt: the run fails visibly",
  run: async (_, world) => {
    const { deployment, rows_count } = world
    const first = await deployment.startWorker()
    const run = await disturbedRun(world, "Given up")
    await run.reached(rows_count * shareDone)
    await first.kill()
    await deployment.workersForgotten()
    await deployment.endLease(run.jobId, attempts_to_work)
    await deployment.startWorker()
    const patience_ms = 10_000
    const status = await until("the run to end", async () => (await run.state()).status === "failed" && "failed", {
      within_ms: patience_ms,
    }).catch(async () => (await run.state()).status)
    return status === "failed" ? [] : [`${patience_ms / 1000} s later the run is ${status}`]
  },
}

export const imports: Campaign = campaignOf(makeWorld, [kills, beforeCompletion, two, frozen, lastAttempt])
