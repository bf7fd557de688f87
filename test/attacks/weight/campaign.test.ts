// Every parameter of every operation at its maximum size, with the worst characters of its kind, against real processes. `npm run
// test:attacks` sends a sample; with `-- --weight` it sends all, and prints the longest block of the event loop for each operation.
import { Effect } from "effect"
import { afterAll, assert, it } from "vitest"
import { clone } from "@tentpole/adapters/test/TestDatabase"
import { Ending } from "../../support/Ending.ts"
import { pause } from "../../support/Service.ts"
import { Report } from "./Report.ts"
import { tryRequests } from "./Requests.ts"
import { type Part, parts, type Plan } from "./Sample.ts"
import { tryVisitors } from "./Visitors.ts"
import { control_ms, Weighed } from "./Weighed.ts"
import { tryWorker } from "./WorkerInputs.ts"

const ending = new Ending()
afterAll(() => ending.all())

const unlimited = { requests: Infinity, visitors: Infinity, worker: Infinity }
const plans: Readonly<Record<string, Plan>> = {
  sample: { seed: 1, operations_max: 12, inputs_max: 4, others_max: 12, minutes_max: unlimited },
  quick: {
    seed: 1,
    operations_max: Infinity,
    inputs_max: 3,
    others_max: 80,
    minutes_max: { requests: 3, visitors: 0.5, worker: 1.5 },
  },
  full: {
    seed: 1,
    operations_max: Infinity,
    inputs_max: Infinity,
    others_max: Infinity,
    minutes_max: unlimited,
  },
}
const tries: Readonly<Record<Part, (weighed: Weighed, report: Report, plan: Plan) => Promise<void>>> = {
  requests: tryRequests,
  visitors: tryVisitors,
  worker: tryWorker,
}
const { SEED, WEIGHT: size = "sample", WEIGHT_PARTS } = process.env

const chosen = WEIGHT_PARTS === undefined ? parts : parts.filter((part) => WEIGHT_PARTS.split(",").includes(part))

// The sample has requests only.
it.for(size === "sample" ? (["requests"] as const) : chosen)(
  "an input of maximum size has an answer of the description, and takes little memory: %s",
  { timeout: 6 * 3_600_000, tags: ["attack/slow-input", "attack/json-bomb", "attack/csv-bomb"] },
  async (part) => {
    const weighed = await Weighed.over(ending, await Effect.runPromise(clone(`weight_${part}`)))
    const report = new Report()
    const [, idle] = await weighed.during(() => pause(control_ms))
    report.idles("http", idle.rss_bytes)
    const known = plans[size] ?? assert.fail(`WEIGHT must be one of ${Object.keys(plans).join(", ")}`)
    const plan = SEED === undefined ? known : { ...known, seed: Number(SEED) }
    try {
      await tries[part](weighed, report, plan)
    } finally {
      if (size !== "sample") console.log(report.text(part))
      await weighed.end()
    }
    assert.deepStrictEqual(report.wrong, [])
    assert.deepStrictEqual(report.heavy, [])
    // On a machine that does much else, a sample would fail by chance.
    if (size !== "sample") assert.deepStrictEqual(report.blocking, [])
    // A crash is no large block, and no machine is slow enough for a minute.
    assert.isTrue(report.rows.every(({ block_ms }) => block_ms < 60_000))
  },
)
