// Campaigns: scenarios that disturb the service; each returns the violations that it found.
import type { Dice } from "../simulation/Dice.ts"
import type { Ending } from "../support/Ending.ts"
import { Gate } from "./Gate.ts"

export interface Trial {
  /** Smaller, with fewer faults: shows that the campaign works. */
  readonly quick: boolean
  /** Runs only scenarios whose name contains one of these texts, separated by commas; empty: all. */
  readonly only: string
  /** All random choices. The same seed makes the same ones; their timing also depends on the machine. */
  readonly dice: Dice
  readonly ending: Ending
  readonly say: (text: string) => void
}

/** A disturbance that must have no effect; returns the violations as sentences. */
export interface Scenario<World> {
  readonly name: string
  readonly run: (trial: Trial, world: World) => Promise<ReadonlyArray<string>>
}

/** A violation, unless the condition holds. */
export const unless = (holds: boolean, sentence: string): ReadonlyArray<string> => (holds ? [] : [sentence])

export type Campaign = (trial: Trial) => Promise<ReadonlyArray<string>>

/** Runs the scenarios one after the other in one world, and cleans up after each; a quick run takes those of the sample. */
export const campaignOf =
  <World extends { readonly calm: () => Promise<unknown> }>(
    prepare: (trial: Trial) => Promise<World>,
    scenarios: ReadonlyArray<Scenario<World>>,
    isInSample: (name: string) => boolean = () => true,
  ): Campaign =>
  async (trial) => {
    const all = trial.quick && trial.only === "" ? scenarios.filter(({ name }) => isInSample(name)) : scenarios
    const wanted = all.filter(({ name }) => trial.only.split(",").some((each) => name.includes(each)))
    if (wanted.length === 0)
      return [`no scenario is called ${trial.only}: ${scenarios.map(({ name }) => name).join(", ")}`]
    const world = await prepare(trial)
    const found: Array<string> = []
    for (const { name, run } of wanted) {
      trial.say(name)
      const began_ms = performance.now()
      const said = await run(trial, world).catch((error: unknown) => [String(error)])
      await Gate.openAll()
      await world.calm()
      for (const each of said) trial.say(`  NOT SO: ${each}`)
      trial.say(`  after ${Math.round((performance.now() - began_ms) / 1000)} s`)
      found.push(...said.map((each) => `${name}: ${each}`))
    }
    return found
  }
