// Random instants at which a worker is killed, drawn from a seed.
import type { Dice } from "../../simulation/Dice.ts"
import { pause } from "../../support/Service.ts"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import type { Deployment } from "../Deployment.ts"
import type { DisturbedRun } from "./World.ts"

/** A delay after a worker started, or after it reached a row. */
export type Moment =
  | { readonly at: "start"; readonly delay_ms: number }
  | { readonly at: "row"; readonly row: number; readonly delay_ms: number }

/** A worker takes about a second and a half to come up, and a chunk some hundred milliseconds. */
const start_ms = 2_500
const chunk_ms = 300

export const drawMoments = (dice: Dice, count: number, rows_count: number): ReadonlyArray<Moment> => {
  // Not near the end: the last kills must meet a running import, too.
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

/** The first kill may precede the run, and the run may end before the last kill. */
export const metRunning_min = (kills_count: number): number => Math.floor(kills_count * 0.8)

/** A job fails after ten attempts; intended kills must not use them up. */
const attempts = 1

/**
 * Kills the worker at each moment and starts another one, which takes the job as if the lease had ended. Returns
 * the last worker, which lives, and the states in which the kills met the run.
 */
export const killAtMoments = async (
  deployment: Deployment,
  first: ServiceProcess,
  run: DisturbedRun,
  moments: ReadonlyArray<Moment>,
  say: (text: string) => void,
): Promise<{ readonly worker: ServiceProcess; readonly met: ReadonlyArray<string> }> => {
  say(`  drawn: ${moments.map(described).join(", ")}`)
  const met: Array<string> = []
  let worker = first
  for (const moment of moments) {
    // Beyond the row of the last kill, so that each worker has done some work.
    const { processed_rows: processed } = await run.state()
    if (moment.at === "row") await run.reached(Math.max(moment.row, processed + 1))
    await pause(moment.delay_ms)
    await worker.kill()
    await deployment.workersForgotten()
    const { status, processed_rows } = await run.state()
    met.push(status)
    say(`  killed ${moment.at === "start" ? "at its start" : "at work"}: ${status}, row ${processed_rows}`)
    await deployment.endLease(run.jobId, attempts)
    worker = await deployment.startWorker()
  }
  return { worker, met }
}
