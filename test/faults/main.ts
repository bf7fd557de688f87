// Runs a campaign of faults by name: `npm run test:faults imports`, a small one: `npm run test:faults -- imports --quick`, or the
// scenarios with a word in their name: `npm run test:faults imports frozen`. `SEED=<number>` repeats the random instants.
// Exits with 1 if a scenario found a violation.
import { parseArgs, styleText } from "node:util"
import { Dice } from "../simulation/Dice.ts"
import { Ending } from "../support/Ending.ts"
import type { Campaign } from "./Campaign.ts"

const campaigns: Readonly<Record<string, () => Promise<Campaign>>> = {
  blasts: async () => (await import("./blasts/Blasts.ts")).blasts,
  citus: async () => (await import("./citus/Citus.ts")).citus,
  consent: async () => (await import("./consent/Consent.ts")).consent,
  failover: async () => (await import("./failover/Failover.ts")).failover,
  flows: async () => (await import("./flows/Flows.ts")).flows,
  imports: async () => (await import("./imports/Imports.ts")).imports,
  messages: async () => (await import("./messages/Messages.ts")).messages,
  planted: async () => (await import("./planted/Planted.ts")).planted,
  restore: async () => (await import("./restore/Restores.ts")).restores,
  upgrade: async () => (await import("./upgrade/Upgrade.ts")).upgrade,
  webhooks: async () => (await import("./webhooks/Webhooks.ts")).webhooks,
}

const {
  positionals: [name = "", only = ""],
  values: { quick },
} = parseArgs({ allowPositionals: true, options: { quick: { type: "boolean", default: false } } })
const load = campaigns[name]
if (load === undefined) {
  console.error(`Name a campaign: npm run test:faults <name>, with one of ${Object.keys(campaigns).join(", ")}`)
  process.exit(1)
}
const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)
const say = (text: string): void => void process.stdout.write(`${text}\n`)
say(`SEED=${seed}`)
await Ending.during(async (ending) => {
  const found = await (await load())({ quick, only, dice: new Dice(seed), ending, say })
  say(found.length === 0 ? styleText("green", "nothing mattered") : styleText("red", `${found.length} did matter`))
  if (found.length > 0) process.exitCode = 1
})
