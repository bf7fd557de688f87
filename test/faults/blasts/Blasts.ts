// The campaign `blasts`: under each race and each fault, no recipient gets two messages and none is forgotten. The last scenario
// combines all faults.
import { campaignOf, type Scenario } from "../Campaign.ts"
import { commits } from "./Commits.ts"
import { deaths } from "./Deaths.ts"
import { interventions } from "./Interventions.ts"
import { longRuns } from "./LongRun.ts"
import { outagesOfTheDatabase } from "./Outages.ts"
import { refusals } from "./Refusals.ts"
import { World } from "./World.ts"

const all: ReadonlyArray<Scenario<World>> = [
  ...deaths,
  ...commits,
  ...interventions,
  ...refusals,
  ...outagesOfTheDatabase,
  ...longRuns,
]

/** One scenario of each kind: about a minute and a half. */
const sample: ReadonlySet<string> = new Set([
  "killed at the gate before-settle",
  "frozen at the gate after-intent beyond its lease, and woken",
  "an intent was committed, and the answer was lost",
  "a settlement was not committed: its session was ended",
  "people unsubscribe between the claim and the intent",
  "the disk is full",
  "a long run with kills, a freeze and cuts",
])

export const blasts = campaignOf(
  ({ ending }) => World.begin(ending),
  all,
  (name) => sample.has(name),
)
