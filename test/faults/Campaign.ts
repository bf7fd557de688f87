// What a campaign of faults is given, and is: it does something to the service that must not matter, and says what did.
import type { Dice } from "../simulation/Dice.ts"
import type { Ending } from "../support/Ending.ts"

export interface Trial {
  /** Smaller, and fewer faults: to see that the campaign works. */
  readonly quick: boolean
  /** Scenarios whose name holds this, or one of these with commas between them; all when it is empty. */
  readonly only: string
  /** All that is left to chance. The same seed chooses the same; when it happens, the machine has a say in too. */
  readonly dice: Dice
  readonly ending: Ending
  readonly say: (text: string) => void
}

/** One thing that must not matter. What it did matter is answered as sentences; none when all was well. */
export interface Scenario<World> {
  readonly name: string
  readonly run: (trial: Trial, world: World) => Promise<ReadonlyArray<string>>
}

/** What a scenario leaves must not trouble the next one. */
export const cleared = <World extends { readonly calm: () => Promise<unknown> }>({
  name,
  run,
}: Scenario<World>): Scenario<World> => ({
  name,
  run: async (trial, world) => {
    try {
      return await run(trial, world)
    } finally {
      await world.calm()
    }
  },
})

export type Campaign = (trial: Trial) => Promise<ReadonlyArray<string>>

/** One after the other in the same world; each sentence names its scenario. */
export const campaignOf =
  <World>(prepare: (trial: Trial) => Promise<World>, scenarios: ReadonlyArray<Scenario<World>>): Campaign =>
  async (trial) => {
    const wanted = scenarios.filter(({ name }) => trial.only.split(",").some((each) => name.includes(each)))
    if (wanted.length === 0)
      return [`no scenario is called ${trial.only}: ${scenarios.map(({ name }) => name).join(", ")}`]
    const world = await prepare(trial)
    const found: Array<string> = []
    for (const { name, run } of wanted) {
      trial.say(name)
      const began_ms = performance.now()
      const said = await run(trial, world).catch((error: unknown) => [String(error)])
      for (const each of said) trial.say(`  NOT SO: ${each}`)
      trial.say(`  after ${Math.round((performance.now() - began_ms) / 1000)} s`)
      found.push(...said.map((each) => `${name}: ${each}`))
    }
    return found
  }
